"""The signs of Qt's trees that open and close an item: no tree of AT-SPI tells of them.

Qt draws the sign in the 20 pixels at the left of the item, in the first column, where the tree has room for it (Qt, QTreeView: indentation).
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from machines.trees.covering import visible_part
from machines.trees.elements import Box, Element

_TREES = frozenset({"tree", "tree table"})
_ITEM, _SIGN = "tree item", 20  # pixels
_NARROWEST = 16  # pixels
_PAGE = "document web"  # what a browser calls a tree looks as its page wants it


def with_expanders(elements: Sequence[Element], popups: Sequence[Box] = ()) -> list[Element]:
    """Return the elements, with the signs of each tree behind its last item, and numbered anew. A sign is called as its item and has its states.

    `popups` are open menus and lists: a sign under one is left out.
    """
    found: list[Element] = []
    signs: dict[int, list[Element]] = {}
    pages = {element.application for element in elements if element.role == _PAGE}
    for place, element in enumerate(elements):
        if element.role in _TREES and element.application not in pages and (places := list(_items(elements, place))):
            signs[places[-1]] = list(_signs(element, [elements[one] for one in places], popups))
    for place, element in enumerate(elements):
        found += [element, *signs.get(place, ())]
    return [replace(element, number=number) for number, element in enumerate(found, 1)]


def _items(elements: Sequence[Element], tree: int) -> Iterator[int]:
    """Yield the places of the items that follow a tree and lie in it."""
    left, top, width, height = elements[tree].extent
    for place in range(tree + 1, len(elements)):
        x, y, _, _ = elements[place].extent
        if not (left <= x < left + width and top <= y < top + height):
            return
        if elements[place].role == _ITEM:
            yield place


def _signs(tree: Element, items: Sequence[Element], popups: Sequence[Box]) -> Iterator[Element]:
    first: dict[int, Element] = {}  # of each row the item in the first column, by its height on the screen
    for item in items:
        row = item.extent[1]
        first[row] = min(first.get(row, item), item, key=lambda one: one.extent[0])
    for item in first.values():
        x, y, _, height = item.extent
        room = min(_SIGN, x - tree.extent[0])
        sign = (x - room, y, room, height)
        if "expandable" in item.states and room >= _NARROWEST and _is_free(sign, item, popups):
            states = item.states - {"selected", "focused", "selectable"}
            yield replace(item, role="toggle button", name="", text="", description=item.label or item.text, states=states, box=sign, whole=None)


def _is_free(sign: Box, item: Element, popups: Sequence[Box]) -> bool:
    """Tell whether no popup hides a sign. One that what is seen of its item lies in is the one that shows both."""
    return visible_part(sign, [popup for popup in popups if visible_part(item.box, [popup]) == item.box]) == sign
