"""Checks of an episode held against the machine's final state."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from eval_flows.episodes.checkers.care import within
from eval_flows.episodes.checkers.getters import OF_FILES, OF_FOLDERS, OF_STATE, get
from eval_flows.episodes.checkers.metrics import METRICS
from eval_flows.episodes.desk import Desk

_GETTERS = frozenset({*OF_FILES, *OF_STATE, *OF_FOLDERS})
_ASK_EVERY = 0.2
_HOLDING_SECONDS = 5.0


@dataclass(frozen=True)
class Checked:
    """A check, what it got, and whether it holds."""

    entry: Mapping[str, Any]
    got: Any
    holds: bool


def check(desk: Desk, entry: Mapping[str, Any]) -> Checked:
    """Hold one check, its placeholders filled, against the machine."""
    getter = next(name for name in entry if name in _GETTERS)
    metric = next(name for name in entry if name in METRICS)
    got, expected = get(desk, getter, entry[getter]), entry[metric]
    if metric == "same_as":
        ((other, asked),) = expected.items()
        expected = get(desk, other, asked)
    try:
        with within(_HOLDING_SECONDS):
            return Checked(entry, got, bool(METRICS[metric](got, expected)))
    except TimeoutError:  # a text that a regular expression never ends on
        return Checked(entry, got, False)


def check_all(desk: Desk, entries: Sequence[Mapping[str, Any]], seconds: float = 0.0) -> list[Checked]:
    """Hold every check; where one fails, look again until `seconds` are over, since an application may still be writing."""
    until = time.monotonic() + seconds
    while True:
        found = [check(desk, entry) for entry in entries]
        if all(one.holds for one in found) or time.monotonic() >= until:
            return found
        time.sleep(_ASK_EVERY)
