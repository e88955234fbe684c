"""Checks of an episode against the machine's final state.

The agent must not be able to change what a check compares with. Expected values are safe: the episode holds them. The source of a `same_as`
is on the machine, where an agent could plant a fitting one; so it is read before the agent begins, unless a step of the episode makes it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from eval_flows.episodes.checkers.care import within
from eval_flows.episodes.checkers.checker import Entry, known
from eval_flows.episodes.checkers.getters import get, path_of
from machines.errors import LeftUnreadable

if TYPE_CHECKING:
    from eval_flows.episodes.environment.desktop import Desktop

Found = TypeVar("Found")
Sources = Mapping[str, Any]
"""The content of the sources of `same_as` before the agent began, by source."""
_CLIPBOARD = "clipboard"
_ASK_EVERY = 0.2
_HOLDING_SECONDS = 5.0


@dataclass(frozen=True)
class Checked:
    """A check, the value that it got, and the share from 0 to 1 that its metric gave; a metric that is not graded gives 0 or 1."""

    entry: Entry
    got: Any
    share: float

    @property
    def holds(self) -> bool:
        """Tell whether the share reaches the threshold of the check."""
        return self.share >= float(self.entry.get("threshold", 1))


def sources_of(desktop: Desktop, checks: Iterable[Sequence[Entry]]) -> Sources:
    """Return the sources of `same_as` before the agent begins; `checks` holds the checks of each step of the episode, in order.

    A source is left out if it does not exist yet, or if an earlier step has a check about it: then the source is what that step leaves.
    """
    found, changing = {}, set[str]()
    for entries in checks:
        for entry in entries:
            if "same_as" in entry:
                ((getter, asked),) = entry["same_as"].items()
                place = _place(desktop, getter, asked)
                if place is not None and place not in changing:
                    found[_key(entry)] = get(desktop, getter, asked)
        changing |= {place for entry in entries if (place := _place(desktop, *_got_by(entry))) is not None}
    return {key: value for key, value in found.items() if value is not None}


def _got_by(entry: Entry) -> tuple[str, Any]:
    getter, _ = known().split(entry)
    return getter, entry[getter]


def _place(desktop: Desktop, getter: str, asked: Any) -> str | None:
    """Return where a getter looks: at the clipboard, at a path, or (None) at the screen."""
    if getter == _CLIPBOARD:
        return _CLIPBOARD
    return desktop.place(path_of(asked)) if isinstance(asked, str) or "path" in (asked or ()) else None


def _key(entry: Entry) -> str:
    return json.dumps(entry["same_as"], sort_keys=True)


def check(desktop: Desktop, entry: Entry, sources: Sources) -> Checked:
    """Apply one check, with its placeholders filled, to the machine. It fails, with words, if what is there cannot be read at all."""
    try:
        return _checked(desktop, entry, sources)
    except LeftUnreadable as error:
        return Checked(entry, str(error), 0.0)


def _checked(desktop: Desktop, entry: Entry, sources: Sources) -> Checked:
    getter, metric = known().split(entry)
    got, accepted = get(desktop, getter, entry[getter]), [entry[metric]]
    if metric == "same_as":
        ((other, asked),) = entry[metric].items()
        accepted = [sources[_key(entry)] if _key(entry) in sources else get(desktop, other, asked)]
        if other == _CLIPBOARD and isinstance(accepted[0], str) and accepted[0].strip():
            accepted.append(accepted[0].removesuffix("\n").removesuffix("\r"))  # a line may be copied with its line break, and pasted without
    try:
        share = within(_HOLDING_SECONDS, lambda: max(float(known().checkers.metrics[metric](got, one)) for one in accepted))
    except TimeoutError:  # a regular expression that never ends on this text
        share = 0.0
    return Checked(entry, got, share)


def check_all(desktop: Desktop, entries: Sequence[Entry], sources: Sources, seconds: float = 0.0) -> list[Checked]:
    """Apply every check; if one fails, again for `seconds`."""
    return look_until(lambda: [check(desktop, entry, sources) for entry in entries], lambda found: all(one.holds for one in found), seconds)


def look_until(look: Callable[[], Found], is_right: Callable[[Found], bool], seconds: float) -> Found:
    """Return what a look finds; if it is not right, what is found within `seconds` after it, since an application may still be writing.

    On a busy host a look takes long, so there is at least one more, unless `seconds` is 0.
    """
    found = look()
    until, is_over = time.monotonic() + seconds, seconds <= 0
    while not is_over and not is_right(found):
        time.sleep(_ASK_EVERY)
        is_over = time.monotonic() >= until
        found = look()
    return found
