"""An element of the screen, whatever system it comes from."""

import re
from dataclasses import dataclass

Box = tuple[int, int, int, int]
Pair = tuple[int, int]
_PAIR = re.compile(r"\(\s*(-?[0-9]{1,10})\s*,\s*(-?[0-9]{1,10})\s*\)")  # what is not shown lies at -2147483648
_SMALLEST = 2  # pixels of the side of an element that can be seen


@dataclass(frozen=True)
class Element:
    """An element on the screen; `window` is the title of its window, `application` the name of its program.

    `role` is one of `roles.yaml`. `box` is x, y, width, height of the part that can be seen, in pixels. `description` tells of an element without
    a name what it is: its tooltip, its label, or what it stands in. `selection` is the part of its text that is selected.
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
    description: str = ""
    selection: str = ""
    whole: Box | None = None
    in_view: Pair | None = None
    caret: int | None = None

    @property
    def extent(self) -> Box:
        """Return its box with what is covered by menus and other windows."""
        return self.whole or self.box

    @property
    def middle(self) -> Pair:
        """Return the pixel in its middle, where a click goes. That of a spin button is in its field, since its other half may be its buttons."""
        x, y, width, height = self.box
        if self.role == "spin button":
            left, _, wide, _ = self.extent
            return min(max(left + wide // 4, x + _SMALLEST), x + width - 1), y + height // 2
        return x + width // 2, y + height // 2

    @property
    def label(self) -> str:
        """Return what a person calls it: its name, or else its description."""
        return self.name or self.description


def shared(one: Box, other: Box) -> Box | None:
    """Return the part of a box that lies in another one; None if too little is left to be seen."""
    left, top = max(one[0], other[0]), max(one[1], other[1])
    width, height = min(one[0] + one[2], other[0] + other[2]) - left, min(one[1] + one[3], other[1] + other[3]) - top
    return (left, top, width, height) if width >= _SMALLEST and height >= _SMALLEST else None


def pair(text: str) -> Pair:
    """Return the two whole numbers of a place or a size, which are written as `(3, 4)`; `ValueError` for anything else."""
    found = _PAIR.fullmatch(text)
    if found is None:
        raise ValueError(f"{text[:80]!r} is no pair of whole numbers")
    return int(found[1]), int(found[2])
