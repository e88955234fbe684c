"""Programs that draw larger than asked, and tell places in units of their own.

Qt draws larger on a screen with more than 96 dots an inch where a program asks for it, as FreeCAD does. It tells its places before they are
enlarged. The window manager knows the true size of a window, so that the factor can be found from any window that both tell of.
"""

from collections.abc import Sequence

from machines.guest.on_linux.node import Box, Node

TitledBox = tuple[str, Box]  # a window's title, and the place of its content
_SLIGHTEST, _LARGEST = 1.01, 4.0  # factors between which a program is taken to be scaled
_AGREE = 0.01  # most difference of the factors by width and by height
_NEAR = 3  # pixels between the true corner of a window and the told one, enlarged; a window with a shadow of its own is farther off
_NARROWEST = 100  # units of a side from which a factor can be found


def factors(applications: Sequence[Node], windows: Sequence[TitledBox]) -> dict[str, float]:
    """Return the pixels in a unit for each program (its name on the bus) that does not tell its places in pixels."""
    found = {}
    for application in applications:
        for node in application.children:
            matching = (box for title, box in windows if node.name and title == node.name)
            known = next((factor for box in matching if (factor := _factor(node.box, box)) is not None), None)
            if known is not None:
                found[application.reference[0]] = known
    return found


def _factor(told: Box, true: Box) -> float | None:
    if min(told[2:]) < _NARROWEST:
        return None
    by_width, by_height = true[2] / told[2], true[3] / told[3]
    factor = by_width if told[2] >= told[3] else by_height  # the longer side tells it more exactly
    is_alike = abs(by_width - by_height) <= _AGREE and all(abs(told[axis] * factor - true[axis]) <= _NEAR for axis in (0, 1))
    return factor if is_alike and _SLIGHTEST <= factor <= _LARGEST else None


def in_pixels(box: Box, factor: float) -> Box:
    """Return a place in pixels: its edges are rounded, so that neighbours stay neighbours."""
    x, y, width, height = box
    left, top = round(x * factor), round(y * factor)
    return left, top, round((x + width) * factor) - left, round((y + height) * factor) - top
