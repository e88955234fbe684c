"""Observations of one moment: picture, windows and tree that belong together, and what else is asked for.

A tree takes long to read. If the screen or the windows were others when it had been read, everything is read again, within a limit.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from machines.guest.frame import Frame
from machines.guest.platform import Platform, Window

_TRIES, _SECONDS = 4, 2.0  # of reading a tree again
_CARET = (4, 60)  # pixels: what blinks in a text field is no wider and no higher
_POINTER = 32  # pixels on each side of the pointer
_Seen = tuple[Frame, tuple[int, int]]  # the screen, and the place of the pointer


@dataclass(frozen=True)
class Moment:
    """What was seen at one moment; `is_still` is False if it changed while the tree was read, until the limit. The tree may be older then.

    `has_changed` tells whether anything but the pointer looks different from the last moment, or there are other windows: a dialog may be
    there before it is drawn. It is None for the first moment. `more` is what else was asked for.
    """

    screen: Frame
    windows: list[Window]
    tree: str
    is_still: bool
    has_changed: bool | None
    more: dict[str, Any] = field(default_factory=dict)


class Moments:
    """Takes one moment after another."""

    def __init__(self, platform: Platform, tree: Callable[[Sequence[Window]], str]) -> None:
        self._platform = platform
        self._tree = tree
        self._last: tuple[_Seen, list[Window]] | None = None

    def now(self, more: Callable[[], dict[str, Any]] = dict) -> Moment:
        """Return the present moment, with what `more` returns after the tree was read: it is asked again with the tree if the screen changed."""
        begun, number = time.monotonic(), 0
        while True:
            number += 1
            before, windows_before = self._seen(), self._platform.windows()
            tree, found = self._tree(windows_before), more()
            windows, after = self._platform.windows(), self._seen()
            is_still = windows == windows_before and not _differs(before, after)
            if is_still or number == _TRIES or time.monotonic() - begun > _SECONDS:
                break
        has_changed = None if self._last is None else windows != self._last[1] or _differs(self._last[0], after, caret=False)
        self._last = after, windows
        return Moment(after[0], windows, tree, is_still, has_changed, found)

    def _seen(self) -> _Seen:
        return self._platform.frame(), self._platform.input.position()


def _differs(one: _Seen, other: _Seen, caret: bool = True) -> bool:
    """Tell whether two screens differ elsewhere than around the pointer and, if `caret`, by more than a caret that blinks."""
    if one[0].size != other[0].size:
        return True
    pointers = [(x - _POINTER, y - _POINTER, x + _POINTER, y + _POINTER) for x, y in (one[1], other[1])]
    box = one[0].changed(other[0], pointers)
    if box is None:
        return False
    return not (caret and box[2] - box[0] <= _CARET[0] and box[3] - box[1] <= _CARET[1])
