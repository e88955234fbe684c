"""An element of the screen, whatever system it comes from."""

import re
from dataclasses import dataclass

Box = tuple[int, int, int, int]
Pair = tuple[int, int]
_PAIR = re.compile(r"\(\s*(-?[0-9]{1,10})\s*,\s*(-?[0-9]{1,10})\s*\)")  # what is not shown lies at -2147483648


@dataclass(frozen=True)
class Element:
    """An element on the screen; `window` is the title of its window, `application` the name of its program.

    `role` is one of `roles.yaml`. `box` is x, y, width, height in pixels. Elements are numbered in the order of the tree.
    """

    number: int
    role: str
    name: str
    text: str
    value: float | None
    states: frozenset[str]
    box: Box
    window: str
    application: str

    @property
    def middle(self) -> Pair:
        """Return the pixel in its middle."""
        x, y, width, height = self.box
        return x + width // 2, y + height // 2


def is_on(place: Pair, size: Pair, screen: Pair) -> bool:
    """Tell whether the middle of a box is on the screen."""
    inside = all(0 <= start + length // 2 < whole for start, length, whole in zip(place, size, screen, strict=True))
    return inside and min(size) > 0


def pair(text: str) -> Pair:
    """Return the two whole numbers of a place or a size, which are written as `(3, 4)`; `ValueError` for anything else."""
    found = _PAIR.fullmatch(text)
    if found is None:
        raise ValueError(f"{text[:80]!r} is no pair of whole numbers")
    return int(found[1]), int(found[2])
