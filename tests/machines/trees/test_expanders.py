"""Protects that the signs that open and close the items of Qt's trees are listed, and none where there is no sign."""

from dataclasses import replace

from machines.trees.elements import Element
from machines.trees.expanders import with_expanders

TREE = (0, 445, 640, 335)


def element(role: str, name: str, box: tuple[int, int, int, int], *states: str) -> Element:
    return Element(0, role, name, "", None, frozenset({"enabled", *states}), box, "w", "wireshark")


def signs(*items: Element) -> list[tuple[str, tuple[int, int, int, int]]]:
    return [(one.label, one.box) for one in with_expanders([element("tree", "", TREE), *items]) if one.role == "toggle button"]


def test_an_item_that_opens_has_its_sign_at_its_left_also_below_another_one() -> None:
    """The places are those of Wireshark's details: the items begin at 21, and their signs are at 11."""
    frame = element("tree item", "Frame 6", (21, 446, 600, 15), "expandable", "expanded", "selected")
    inner = element("tree item", "Section", (41, 461, 580, 15), "expandable")
    leaf = element("tree item", "Length: 61", (41, 476, 580, 15))
    assert signs(frame, inner, leaf) == [("Frame 6", (1, 446, 20, 15)), ("Section", (21, 461, 20, 15))]
    found = with_expanders([element("tree", "", TREE), frame, inner, leaf, element("label", "after", (0, 790, 90, 9))])
    assert [one.name for one in found] == ["", "Frame 6", "Section", "Length: 61", "", "", "after"]
    assert "expanded" in found[4].states and "selected" not in found[4].states and [one.number for one in found] == list(range(1, 8))


def test_a_list_of_several_columns_without_room_at_its_left_has_none() -> None:
    """Qt says of each cell of Wireshark's list of packets that it opens."""
    row = [element("tree item", name, (x, 446, 90, 15), "expandable") for name, x in (("1", 1), ("0.000", 91), ("DNS", 181))]
    assert signs(*row) == []


def test_of_a_row_only_the_first_column_has_a_sign() -> None:
    row = [element("tree item", name, (x, 446, 90, 15), "expandable") for name, x in (("Tables (2)", 21), ("type", 181))]
    assert signs(*row) == [("Tables (2)", (1, 446, 20, 15))]


def test_a_tree_on_a_page_looks_as_the_page_wants_it() -> None:
    item = element("tree item", "Folder", (41, 446, 580, 15), "expandable")
    page = [element("document web", "Files", (0, 100, 1280, 700)), element("tree", "", TREE), item]
    assert [one.role for one in with_expanders(page)] == ["document web", "tree", "tree item"]


def test_only_what_covers_the_sign_itself_hides_it() -> None:
    """Found by review: signs under an open menu were told, and those of items that a menu covers at their right were not."""
    item = element("tree item", "Frame 6", (21, 446, 600, 15), "expandable")
    right = replace(item, box=(21, 446, 300, 15), whole=item.box)
    for one, popup, found in ((item, (0, 400, 20, 60), []), (right, (321, 400, 300, 90), [("Frame 6", (1, 446, 20, 15))])):
        told = with_expanders([element("tree", "", TREE), one], [popup])
        assert [(sign.label, sign.box) for sign in told if sign.role == "toggle button"] == found
        assert all(sign.whole is None for sign in told if sign.role == "toggle button")


def test_a_tree_that_drops_down_has_its_signs() -> None:
    item = element("tree item", "Frame 6", (21, 446, 600, 15), "expandable")
    assert [one.label for one in with_expanders([element("tree", "", TREE), item], [TREE])] == ["", "Frame 6", "Frame 6"]
