"""Protects that what strangers missed at the edges of LibreOffice's windows is listed: places are those of version 7.4 on a screen of 1280 by 800."""

from dataclasses import replace

from machines.trees.elements import Box, Element
from machines.trees.libreoffice_edges import with_edges


def element(role: str, name: str, *box: int, application: str = "soffice") -> Element:
    return Element(0, role, name, "", None, frozenset({"enabled"}), box, "w", application)  # type: ignore[arg-type]


FRAME = element("frame", "report.xlsx", 0, 0, 1280, 800)


def added(elements: list[Element]) -> list[tuple[str, str, Box]]:
    """What is there in the end that was not there before."""
    found = with_edges(elements)
    assert [one.number for one in found] == list(range(1, len(found) + 1))
    return [(one.role, one.description, one.box) for one in found if one.description]


def test_the_corner_of_a_sheet_and_the_handles_that_split_it_have_names() -> None:
    corner, strip = element("panel", "", 0, 164, 41, 18), element("panel", "", 41, 164, 1166, 18)
    sheet, handle = element("document spreadsheet", "file:///a.xlsx", 41, 182, 1166, 559), element("split pane", "", 1207, 164, 14, 5)
    assert added([FRAME, corner, sheet, strip, handle]) == [
        ("push button", "Select All", (0, 164, 41, 18)),
        ("slider", "Split the sheet", (1207, 164, 14, 5)),
    ]


def test_the_sidebar_and_the_ruler_have_the_buttons_that_are_drawn_on_them() -> None:
    sidebar, ruler = element("split pane", "", 1221, 97, 59, 656), element("ruler", "Horizontal Ruler", 0, 97, 1207, 25)
    assert added([FRAME, ruler, sidebar]) == [
        ("push button", "Kind of the next tab stop", (0, 97, 22, 25)),
        ("push button", "Hide or show the sidebar", (1221, 395, 9, 60)),
    ]


def test_a_tool_bar_that_is_too_long_for_its_window_has_an_arrow_for_the_rest() -> None:
    long, last = element("tool bar", "Formatting", 0, 83, 1280, 39), element("push button", "Borders", 1203, 85, 44, 35)
    fits, its = element("tool bar", "Standard", 0, 44, 1262, 39), element("push button", "Draw", 1225, 46, 33, 35)
    full, filling = element("tool bar", "Formula Tool Bar", 0, 122, 1280, 42), element("panel", "Formula Tool Bar", 260, 130, 1016, 22)
    assert added([FRAME, fits, its, long, last, full, filling]) == [("push button", "More of Formatting", (1262, 83, 18, 39))]


def test_other_programs_and_what_is_covered_in_part_stay_as_they_are() -> None:
    sidebar = element("split pane", "", 1221, 97, 59, 656)
    assert added([replace(sidebar, application="gimp"), replace(sidebar, whole=(1221, 97, 59, 700))]) == []
