"""Observations of one moment: picture, windows and tree that belong together.

A tree takes long to read. If the screen or the windows were others when it had been read, everything is read again, within a limit.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

from PIL import Image, ImageChops

from machines.guest.platform import Platform, Window

_TRIES, _SECONDS = 4, 2.0  # of reading a tree again
_CARET = (4, 60)  # pixels: what blinks in a text field is no wider and no higher
_POINTER = 32  # pixels on each side of the pointer
Box = tuple[int, int, int, int]


@dataclass(frozen=True)
class Moment:
    """What was seen at one moment; `is_still` is False if it changed while the tree was read, until the limit.

    `has_changed` tells whether anything but the pointer looks different from the last moment; None for the first one.
    """

    picture: Image.Image
    windows: list[Window]
    tree: str
    is_still: bool
    has_changed: bool | None


class Moments:
    """Takes one moment after another."""

    def __init__(self, platform: Platform, tree: Callable[[], str]) -> None:
        self._platform = platform
        self._tree = tree
        self._last: tuple[Image.Image, tuple[int, int]] | None = None

    def now(self) -> Moment:
        """Return the present moment."""
        begun, number = time.monotonic(), 0
        while True:
            number += 1
            before, windows = self._picture(), self._platform.windows()
            tree = self._tree()
            after = self._picture()
            is_still = windows == self._platform.windows() and not _differs(before, after)
            if is_still or number == _TRIES or time.monotonic() - begun > _SECONDS:
                break
        has_changed = None if self._last is None else _differs(self._last, after, caret=False)
        self._last = after
        return Moment(after[0], windows, tree, is_still, has_changed)

    def _picture(self) -> tuple[Image.Image, tuple[int, int]]:
        return self._platform.picture(), self._platform.input.position()


def _differs(one: tuple[Image.Image, tuple[int, int]], other: tuple[Image.Image, tuple[int, int]], caret: bool = True) -> bool:
    """Tell whether two pictures differ elsewhere than around the pointer and, if `caret`, by more than a caret that blinks."""
    if one[0].size != other[0].size:
        return True
    difference = ImageChops.difference(one[0], other[0])
    for x, y in (one[1], other[1]):
        difference.paste((0, 0, 0), (x - _POINTER, y - _POINTER, x + _POINTER, y + _POINTER))
    box = difference.getbbox()
    if box is None:
        return False
    return not (caret and box[2] - box[0] <= _CARET[0] and box[3] - box[1] <= _CARET[1])
