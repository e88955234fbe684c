"""Trees of AT-SPI, as our guest server and OSWorld's write them: the root holds applications, and these hold windows.

The role of a node is its tag, its states and its box are attributes in namespaces, and its text is the content.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from xml.etree.ElementTree import Element as Node

from machines.trees.beside import with_labels
from machines.trees.covering import visible_part
from machines.trees.elements import Box, Element, Pair, pair, shared
from machines.trees.expanders import with_expanders
from machines.trees.header_filters import with_header_filters
from machines.trees.libreoffice_controls import with_controls
from machines.trees.libreoffice_edges import with_edges
from machines.trees.roles import CUSTOM, is_clipping, of_at_spi, windows
from machines.trees.spreadsheets import with_fields, with_headers

_POP_UP = frozenset({"menu", "popup menu", "combo box"})  # what they hold comes up outside of what they stand in
_IN_POPUPS = frozenset({"menu", "popup menu", "menu item", "check menu item", "radio menu item", "tearoff menu item", "separator", "list item"})
_ALSO_PARTS = frozenset({"frame", "file chooser", "color chooser", "font chooser"})  # of windows: Qt's groups of elements, what GTK's dialogs are of
_SMALLEST_POPUP, _BORDER = 16, 4  # pixels of its sides, and of its border
_SMALLEST: Box = (0, 0, 0, 0)
_LOWEST = 10  # pixels of what is cut off above or below by what it is scrolled in
_ABOUT = 1  # pixels between the sizes of a node and of what fills it: the toolkit may draw a strip a pixel higher than LibreOffice asked for
_NOT_MUCH_LARGER = 7  # times: what is named and not much larger than an element without a name tells what it is


def elements_of(root: Node, screen: Pair) -> list[Element]:
    """Return the elements that can be seen on the screen; `ValueError` for a place, size or value that cannot be read."""
    found: list[Element] = []
    holders: list[str] = []
    around = _Surroundings((0, 0, *screen), (0, 0, *screen), popups=_popups(root))
    for application in root:
        for child in application:
            _collect(child, application.get("name", ""), found, holders, around)
    popups = around.popups
    named = with_fields(with_labels(found, holders))
    return with_expanders(with_header_filters(with_edges(with_controls(with_headers(named, popups)))), popups)


def _popups(root: Node) -> list[Box]:
    """Return the places of open menus and lists, as our guest server writes them; other servers tell nothing of them."""
    numbers = [int(number) for number in re.findall(r"-?[0-9]{1,10}", root.get("popups", ""))]
    return [(x, y, width, height) for x, y, width, height in zip(*[iter(numbers)] * 4, strict=False) if min(width, height) >= _SMALLEST_POPUP]


@dataclass(frozen=True)
class _Surroundings:
    """What surrounds a node: the part of the screen in which it can be seen, its window, what is named around it, and how far from its place it is.

    LibreOffice reports what it draws itself at a wrong place, its root pane and everything in it: too high by the height of the menu bar, and too far
    to the right after some fields had the focus. What the toolkit draws is right. Either is in a node of the other of the same size.
    """

    screen: Box
    seen: Box | None
    window: str = ""
    name: str = ""
    named: Box = (0, 0, 0, 0)
    place: Pair = (0, 0)
    size: Pair = (0, 0)
    shift: Pair = (0, 0)
    popups: Sequence[Box] = ()  # none in what is in one of them

    def standing(self, role: str, place: Pair, size: Pair) -> "_Surroundings":
        """Return the same for a node inside this one, with its place as reported."""
        fills = any(size) and all(abs(own - its) <= _ABOUT for own, its in zip(size, self.size, strict=True))
        if fills and role == "root pane":
            return replace(self, place=place, size=size, shift=(self.place[0] - place[0], self.place[1] - place[1]))
        is_true = fills and place == self.shifted(self.place)
        return replace(self, place=place, size=size, shift=(0, 0) if is_true else self.shift)

    def shifted(self, place: Pair) -> Pair:
        """Return where a node with this reported place really is."""
        return place[0] + self.shift[0], place[1] + self.shift[1]

    def with_node(self, role: str, name: str, box: Box) -> "_Surroundings":
        """Return the surroundings of what is in a node."""
        window = self.window_of(role, name)
        named = _SMALLEST if role == "combo box" else box  # the button beside its field is much smaller than both
        around = (name, named) if name and role not in windows() else (self.name, self.named)
        seen = self.screen if role in _POP_UP else self.seen
        if is_clipping(role) and min(box[2:]) > 0 and seen is not None:
            seen = shared(seen, box)
        popups = () if any(_is_same(box, popup) for popup in self.popups) else self.popups
        return replace(self, seen=seen, window=window, name=around[0], named=around[1], popups=popups)

    def uncovered(self, role: str, box: Box) -> Box | None:
        """Return the part of a node that no open menu or list hides; the items of a menu are in it wherever the tree has them."""
        if role in _IN_POPUPS or role in windows() or any(_is_same(box, popup) for popup in self.popups):
            return box
        return visible_part(box, self.popups)

    def window_of(self, role: str, name: str) -> str:
        """Return the title of the window that a node is, or is in. Some toolkits call a part of a window so too."""
        if role not in windows() or (role in _ALSO_PARTS and self.window):
            return self.window
        return name

    def describes(self, box: Box) -> str:
        """Return the name of what a nameless element stands in, if that is not much more than the element."""
        is_close = self.named[2] * self.named[3] <= _NOT_MUCH_LARGER * box[2] * box[3]
        return self.name if is_close else ""


def _is_same(one: Box, other: Box) -> bool:
    return all(abs(own - its) <= _BORDER for own, its in zip(one, other, strict=True))


def _collect(node: Node, application: str, found: list[Element], holders: list[str], around: _Surroundings) -> None:
    """Add the elements of a node to `found`, and for each the name of what it stands in to `holders`."""
    name, role = node.get("name", "").strip(), of_at_spi().get(node.tag, CUSTOM)
    place, size, value, states = _attributes(node)
    if role == "menu bar" and not any(size):
        return  # LibreOffice's own; the toolkit's shows in the same place
    around = around.standing(role, place, size)
    box = (*around.shifted(place), *size)
    seen = shared(box, around.seen) if around.seen is not None else None
    if seen is not None and seen[3] < min(_LOWEST, box[3] / 2):
        seen = None  # a strip above or below the view, in which nothing can be read
    part = around.uncovered(role, seen) if seen is not None else None
    if part is not None:
        text, described = node.text or "", node.get("description", "").strip()
        if "editable" not in states:
            is_counted = node.get("in-view") or node.get("caret")  # from the first character
            text = text.rstrip("\n") if is_counted else text.strip("\n")
        found.append(
            Element(
                len(found) + 1, role, name, text, value, states, part, around.window_of(role, name), application, described,
                node.get("selected-text", ""), seen if part != seen else None, *_view(node),
            )
        )  # fmt: skip
        holders.append(around.describes(box))
    inside = around.with_node(role, name, box)
    if inside.seen is not None and _shows_a_part(node, role, size):
        inside = replace(inside, seen=shared(inside.seen, box))
    if role == "table" and _is_told_from_corner(node, box):
        inside = replace(inside, shift=box[:2])
    for child in node:
        _collect(child, application, found, holders, inside)


def _view(node: Node) -> tuple[Pair | None, int | None]:
    """Return which characters of a text are in view, and where its caret is, as our guest server writes them of some texts."""
    view, caret = node.get("in-view"), node.get("caret")
    return (pair(view) if view else None), (int(caret) if caret else None)


def _is_told_from_corner(table: Node, box: Box) -> bool:
    """Tell whether the places in a table are counted from its corner, as those in previews of LibreOffice are: they begin at 0 where it does not."""
    places = [place for place, size, _, _ in map(_attributes, table) if any(size)]
    return bool(places) and min(places) == (0, 0) and min(box[:2]) > 0


def _shows_a_part(node: Node, role: str, size: Pair) -> bool:
    """Tell whether a node shows a part of the only node in it, as a scroll area of Qt does: that one is longer or wider, and not smaller."""
    if role != "filler" or len(node) != 1 or node[0].tag != node.tag:
        return False
    _, inner, _, _ = _attributes(node[0])
    return inner != size and all(its >= own > 0 for its, own in zip(inner, size, strict=True))


def _attributes(node: Node) -> tuple[Pair, Pair, float | None, frozenset[str]]:
    """Return the place, the size, the value and the states of a node."""
    place, size, value, states = (0, 0), (0, 0), None, set()
    for key, text in node.attrib.items():
        space, _, short = key.rpartition("}")
        if short == "screencoord":
            place = pair(text)
        elif short == "size":
            size = pair(text)
        elif short == "value" and "value" in space:
            value = float(text)
        elif "state" in space and text == "true":
            states.add(short.replace("_", "-"))  # OSWorld writes underscores
    return place, size, value, frozenset(states)
