"""What pages need of a kind of work: its items in the order of a judge, the page of an item, and keeping what the judge said."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from atomic_tasks.problems import BadInput
from eval_flows.episodes.judging.files import KeptFile

Said = Mapping[str, str]
"""The fields of the form of an item, by name."""
_LONGEST_NOTE = 4000
_MOST_DIGITS = 4  # of the number of a step, a picture or a file
_MOST_SECONDS = 24 * 3600.0
T = TypeVar("T")


@dataclass(frozen=True)
class Listed:
    """An item in the list of a judge: its name in addresses, and what it is called."""

    item: str
    title: str


class Work(Protocol):
    """A kind of work. An item that does not exist is a `BadInput`, and so is a form that says something impossible."""

    title: str
    template: str
    explained: str

    def items(self, who: str) -> Sequence[Listed]:
        """Return the items of a judge, in the order in which they come."""
        ...

    def done(self, who: str) -> set[str]:
        """Return the items that the judge is done with."""
        ...

    def page(self, item: str, who: str) -> Mapping[str, Any]:
        """Return the values for the template of an item."""
        ...

    def said(self, item: str, who: str) -> Said:
        """Return the form as the judge filled it in before; empty if it did not."""
        ...

    def keep(self, item: str, who: str, said: Said) -> None:
        """Keep what the judge said, for good."""
        ...

    def picture(self, item: str, who: str, place: str) -> Path | None:
        """Return the file of a picture of an item by its place there; None if there is none."""
        ...

    def file(self, item: str, who: str, place: str) -> KeptFile | None:
        """Return a file that the item's result left by its place there; None if there is none."""
        ...


class WithoutFiles:
    """A kind of work that shows no files of results."""

    def file(self, item: str, who: str, place: str) -> KeptFile | None:
        """Return no file: there is none."""
        return None


def chosen(said: Said, name: str, among: Sequence[str], asked: str) -> str:
    """Return a field with a choice; BadInput asks for it if it is missing."""
    value = said.get(name, "")
    if value not in among:
        raise BadInput(f"{asked}: choose one of {', '.join(among)}")
    return value


def note_of(said: Said) -> str:
    """Return the note; BadInput if it is too long."""
    note = said.get("note", "").strip()
    if len(note) > _LONGEST_NOTE:
        raise BadInput(f"the note has {len(note):,} characters: write at most {_LONGEST_NOTE:,}")
    return note


def number_of(place: str) -> int | None:
    """Return the number that a part of a place is; None if it is none, or longer than any: Python refuses to read thousands of digits."""
    return int(place) if place.isdecimal() and len(place) <= _MOST_DIGITS else None


def nth(things: Sequence[T], place: str) -> T | None:
    """Return the thing with a number, from 1; None if there is none."""
    number = number_of(place)
    return things[number - 1] if number is not None and 1 <= number <= len(things) else None


def seconds_of(said: Said) -> float:
    """Return how long the page was looked at; 0 if it did not say it, as without scripts."""
    try:
        seconds = float(said.get("seconds") or 0)
    except ValueError:
        return 0.0
    return 0.0 if math.isnan(seconds) else min(max(seconds, 0.0), _MOST_SECONDS)
