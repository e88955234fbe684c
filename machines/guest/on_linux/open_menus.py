"""Open menus that no tree lists: context menus of Qt and of GTK 2.

Qt leaves popups out of the children of an application, but numbers all its objects one after another, so that the open menu is found by asking
for the numbers. GTK 2 tells of such a menu to nobody: only that it is there, and where, can be told.
"""

from collections.abc import Callable, Iterator, Sequence

from machines.guest.on_linux.dbus_calls import Calls, Reference
from machines.guest.on_linux.node import Box, Node, states_of

_ACCESSIBLE = "org.a11y.atspi.Accessible"
_QT_PATH, _QT_FIRST = "/org/a11y/atspi/accessible/", 2**31
_BEYOND, _AT_ONCE = 400, 200  # numbers above the highest known one that are asked for, and numbers that are asked for together
_SMALLEST = 16  # pixels of a menu's sides
_UNREADABLE = "an open menu whose items cannot be read: look at the picture, or use the arrow keys"


def add_open_menus(call: Calls, applications: Sequence[Node], popups: Sequence[Box], read: Callable[[Sequence[Reference]], list[Node]]) -> list[Node]:
    """Return the applications, with the open menus that they do not list; `read` returns visible objects with all that is in them."""
    left = [box for box in popups if min(box[2:]) >= _SMALLEST and not any(_explains(node, box) for node in _all(applications))]
    if not left:
        return list(applications)
    menus = [node for application in applications for node in read(_shown_by_qt(call, application))]
    left = [box for box in left if not any(_overlap(node.box, box) for node in menus)]
    nowhere: Reference = ("", "")
    unread = [Node(nowhere, "popup menu", "", frozenset({"showing", "visible"}), box, description=_UNREADABLE) for box in left]
    holder = Node(nowhere, "application", "", frozenset(), (0, 0, 0, 0), children=[*menus, *unread])
    return [*applications, holder]


def _all(nodes: Sequence[Node]) -> Iterator[Node]:
    for node in nodes:
        yield node
        yield from _all(node.children)


def _explains(node: Node, box: Box) -> bool:
    """Tell whether a node fills the popup, or is an item as wide as it."""
    x, y, width, height = node.box
    inside = box[0] - 2 <= x and x + width <= box[0] + box[2] + 2 and box[1] - 2 <= y and y + height <= box[1] + box[3] + 2
    return inside and width >= 0.6 * box[2] > 0


def _overlap(one: Box, other: Box) -> bool:
    return abs(one[0] - other[0]) + abs(one[1] - other[1]) < _SMALLEST


def _shown_by_qt(call: Calls, application: Node) -> list[Reference]:
    """Return the menus that a program of Qt shows, the newest first; none for other programs."""
    bus = application.reference[0]
    numbers = [int(tail) for node in _all([application]) if (tail := node.reference[1].removeprefix(_QT_PATH)).isdigit()]
    known = [number for number in numbers if number >= _QT_FIRST]
    for top in range(max(known) + _BEYOND, _QT_FIRST, -_AT_ONCE) if known else ():
        some = [(bus, f"{_QT_PATH}{number}") for number in range(top, max(top - _AT_ONCE, _QT_FIRST - 1), -1)]
        answers = call.all([(one, _ACCESSIBLE, "GetState", "", ()) for one in some])
        shown = [one for one, answer in zip(some, answers, strict=True) if answer and "showing" in states_of(answer[0])]
        roles = call.all([(one, _ACCESSIBLE, "GetRoleName", "", ()) for one in shown])
        if menus := [one for one, role in zip(shown, roles, strict=True) if role and role[0] == "popup menu"]:
            return menus
    return []
