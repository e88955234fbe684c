"""Protects the headers of spreadsheets, which no tree tells of: each is where its column or row is."""

from machines.trees.elements import Element
from machines.trees.spreadsheets import with_headers


def element(role: str, name: str, box: tuple[int, int, int, int]) -> Element:
    return Element(0, role, name, "", None, frozenset(), box, "w", "calc")


STRIPS = [element("panel", "", (41, 139, 300, 18)), element("panel", "", (0, 157, 41, 200))]
SHEET = [element("document spreadsheet", "sheet", (41, 157, 300, 200)), element("table cell", "B7", (41, 157, 70, 20)),
         element("table cell", "AA7", (111, 157, 90, 20)), element("table cell", "B8", (41, 177, 70, 30))]  # fmt: skip


def test_letters_and_numbers_get_the_width_and_the_height_of_their_cells() -> None:
    found = with_headers([*STRIPS, *SHEET])
    assert [one.number for one in found] == list(range(1, 11))
    assert [(one.role, one.name, one.box) for one in found if "header" in one.role] == [
        ("column header", "B", (41, 139, 70, 18)), ("column header", "AA", (111, 139, 90, 18)),
        ("row header", "7", (0, 157, 41, 20)), ("row header", "8", (0, 177, 41, 30)),
    ]  # fmt: skip


def test_a_sheet_whose_headers_are_off_gets_none() -> None:
    assert len(with_headers(SHEET)) == len(SHEET)
