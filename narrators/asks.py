"""Find what a narrated text asks: which of its words say which step or the goal.

A text is built from whole phrasings, so each phrasing can be found again in the masked text.
"""

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from atomic_tasks.schema import PLACEHOLDER, SENTENCE_ENDS, AtomicTask, Talk
from compositions.schema import Workflow

Span = tuple[int, int]
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


@dataclass(frozen=True)
class Ask:
    """One thing that a text asks: a kept step, or the goal of its workflow.

    `text` holds its words, `values` the arguments whose values are in those words, `about` all words of the catalog about it.
    """

    text: str
    values: frozenset[str]
    about: str


@dataclass(frozen=True)
class Narrated:
    """A narrated text and the parts that it was made from.

    `values` maps the said arguments to their values, `generators` maps them to their generators, and `other_choices` holds
    the values that a fixed choice could have had instead.
    """

    text: str
    style: str
    values: Mapping[str, str]
    generators: Mapping[str, str]
    other_choices: frozenset[str]
    asks: tuple[Ask, ...]

    @property
    def around(self) -> str:
        """Return the text without the words of its asks."""
        text = self.text
        for ask in self.asks:
            text = text.replace(ask.text, " ", 1)
        return text


def narrated(row: Mapping[str, Any], tasks: Mapping[str, AtomicTask], workflows: Mapping[str, Workflow]) -> Narrated:
    """Return what the row of a shard says. Its text must have no typo, because a mistyped phrasing cannot be found."""
    masked: str = row["masked_text"]
    dropped = set(row["dropped_steps"])
    steps = [tasks[name] for name in row["atomic_tasks"]]
    kept = [step for position, step in enumerate(steps) if position not in dropped]
    told = [_Told.of(workflows[row["workflow"]].goal)] if row["says_goal"] else [_Told.of(step) for step in kept]
    said = set(PLACEHOLDER.findall(masked)) - {"application"}
    arguments = {argument["name"]: argument for argument in row["arguments"] if argument["name"] in said}
    values = {name: argument["value"] for name, argument in arguments.items()}
    places = _places(row["text"], masked, values)
    spans = _spans(masked, [one.phrasings for one in told])
    if spans is None and row["workflow"]:
        told = [_Told.jointly(kept, workflows[row["workflow"]])]
        spans = _spans(masked, [one.phrasings for one in told])
    if spans is None:
        raise RuntimeError(f"the masked text {masked!r} has other phrasings than the catalog")
    choices = [argument.one_of for step in steps for argument in step.arguments.values() if argument.one_of]
    drawn = set(values.values())
    return Narrated(
        text=row["text"],
        style=row["style"],
        values=values,
        generators={name: argument["generator"] for name, argument in arguments.items()},
        other_choices=frozenset(other for choice in choices if drawn.intersection(choice) for other in choice) - drawn,
        asks=tuple(_ask(row["text"], masked, span, places, values, one) for span, one in zip(spans, told, strict=True)),
    )


class _Told(NamedTuple):
    """What a text tells: the phrasings of which it has one, and all words of the catalog about it."""

    phrasings: tuple[str, ...]
    about: str

    @classmethod
    def of(cls, talk: Talk) -> "_Told":
        """Return a step or a goal as it is told alone."""
        named = talk.named if isinstance(talk, AtomicTask) else ()
        return cls((*talk.say, *named, *talk.rewordings.values()), about(talk))

    @classmethod
    def jointly(cls, steps: Sequence[AtomicTask], workflow: Workflow) -> "_Told":
        """Return several steps as the joint words of a workflow tell them."""
        said = tuple(text for joint in workflow.joint for text in (*joint.say, *joint.rewordings.values()))
        return cls(said, "\n".join([*said, *map(about, steps)]))


def _ask(text: str, masked: str, span: Span, places: Sequence[Span], values: Mapping[str, str], told: _Told) -> Ask:
    start, end = (_place(position, places) for position in span)
    words = text[start:end]
    named = set(PLACEHOLDER.findall(masked[slice(*span)]))
    return Ask(words, frozenset(name for name in named & set(values) if values[name] in words), told.about)


def about(talk: Talk) -> str:
    """Return all that the catalog says about a task or a goal, without arguments."""
    said = [*talk.say]
    if isinstance(talk, AtomicTask):
        said += [*talk.named, _CAMEL.sub(" ", talk.title), re.sub(r"[._]", " ", talk.capability)]
    return PLACEHOLDER.sub(" ", "\n".join(said))


def _places(text: str, masked: str, values: Mapping[str, str]) -> list[Span]:
    """Return where each literal piece and each placeholder begins: in the masked text, and in the text."""
    pieces = re.split(r"(\{\w*\})", masked)
    pattern = "".join(f"({_filled(piece, values)})" if number % 2 else f"({re.escape(piece)})" for number, piece in enumerate(pieces))
    match = re.fullmatch(pattern, text)
    if match is None:
        raise RuntimeError(f"the masked text {masked!r} does not fit the text {text!r}")
    starts = [0]
    for piece in pieces[:-1]:
        starts.append(starts[-1] + len(piece))
    return [(start, match.start(number + 1)) for number, start in enumerate(starts)]


def _filled(placeholder: str, values: Mapping[str, str]) -> str:
    """Return a pattern for what can replace a placeholder: its value, a reference or a name."""
    value = values.get(placeholder[1:-1])
    return ".+?" if value is None else f"{re.escape(value)}|.+?"


def _place(position: int, places: Sequence[Span]) -> int:
    """Return the position in the text for a position in the masked text that is not inside a placeholder."""
    in_masked, in_text = places[bisect_right(places, (position, len(places) + 10**6)) - 1]
    return in_text + position - in_masked


def _spans(masked: str, pools: Sequence[tuple[str, ...]]) -> list[Span] | None:
    """Return for each pool the span of its phrasing in the masked text, or None if one is not there.

    The spans keep the order of the pools and cover as much as possible.
    """

    def best(number: int, after: int) -> tuple[int, list[Span]] | None:
        if number == len(pools):
            return 0, []
        found = []
        for phrasing in pools[number]:
            for match in _phrasing(phrasing).finditer(masked, after):
                rest = best(number + 1, match.end())
                if rest is not None:
                    found.append((len(match[0]) + rest[0], [match.span(), *rest[1]]))
        return max(found, default=None)

    chosen = best(0, 0)
    return None if chosen is None else chosen[1]


@lru_cache(maxsize=20_000)
def _phrasing(phrasing: str) -> re.Pattern[str]:
    """Return a pattern that finds a phrasing with any names of its arguments, any case, and any end punctuation."""
    pieces = re.split(r"\{\w*\}", phrasing.rstrip(SENTENCE_ENDS))
    return re.compile(r"(?<!\w)" + r"\{\w*\}".join(map(re.escape, pieces)), re.IGNORECASE)
