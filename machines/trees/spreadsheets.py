"""What LibreOffice draws around a spreadsheet without telling of it: the letters of columns, the numbers of rows, and the names of two fields.

The strips of the headers are panels without a name above and beside the cells; each header is as wide or as high as its cells. The fields stand in
the formula bar: first the Name Box, in which the place of the cell stands, and at the end the input line for its content.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from machines.trees.covering import visible_part
from machines.trees.elements import Box, Element

_CELL = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
_SIDES = (("column header", 0), ("row header", 1))
_BAR = "Formula Tool Bar"
_FIELDS = {"text": "Name Box", "toggle button": "Name Box list", "scroll pane": "Input line"}  # by their roles


def with_headers(elements: Sequence[Element], popups: Sequence[Box] = ()) -> list[Element]:
    """Return the elements, with those of the headers of each spreadsheet behind the spreadsheet's own, and numbered anew.

    `popups` are open menus and lists: a header under one is left out, also if only a part of it is.
    """
    found: list[Element] = []
    for place, element in enumerate(elements):
        found.append(element)
        if element.role == "document spreadsheet":
            headers = _headers(element, elements[place + 1 :], elements)
            found += [header for header in headers if visible_part(header.box, popups) == header.box]
    return [replace(element, number=number) for number, element in enumerate(found, 1)]


def with_fields(elements: Sequence[Element]) -> list[Element]:
    """Return the elements; the fields in the formula bar of each spreadsheet have their names as descriptions."""
    bars = [one for one in elements if one.role == "tool bar" and one.name == _BAR]
    return [replace(one, description=_FIELDS[one.role]) if _is_field(one, bars) else one for one in elements]


def _is_field(element: Element, bars: Iterable[Element]) -> bool:
    x, y = element.middle
    stands_in = (one.extent for one in bars if one.window == element.window)
    return (
        element.role in _FIELDS
        and not element.name
        and any(left <= x < left + width and top <= y < top + height for left, top, width, height in stands_in)
    )


def _headers(sheet: Element, below: Iterable[Element], elements: Sequence[Element]) -> Iterator[Element]:
    cells = [(match, cell.extent) for cell in below if cell.role == "table cell" and (match := _CELL.fullmatch(cell.name))]
    for role, side in _SIDES:
        strip = _strip(sheet.extent, side, elements)
        if strip is None:
            continue
        named = {match[side + 1]: box for match, box in reversed(cells)}
        for name, box in sorted(named.items(), key=lambda one: one[1][side]):
            header = (box[0], strip[1], box[2], strip[3]) if side == 0 else (strip[0], box[1], strip[2], box[3])
            yield Element(0, role, name, "", None, frozenset({"enabled", "sensitive", "focusable"}), header, sheet.window, sheet.application)


def _strip(sheet: Box, side: int, elements: Sequence[Element]) -> Box | None:
    """Return the box of the strip above (0) or beside (1) the cells: a panel as long as they are, which ends where they begin."""
    across = 1 - side
    for one in (element.extent for element in elements if element.role == "panel" and not element.name):
        along = one[side] == sheet[side] and one[side + 2] == sheet[side + 2]
        if along and one[across] + one[across + 2] == sheet[across]:
            return one
    return None
