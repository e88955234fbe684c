"""Protects the headers of spreadsheets, which no tree tells of: each is where its column or row is."""

from machines.trees.elements import Element
from machines.trees.spreadsheets import with_fields, with_headers


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


def test_a_header_under_an_open_menu_is_none() -> None:
    found = with_headers([*STRIPS, *SHEET], [(100, 100, 60, 65)])
    assert [one.name for one in found if "header" in one.role] == ["7", "8"]
    assert [one.number for one in found] == list(range(1, len(found) + 1))


def test_a_sheet_whose_headers_are_off_gets_none() -> None:
    assert len(with_headers(SHEET)) == len(SHEET)


def test_the_fields_of_the_formula_bar_are_called_as_people_call_them() -> None:
    """Found by playing: the Name Box was a field without a name."""
    bar = element("tool bar", "Formula Tool Bar", (0, 100, 1200, 40))
    inside = [element("text", "", (4, 103, 126, 34)), element("toggle button", "", (130, 103, 36, 34)), element("scroll pane", "", (260, 103, 900, 22)),
              element("push button", "Formula", (235, 103, 25, 27))]  # fmt: skip
    elsewhere = element("text", "", (4, 60, 126, 34))
    found = with_fields([bar, *inside, elsewhere])
    assert [one.description for one in found] == ["", "Name Box", "Name Box list", "Input line", "", ""]
    assert with_fields([*inside, elsewhere]) == [*inside, elsewhere], "without the bar they are others"
