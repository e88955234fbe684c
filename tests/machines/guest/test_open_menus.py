"""Protects that an open menu is never passed over in silence: one that no tree lists is found by its number in Qt, or told as unreadable."""

from typing import Any

import pytest

from machines.guest.on_linux.node import STATES, Node
from machines.guest.on_linux.open_menus import add_open_menus

BUS, FIRST, MENU_AT = ":1.7", 2**31, 2**31 + 321
POPUP = (300, 200, 120, 90)


def node(role: str, box: tuple[int, int, int, int], *children: Node, number: int = FIRST + 40) -> Node:
    return Node((BUS, f"/org/a11y/atspi/accessible/{number}"), role, "", frozenset({"showing"}), box, children=list(children))


class Qt:
    """A program of Qt that shows a menu by a number, and no other one."""

    def __init__(self) -> None:
        self.asked = 0

    def all(self, questions: list[Any]) -> list[Any]:
        self.asked += len(questions)
        return [self._answer(path, method) for (_, path), _, method, *_ in questions]

    def _answer(self, path: str, method: str) -> Any:
        if not path.endswith(str(MENU_AT)):
            return None
        return ([1 << STATES.index("showing"), 0],) if method == "GetState" else ("popup menu",)


def read(references: Any) -> list[Node]:
    return [Node(reference, "popup menu", "", frozenset({"showing"}), POPUP) for reference in references]


def listed(*more: Node) -> list[Node]:
    return [node("application", (0, 0, 0, 0), node("frame", (0, 0, 800, 600), *more))]


def test_a_menu_of_qt_is_found_by_its_number() -> None:
    *_, holder = add_open_menus(Qt(), listed(), [POPUP], read)  # type: ignore[arg-type]
    assert [child.reference for child in holder.children] == [(BUS, f"/org/a11y/atspi/accessible/{MENU_AT}")]


def test_a_menu_that_the_tree_lists_is_not_looked_for() -> None:
    qt = Qt()
    found = add_open_menus(qt, listed(node("menu item", (301, 205, 118, 20))), [POPUP], read)  # type: ignore[arg-type]
    assert len(found) == 1 and qt.asked == 0


@pytest.mark.parametrize("popup", [(10, 10, 120, 90), POPUP])
def test_a_menu_that_nothing_tells_of_is_told_with_its_place(popup: tuple[int, int, int, int]) -> None:
    gtk = [Node((":1.3", "/org/a11y/atspi/accessible/5"), "application", "gimp", frozenset(), (0, 0, 0, 0))]
    *_, holder = add_open_menus(Qt(), gtk, [popup], read)  # type: ignore[arg-type]
    (menu,) = holder.children
    assert menu.box == popup and "cannot be read" in menu.description


def test_what_is_too_small_to_be_a_menu_is_none() -> None:
    assert len(add_open_menus(Qt(), listed(), [(5, 5, 900, 4)], read)) == 1  # type: ignore[arg-type]
