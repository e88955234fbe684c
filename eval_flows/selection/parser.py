"""Read a model's answer strictly: it counts only if it is a candidate's name, title or alias; case and punctuation do not matter."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from atomic_tasks.pinned import Candidate
from eval_flows.selection.selectors.selector import Status

Found = TypeVar("Found")
_LABEL = re.compile(r"^(?:the )?(?:best |final |suitable )?(?:applications?|apps?|answer|kind|category)\s*(?:is|are)?\s*[:=]\s*", re.IGNORECASE)
_REFUSAL = re.compile(r"^(?:(?:i'm |i am )?sorry\b|i apologi[sz]e|i can(?:no|')t\b|(?:i am|i'm) (?:unable|not able)|as an ai\b)", re.IGNORECASE)
_FENCE = re.compile(r"^```\w*\s*|\s*```$")
_MARKS = " \t\r\n`*_\"'\u201c\u201d\u2018\u2019.,;:!?-\u2022"  # with curly quotes and bullets


class Names:
    """The names, titles and aliases of candidates; a name that two candidates share means neither."""

    def __init__(self, called: Mapping[str, Iterable[str]]) -> None:
        meant: dict[str, set[str]] = {}
        for name, forms in called.items():
            for form in (name, *forms):
                meant.setdefault(_plain(form), set()).add(name)
        own = {_plain(name): name for name in called}
        self._by_form = {form: next(iter(names)) for form, names in meant.items() if len(names) == 1} | own

    def find(self, text: str) -> str | None:
        """Return the candidate if the text is only its name, else None."""
        return self._by_form.get(_plain(text)) or self._by_form.get(_plain(_LABEL.sub("", text.strip(_MARKS))))


def names_of(candidates: Iterable[Candidate]) -> Names:
    """Return the names of the candidates."""
    return Names({candidate.application: (candidate.title, *candidate.aliases) for candidate in candidates})


def read_name(said: str, truncated: bool, names: Names) -> tuple[str | None, Status]:
    """Return the named candidate and the status. Only the first line counts; in a truncated answer it counts only if it is complete."""
    text = _FENCE.sub("", said.strip()).strip()
    first, ended, _ = text.partition("\n")
    if not text:
        return None, "truncated" if truncated else "empty"
    found = names.find(text) if not truncated else None
    if found is None and (ended or not truncated):
        found = names.find(first)
    return _outcome(found, text, truncated)


def read_set(said: str, truncated: bool, names: Names) -> tuple[tuple[str, ...], Status]:
    """Return the named candidates in their order, and the status; an unknown name stays in the set as it was said."""
    text = _FENCE.sub("", said.strip()).strip()
    if not text:
        return (), "truncated" if truncated else "empty"
    if truncated or _REFUSAL.match(text.replace("\u2019", "'")):
        return (), _outcome(None, text, truncated)[1]
    return _set([part for part in re.split(r"[,\n;]| and ", _LABEL.sub("", text)) if part.strip(_MARKS)], names)


def read_json(said: str, truncated: bool, field: str, names: Names) -> tuple[tuple[str, ...], Status]:
    """Return the candidates in a field of a JSON object, which holds a name or a list of names, and the status."""
    value = _object(said).get(field)
    if isinstance(value, str | list):
        return _set([value] if isinstance(value, str) else value, names)
    text = said.strip()
    return (), _outcome(None, text, truncated)[1] if text else ("truncated" if truncated else "empty")


def read_graph(said: str, truncated: bool, names: Names) -> tuple[tuple[str, ...], tuple[tuple[int, int], ...], Status]:
    """Return nodes, edges and status of a JSON object; edges to missing nodes are kept, so that they count as wrong."""
    answer = _object(_FENCE.sub("", said.strip()))
    nodes, edges = answer.get("nodes"), answer.get("edges", [])
    if not isinstance(nodes, list) or not nodes or not isinstance(edges, list):
        return (), (), _outcome(None, said.strip(), truncated)[1] if said.strip() else ("truncated" if truncated else "empty")
    named = tuple(names.find(str(node)) or str(node)[:60] for node in nodes)
    pairs = [tuple(edge) for edge in edges if isinstance(edge, list) and len(edge) == 2 and all(type(end) is int and abs(end) < 100 for end in edge)]
    return named, tuple((source, target) for source, target in dict.fromkeys(pairs)), "answered"


def _set(parts: Sequence[Any], names: Names) -> tuple[tuple[str, ...], Status]:
    found = dict.fromkeys(names.find(str(part)) or str(part).strip()[:60] for part in parts if str(part).strip())
    known = any(names.find(name) == name for name in found)
    return tuple(found), "answered" if known else "not_in_list" if found else "empty"


def _object(said: str) -> dict[str, Any]:
    """Return the JSON object that the text is or begins with; an empty one if there is none."""
    try:
        found, _ = json.JSONDecoder().raw_decode(said.strip())
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _outcome(found: Found | None, text: str, truncated: bool) -> "tuple[Found | None, Status]":
    if found is not None:
        return found, "answered"
    if _REFUSAL.match(text.replace("\u2019", "'")):
        return None, "refused"
    return None, "truncated" if truncated else "not_in_list"


def _plain(text: str) -> str:
    """Return a name in lower case, without marks around it, and with equal spaces, hyphens and underscores."""
    return re.sub(r"[\s_\-]+", " ", text.strip(_MARKS).casefold()).strip()
