"""The parts of a file, for comparing it before and after: ordered units, such as lines, and single facts, such as the paper size."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

_MOST_TOLD = 160  # the most characters of a value


@dataclass(frozen=True)
class Unit:
    """A line, a paragraph or a row: its name, its text, and its formats (by the name of the format)."""

    name: str
    text: str
    formats: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True)
class Units:
    """Units in order; with `may_grow` more may follow at the end."""

    listed: Sequence[Unit] = ()
    may_grow: bool = False


Parts = dict[str, Any]
"""By the name of the part: `Units`, a mapping of things to their values, or one value."""


def freed(changes: Sequence[Mapping[str, Any]], key: str) -> list[str]:
    """Return the texts that declared changes list under the key."""
    return [str(text) for change in changes for text in change.get(key, ())]


def holding(text: str, wanted: Sequence[str]) -> bool:
    """Tell whether `text` contains one of the wanted texts, ignoring case."""
    return any(one.casefold() in text.casefold() for one in wanted)


def differences(before: Parts, after: Parts) -> Iterator[str]:
    """Yield every difference, in words."""
    for name in dict.fromkeys((*before, *after)):
        old, new = before.get(name), after.get(name)
        if isinstance(old, Units) or isinstance(new, Units):
            yield from _of_units(old or Units(), new or Units())
        elif isinstance(old, Mapping) or isinstance(new, Mapping):
            yield from _of_things(old or {}, new or {})
        elif old != new:
            yield _changed(name, old, new)


def _of_units(before: Units, after: Units) -> Iterator[str]:
    matcher = SequenceMatcher(None, [one.text for one in before.listed], [one.text for one in after.listed], autojunk=False)
    for kind, start, end, new_start, new_end in matcher.get_opcodes():
        old, new = before.listed[start:end], after.listed[new_start:new_end]
        if kind == "equal":
            for one, other in zip(old, new, strict=True):
                yield from _of_formats(one, other)
            continue
        if kind == "insert" and start == len(before.listed) and after.may_grow:
            continue
        for one, other in zip(old, new, strict=False):
            yield _changed(one.name, one.text, other.text)
        for one in old[len(new) :]:
            yield f"{one.name} deleted: {_told(one.text)}"
        for one in new[len(old) :]:
            yield f"{one.name} added: {_told(one.text)}"


def _of_formats(before: Unit, after: Unit) -> Iterator[str]:
    old, new = dict(before.formats), dict(after.formats)
    for name in dict.fromkeys((*old, *new)):
        if old.get(name) != new.get(name):
            yield _changed(f"{before.name} ({_told(before.text)}): {name}", old.get(name), new.get(name))


def _of_things(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    for name in dict.fromkeys((*before, *after)):
        if name not in after:
            yield f"{name} deleted: {_told(before[name])}"
        elif name not in before:
            yield f"{name} added: {_told(after[name])}"
        elif before[name] != after[name]:
            yield _changed(name, before[name], after[name])


def _changed(name: str, old: Any, new: Any) -> str:
    return f"{name} changed from {_told(old)} to {_told(new)}"


def _told(value: Any) -> str:
    said = "nothing" if value is None or value == "" else f'"{value}"' if isinstance(value, str) else str(value)
    return said if len(said) <= _MOST_TOLD else f"{said[: _MOST_TOLD - 1]}…"
