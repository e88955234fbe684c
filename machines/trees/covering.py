"""What can be seen of elements that something lies in front of: an open menu or list, or a window.

A click on an element goes to the middle of its box, so the box of one that is covered in part is the largest part that can be seen.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from machines.client import Window
from machines.trees.elements import Box, Element
from machines.trees.roles import windows
from machines.trees.titles import with_titles_of_tree

_TITLE_BAR = 20  # pixels above the place of a window, which is that of its content
_MOST_PARTS = 24  # that are kept of an element: among many small windows there are thousands
_WIDE, _HIGH = 16, 10  # pixels of a part that can be seen and clicked, where it is less than half of the element


def visible_part(box: Box, covers: Iterable[Box]) -> Box | None:
    """Return the largest part of a box that none of the covers hides; None if too little can be seen to know and to click it."""
    parts = [box]
    for cover in covers:
        parts = _largest({piece for part in parts for piece in _beside(part, cover)})
    usable = [one for one in parts if 2 * _area(one) >= _area(box) or (one[2] >= _WIDE and one[3] >= _HIGH)]
    return max(usable, key=lambda one: (_area(one), -one[0], -one[1]), default=None)


def among_windows(elements: Iterable[Element], shown: Sequence[Window]) -> list[Element]:
    """Return the elements; those that windows in front of their own cover in part, with the box of what can be seen. `shown` is lowest first.

    What is covered whole stays as it is, and so do windows.
    """
    elements = list(elements)
    called = with_titles_of_tree(shown, elements)
    above = {title: covers_of(title, called) for title in {window.title for window in called}}
    return [_cut(one, above.get(one.window, ())) for one in elements]


def covers_of(title: str, shown: Sequence[Window]) -> Sequence[Box]:
    """Return the places of the windows, with their title bars, that lie in front of the window with a title."""
    own = [place for place, window in enumerate(shown) if window.title == title]
    above = shown[own[-1] + 1 :] if own else ()
    return [(one.x, one.y - _TITLE_BAR, one.width, one.height + _TITLE_BAR) for one in above]


def is_behind(element: Element, covers: Iterable[Box]) -> bool:
    """Tell whether one of the covers hides the middle of an element."""
    x, y = element.middle
    return any(left <= x < left + width and top <= y < top + height for left, top, width, height in covers)


def _cut(element: Element, covers: Sequence[Box]) -> Element:
    if element.role in windows():
        return element
    part = visible_part(element.box, covers)
    return element if part in (None, element.box) else replace(element, box=part, whole=element.extent)


def _beside(part: Box, cover: Box) -> list[Box]:
    """Return the largest parts of a box at each side of what covers it; the box itself if nothing of it is covered."""
    (left, top, width, height), (x, y, wide, high) = part, cover
    if x >= left + width or left >= x + wide or y >= top + height or top >= y + high:
        return [part]
    sides = (
        (left, top, x - left, height),
        (x + wide, top, left + width - x - wide, height),
        (left, top, width, y - top),
        (left, y + high, width, top + height - y - high),
    )
    return [side for side in sides if min(side[2:]) > 0]


def _largest(pieces: Iterable[Box]) -> list[Box]:
    """Return the largest of the pieces that lie in no other one."""
    kept: list[Box] = []
    for one in sorted(pieces, key=lambda one: (_area(one), one), reverse=True):
        if not any(_lies_in(one, larger) for larger in kept):
            kept.append(one)
        if len(kept) == _MOST_PARTS:
            break
    return kept


def _lies_in(one: Box, other: Box) -> bool:
    return other[0] <= one[0] and other[1] <= one[1] and one[0] + one[2] <= other[0] + other[2] and one[1] + one[3] <= other[1] + other[3]


def _area(box: Box) -> int:
    return box[2] * box[3]
