"""Trees of AT-SPI, as our guest server and OSWorld's write them: the root holds applications, and these hold windows.

The role of a node is its tag, its states and its box are attributes in namespaces, and its text is the content.
"""

from dataclasses import dataclass
from xml.etree.ElementTree import Element as Node

from machines.trees.elements import Element, Pair, is_on, pair
from machines.trees.roles import CUSTOM, of_at_spi, windows


def elements_of(root: Node, screen: Pair) -> list[Element]:
    """Return the elements that lie on the screen; `ValueError` for a place, size or value that cannot be read."""
    found: list[Element] = []
    for application in root:
        for child in application:
            _collect(child, "", application.get("name", ""), screen, found, _Standing())
    return found


@dataclass(frozen=True)
class _Standing:
    """The place that the surroundings of a node report, and how far below it the node really is.

    LibreOffice reports what it draws itself too high, by the height of the menu bar: its root pane and everything in it. What the toolkit draws
    is right; it is in a node of LibreOffice of exactly the same size.
    """

    place: Pair = (0, 0)
    size: Pair = (0, 0)
    below: int = 0

    def within(self, role: str, place: Pair, size: Pair) -> "_Standing":
        """Return the same for a node inside this one."""
        fills = size == self.size and place[0] == self.place[0]
        if fills and role == "root pane" and place[1] < self.place[1]:
            return _Standing(place, size, self.place[1] - place[1])
        is_true = fills and place[1] == self.place[1] + self.below
        return _Standing(place, size, 0 if is_true else self.below)


def _collect(node: Node, window: str, application: str, screen: Pair, found: list[Element], around: _Standing) -> None:
    name, role = node.get("name", "").strip(), of_at_spi().get(node.tag, CUSTOM)
    if role in windows():
        window = name
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
    if role == "menu bar" and not any(size):
        return  # LibreOffice's own; the toolkit's shows in the same place
    standing = around.within(role, place, size)
    place = place[0], place[1] + standing.below
    if is_on(place, size, screen):
        text = (node.text or "").strip("\n")
        found.append(Element(len(found) + 1, role, name, text, value, frozenset(states), (*place, *size), window, application))
    for child in node:
        _collect(child, window, application, screen, found, standing)
