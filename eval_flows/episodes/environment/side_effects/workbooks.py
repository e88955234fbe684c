"""Workbooks (.xlsx), compared by cells, with their typed content and format, and by the layout of sheets.

Without a sheet, `parts` are those of the workbook. With a sheet alone the whole sheet is free; `cells`, `columns` and `rows` free parts of it,
and `parts` frees properties that are declared for the sheet.
"""

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import openpyxl
from openpyxl.utils import get_column_letter
from openpyxl.utils.cell import range_boundaries

from eval_flows.episodes.checkers.care import unpacked
from eval_flows.episodes.environment.side_effects.parts import Parts, freed
from eval_flows.episodes.tasks.changes import Change

_OF_SHEET: Mapping[str, Callable[[Any], Any]] = {
    "merged": lambda sheet: sorted(str(area) for area in sheet.merged_cells.ranges),
    "freeze": lambda sheet: sheet.freeze_panes,
    "filter": lambda sheet: sheet.auto_filter.ref,
    "validations": lambda sheet: sorted(f"{one.sqref} {one.type} {one.operator} {one.formula1}" for one in sheet.data_validations.dataValidation),
    "conditions": lambda sheet: sorted(
        f"{area.sqref} {rule.operator} {rule.formula}" for area in sheet.conditional_formatting for rule in area.rules
    ),
    "charts": lambda sheet: len(sheet._charts),
    "pictures": lambda sheet: len(sheet._images),
    "protection": lambda sheet: bool(sheet.protection.sheet),
    "page": lambda sheet: sheet.page_setup.orientation or "portrait",
    "state": lambda sheet: sheet.sheet_state,
}
FREE_PARTS = frozenset({*_OF_SHEET, "names"})


def of_workbook(content: bytes, changes: Sequence[Change]) -> Parts:
    """Return cells, formats, comments, hidden rows and columns, and the layout of each sheet, without what is freed."""
    workbook = openpyxl.load_workbook(unpacked(content))
    free_sheets = {str(change["sheet"]) for change in changes if "sheet" in change and not {"cells", "columns", "rows", "parts"} & set(change)}
    free_parts = {part for change in changes if "sheet" not in change for part in change.get("parts", ())}
    kept = [sheet for sheet in workbook.worksheets if sheet.title not in free_sheets]
    parts: Parts = {"sheets": [sheet.title for sheet in kept]}
    if "names" not in free_parts:
        parts["names"] = {f"name {name}": one.attr_text for name, one in workbook.defined_names.items()}
    for sheet in kept:
        about = [change for change in changes if change.get("sheet") == sheet.title]
        parts |= {f"{name} of {sheet.title}": value for name, value in _of_sheet(sheet, about)}
    return parts


def _of_sheet(sheet: Any, about: Sequence[Change]) -> Iterator[tuple[str, Any]]:
    free_cells, free_parts = set(_cells(freed(about, "cells"))), set(freed(about, "parts"))
    # Only cells that the file holds: `iter_rows` makes every empty one up to the last, and one value far out makes that thousands.
    cells = [cell for _, cell in sorted(sheet._cells.items()) if cell.coordinate not in free_cells]
    where = {cell.coordinate: f"cell {sheet.title}!{cell.coordinate}" for cell in cells}
    yield "cells", {where[cell.coordinate]: _value(cell.value) for cell in cells if cell.value is not None}
    yield "formats", {f"{where[cell.coordinate]}, {name}": value for cell in cells for name, value in _formats(cell)}
    yield "comments", {f"comment at {where[cell.coordinate]}": cell.comment.text for cell in cells if cell.comment}
    hidden = {get_column_letter(number) for one in sheet.column_dimensions.values() if one.hidden for number in range(one.min, one.max + 1)}
    yield "hidden columns", sorted(hidden - set(freed(about, "columns")))
    yield "hidden rows", sorted({str(number) for number, row in sheet.row_dimensions.items() if row.hidden} - set(freed(about, "rows")))
    for name, read in _OF_SHEET.items():
        if name not in free_parts:
            yield name, read(sheet)


def _cells(ranges: Sequence[str]) -> Iterator[str]:
    for area in ranges:
        left, top, right, bottom = (int(edge) for edge in range_boundaries(area))  # type: ignore[arg-type]
        yield from (f"{get_column_letter(column)}{row}" for row in range(top, bottom + 1) for column in range(left, right + 1))


def _value(value: Any) -> Any:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def _formats(cell: Any) -> Iterator[tuple[str, Any]]:
    """Yield the formats that differ from those of an empty sheet."""
    if not cell.has_style:
        return
    font, alignment, border = cell.font, cell.alignment, cell.border
    found = {
        "number format": None if cell.number_format == "General" else cell.number_format,
        "bold": font.b,
        "italic": font.i,
        "underline": font.u,
        "strikethrough": font.strike,
        "size": None if font.sz == 11 else font.sz,
        "colour": _colour(font.color),
        "fill": _colour(cell.fill.fgColor) if cell.fill.fill_type else None,
        "alignment": None if alignment.horizontal == "general" else alignment.horizontal,
        "vertical alignment": None if alignment.vertical == "bottom" else alignment.vertical,
        "wrapping": alignment.wrap_text,
        "border": " ".join(side for side in ("left", "right", "top", "bottom") if (edge := getattr(border, side)) is not None and edge.style),
    }
    yield from ((name, value) for name, value in found.items() if value)


def _colour(colour: Any) -> str | None:
    """Return a colour as #rrggbb; None for black and for the text colour of the theme."""
    if colour is None or (colour.type == "theme" and colour.theme in (0, 1)):
        return None
    found = f"#{colour.rgb[-6:].lower()}" if isinstance(colour.rgb, str) else f"{colour.type} {colour.value}"
    return None if found == "#000000" else found


def spoiled(content: bytes) -> bytes:
    """Return the workbook with a value in a cell far out."""
    workbook = openpyxl.load_workbook(unpacked(content))
    workbook.worksheets[0]["ZZ99"] = "zzz qqq"
    file = io.BytesIO()
    workbook.save(file)
    return file.getvalue()
