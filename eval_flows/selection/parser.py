"""Reading a model's answer strictly: it counts if it is a candidate's name, title or alias, case and punctuation aside, and nothing else."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from atomic_tasks.pinned import Candidate
from eval_flows.selection.selectors.answer import Status

Found = TypeVar("Found")
_LABEL = re.compile(r"^(?:the )?(?:best |final |suitable )?(?:applications?|apps?|answer|kind|category)\s*(?:is|are)?\s*[:=]\s*", re.IGNORECASE)
_REFUSAL = re.compile(r"^(?:(?:i'm |i am )?sorry\b|i apologi[sz]e|i can(?:no|')t\b|(?:i am|i'm) (?:unable|not able)|as an ai\b)", re.IGNORECASE)
_FENCE = re.compile(r"^```\w*\s*|\s*```$")
_MARKS = " \t\r\n`*_\"'\u201c\u201d\u2018\u2019.,;:!?-\u2022"  # with curly quotes and bullets


class Names:
    """What candidates may be called: their names, titles and aliases; what two candidates share means neither."""

    def __init__(self, called: Mapping[str, Iterable[str]]) -> None:
        meant: dict[str, set[str]] = {}
        for name, forms in called.items():
            for form in (name, *forms):
                meant.setdefault(_plain(form), set()).add(name)
        own = {_plain(name): name for name in called}
        self._by_form = {form: next(iter(names)) for form, names in meant.items() if len(names) == 1} | own

    def find(self, text: str) -> str | None:
        """The candidate that the text names and says nothing beside, or None."""
        return self._by_form.get(_plain(text)) or self._by_form.get(_plain(_LABEL.sub("", text.strip(_MARKS))))


def names_of(candidates: Iterable[Candidate]) -> Names:
    """The names of the candidates."""
    return Names({candidate.application: (candidate.title, *candidate.aliases) for candidate in candidates})


def read_name(said: str, truncated: bool, names: Names) -> tuple[str | None, Status]:
    """The one candidate that was named. Of several lines the first alone counts, and of a truncated answer only a line that was ended."""
    text = _FENCE.sub("", said.strip()).strip()
    first, ended, _ = text.partition("\n")
    if not text:
        return None, "truncated" if truncated else "empty"
    found = names.find(text) if not truncated else None
    if found is None and (ended or not truncated):
        found = names.find(first)
    return _outcome(found, text, truncated)


def read_set(said: str, truncated: bool, names: Names) -> tuple[tuple[str, ...], Status]:
    """The candidates that were named, in their order; a name that is none stands in the set as it was said."""
    text = _FENCE.sub("", said.strip()).strip()
    if not text:
        return (), "truncated" if truncated else "empty"
    if truncated or _REFUSAL.match(text.replace("\u2019", "'")):
        return (), _outcome(None, text, truncated)[1]
    return _set([part for part in re.split(r"[,\n;]| and ", _LABEL.sub("", text)) if part.strip(_MARKS)], names)


def read_json(said: str, truncated: bool, field: str, names: Names) -> tuple[tuple[str, ...], Status]:
    """The candidates in a field of a JSON object, which holds a name or a list of them."""
    value = _object(said).get(field)
    if isinstance(value, str | list):
        return _set([value] if isinstance(value, str) else value, names)
    text = said.strip()
    return (), _outcome(None, text, truncated)[1] if text else ("truncated" if truncated else "empty")


def read_graph(said: str, truncated: bool, names: Names) -> tuple[tuple[str, ...], tuple[tuple[int, int], ...], Status]:
    """Nodes and edges of a JSON object; edges that point nowhere are kept, since they are wrong."""
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
    """The JSON object that the text is or begins with; an empty one where there is none."""
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
    """A name without case, marks around it, and differences between spaces, hyphens and underscores."""
    return re.sub(r"[\s_\-]+", " ", text.strip(_MARKS).casefold()).strip()
