"""The effective formats of the cells of a workbook: a cell's own, those of its row or its column, and colours as they are seen."""

import colorsys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from openpyxl.cell.cell import Cell
from openpyxl.styles.colors import COLOR_INDEX
from openpyxl.utils import range_boundaries
from openpyxl.xml.functions import fromstring

_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_THEME_ORDER = ("lt1", "dk1", "lt2", "dk2", "accent1", "accent2", "accent3", "accent4", "accent5", "accent6", "hlink", "folHlink")
_MOST_CELLS = 100_000


def cells_of(area: str) -> Iterator[tuple[int, int]]:
    """Yield the rows and columns of an area such as A1 or A1:C3; `ValueError` if it has too many cells."""
    left, top, right, bottom = range_boundaries(area)
    if left is None or top is None or right is None or bottom is None or (right - left + 1) * (bottom - top + 1) > _MOST_CELLS:
        raise ValueError(f"{area} is not an area of up to {_MOST_CELLS} cells")
    return ((row, column) for row in range(top, bottom + 1) for column in range(left, right + 1))


def style_of(sheet: Any, row: int, column: int) -> Any:
    """Return the object that holds a cell's format: the cell, or for a cell that the file lacks its row, its column, or the sheet's default."""
    if (row, column) in sheet._cells:
        return sheet._cells[row, column]
    if row in sheet.row_dimensions and sheet.row_dimensions[row].has_style:
        return sheet.row_dimensions[row]
    over = (one for one in sheet.column_dimensions.values() if one.has_style and one.min is not None and one.min <= column <= one.max)
    return next(over, None) or Cell(sheet, row, column)


def cell_format(sheet: Any, row: int, column: int, what: str) -> Any:
    """Return a format of a cell: see checkers.yaml."""
    one = style_of(sheet, row, column)
    if what.startswith("border_"):
        return _border(sheet, row, column, what.removeprefix("border_"))
    return _WAYS[what](sheet.parent, one)


_WAYS: Mapping[str, Callable[[Any, Any], Any]] = {
    "bold": lambda _, one: bool(one.font.b),
    "italic": lambda _, one: bool(one.font.i),
    "strike": lambda _, one: bool(one.font.strike),
    "underline": lambda _, one: one.font.u,
    "size": lambda _, one: one.font.sz,
    "font": lambda _, one: one.font.name,
    "font_colour": lambda workbook, one: colour(workbook, one.font.color),
    "number_format": lambda _, one: one.number_format,
    "fill": lambda workbook, one: _fill(workbook, one.fill),
    "horizontal": lambda _, one: one.alignment.horizontal or "general",
    "vertical": lambda _, one: one.alignment.vertical or "bottom",
    "indent": lambda _, one: one.alignment.indent,
    "wrap": lambda _, one: bool(one.alignment.wrap_text),
}
_ACROSS = {"top": (-1, 0, "bottom"), "bottom": (1, 0, "top"), "left": (0, -1, "right"), "right": (0, 1, "left")}


def _border(sheet: Any, row: int, column: int, side: str) -> str | None:
    """Return the line at a side of a cell: its own, or the neighbour's, which is the same line."""
    down, right, other = _ACROSS[side]
    own = getattr(style_of(sheet, row, column).border, side).style
    if own or row + down < 1 or column + right < 1:
        return None if own is None else str(own)
    found = getattr(style_of(sheet, row + down, column + right).border, other).style
    return None if found is None else str(found)


def _fill(workbook: Any, fill: Any) -> str | None:
    if not getattr(fill, "fill_type", None):
        return None
    return colour(workbook, getattr(fill, "fgColor", None))


def colour(workbook: Any, found: Any) -> str | None:
    """Return a colour as #rrggbb, also from the theme or the palette; None if the program chooses it."""
    if found is None:
        return None
    if found.type == "theme":
        plain = _of_theme(workbook, int(found.theme))
    elif found.type == "indexed":
        palette = list(getattr(workbook, "_colors", None) or COLOR_INDEX)
        plain = palette[found.indexed][-6:] if found.indexed < len(palette) else None
    else:
        plain = found.rgb[-6:] if isinstance(found.rgb, str) else None
    return None if plain is None else f"#{_tinted(plain, float(found.tint or 0)).lower()}"


def _of_theme(workbook: Any, number: int) -> str | None:
    if not workbook.loaded_theme or number >= len(_THEME_ORDER):
        return None
    node = next(fromstring(workbook.loaded_theme).iter(f"{_DRAWING}{_THEME_ORDER[number]}"), None)
    return None if node is None or not len(node) else node[0].get("lastClr") or node[0].get("val")


def _tinted(plain: str, tint: float) -> str:
    """Return a colour made darker (below 0) or lighter by a share of its lightness (ECMA-376, part 1, 18.8.19)."""
    if not tint:
        return plain
    hue, light, strength = colorsys.rgb_to_hls(*(int(plain[at : at + 2], 16) / 255 for at in (0, 2, 4)))
    light = light * (1 + tint) if tint < 0 else light * (1 - tint) + tint
    return "".join(f"{round(channel * 255):02x}" for channel in colorsys.hls_to_rgb(hue, light, strength))
