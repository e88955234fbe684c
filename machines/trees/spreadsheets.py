"""The headers of a spreadsheet: LibreOffice draws the letters of columns and the numbers of rows without telling of them.

Their strips are panels without a name above and beside the cells; each header is as wide or as high as its cells.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from machines.trees.elements import Box, Element

_CELL = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
_SIDES = (("column header", 0), ("row header", 1))


def with_headers(elements: Sequence[Element]) -> list[Element]:
    """Return the elements, with those of the headers of each spreadsheet behind the spreadsheet's own, and numbered anew."""
    found: list[Element] = []
    for place, element in enumerate(elements):
        found.append(element)
        if element.role == "document spreadsheet":
            found += _headers(element, elements[place + 1 :], elements)
    return [replace(element, number=number) for number, element in enumerate(found, 1)]


def _headers(sheet: Element, below: Iterable[Element], elements: Sequence[Element]) -> Iterator[Element]:
    cells = [(match, cell.box) for cell in below if cell.role == "table cell" and (match := _CELL.fullmatch(cell.name))]
    for role, side in _SIDES:
        strip = _strip(sheet.box, side, elements)
        if strip is None:
            continue
        named = {match[side + 1]: box for match, box in reversed(cells)}
        for name, box in sorted(named.items(), key=lambda one: one[1][side]):
            header = (box[0], strip[1], box[2], strip[3]) if side == 0 else (strip[0], box[1], strip[2], box[3])
            yield Element(0, role, name, "", None, frozenset({"enabled", "sensitive", "focusable"}), header, sheet.window, sheet.application)


def _strip(sheet: Box, side: int, elements: Sequence[Element]) -> Box | None:
    """Return the box of the strip above (0) or beside (1) the cells: a panel as long as they are, which ends where they begin."""
    across = 1 - side
    for one in (element.box for element in elements if element.role == "panel" and not element.name):
        along = one[side] == sheet[side] and one[side + 2] == sheet[side + 2]
        if along and one[across] + one[across + 2] == sheet[across]:
            return one
    return None
