"""Checks of an episode held against the machine's final state.

What a check compares with has to be out of the agent's reach. Expected values are: they stand in the episode. The source of a `same_as`
stands on the machine, where an agent could plant what fits; so it is read before the agent begins, unless a step of the episode makes it.
"""

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from eval_flows.episodes.checkers.care import within
from eval_flows.episodes.checkers.getters import OF_FILES, OF_FOLDERS, OF_STATE, get, path_of
from eval_flows.episodes.checkers.metrics import METRICS
from eval_flows.episodes.desk import Desk

Entry = Mapping[str, Any]
Sources = Mapping[str, Any]
"""What sources of `same_as` held before the agent began, by the source."""
_GETTERS = frozenset({*OF_FILES, *OF_STATE, *OF_FOLDERS})
_CLIPBOARD = "clipboard"
_ASK_EVERY = 0.2
_HOLDING_SECONDS = 5.0


@dataclass(frozen=True)
class Checked:
    """A check, what it got, and whether it holds."""

    entry: Entry
    got: Any
    holds: bool


def sources_of(desk: Desk, checks: Iterable[Sequence[Entry]]) -> Sources:
    """The sources of `same_as` as they are now, before the agent begins; `checks` holds those of each step of the episode, in order.

    Left out is what is not there yet, and what an earlier step has a check about: the source is what that step leaves.
    """
    found, changing = {}, set[str]()
    for entries in checks:
        for entry in entries:
            if "same_as" in entry:
                ((getter, asked),) = entry["same_as"].items()
                place = _place(getter, asked)
                if place is not None and place not in changing:
                    found[_key(entry)] = get(desk, getter, asked)
        changing |= {place for entry in entries if (place := _place(*_got_by(entry))) is not None}
    return {key: value for key, value in found.items() if value is not None}


def _got_by(entry: Entry) -> tuple[str, Any]:
    getter = next(name for name in entry if name in _GETTERS)
    return getter, entry[getter]


def _place(getter: str, asked: Any) -> str | None:
    """Where a getter looks: at the clipboard, at a path, or (None) at what is on the screen."""
    if getter in OF_STATE:
        return _CLIPBOARD if getter == _CLIPBOARD else None
    return path_of(asked)


def _key(entry: Entry) -> str:
    return json.dumps(entry["same_as"], sort_keys=True)


def check(desk: Desk, entry: Entry, sources: Sources) -> Checked:
    """Hold one check, its placeholders filled, against the machine."""
    metric = next(name for name in entry if name in METRICS)
    got, expected = get(desk, *_got_by(entry)), entry[metric]
    if metric == "same_as":
        ((other, asked),) = expected.items()
        expected = sources[_key(entry)] if _key(entry) in sources else get(desk, other, asked)
    try:
        with within(_HOLDING_SECONDS):
            return Checked(entry, got, bool(METRICS[metric](got, expected)))
    except TimeoutError:  # a text that a regular expression never ends on
        return Checked(entry, got, False)


def check_all(desk: Desk, entries: Sequence[Entry], sources: Sources, seconds: float = 0.0) -> list[Checked]:
    """Hold every check; where one fails, look again until `seconds` are over, since an application may still be writing."""
    until = time.monotonic() + seconds
    while True:
        found = [check(desk, entry, sources) for entry in entries]
        if all(one.holds for one in found) or time.monotonic() >= until:
            return found
        time.sleep(_ASK_EVERY)
