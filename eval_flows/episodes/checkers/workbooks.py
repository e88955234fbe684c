"""Getters of workbooks, by openpyxl."""

from collections.abc import Callable, Mapping
from typing import Any

import openpyxl
from openpyxl.utils import column_index_from_string, get_column_letter

from eval_flows.episodes.checkers.care import unpacked

Json = Mapping[str, Any]


def _sheet(content: bytes, name: str | None, computed: bool) -> Any:
    workbook = openpyxl.load_workbook(unpacked(content), data_only=computed)
    if name is None:
        return workbook.worksheets[0]
    return workbook[name] if name in workbook.sheetnames else None


def cell(content: bytes, at: str, sheet: str | None, computed: bool) -> Any:
    """The value of a cell, computed or as it was typed."""
    found = _sheet(content, sheet, computed)
    return None if found is None else found[at].value


def cell_style(content: bytes, at: str, what: str, sheet: str | None) -> Any:
    """A format of a cell."""
    found = _sheet(content, sheet, False)
    if found is None:
        return None
    one = found[at]
    ways: dict[str, Callable[[], Any]] = {
        "bold": lambda: bool(one.font.b),
        "italic": lambda: bool(one.font.i),
        "underline": lambda: one.font.u,
        "size": lambda: one.font.sz,
        "font": lambda: one.font.name,
        "font_colour": lambda: _colour(one.font.color),
        "number_format": lambda: one.number_format,
        "fill": lambda: _colour(one.fill.fgColor) if one.fill.fill_type else None,
        "horizontal": lambda: one.alignment.horizontal,
        "vertical": lambda: one.alignment.vertical,
        "wrap": lambda: bool(one.alignment.wrap_text),
        "border_top": lambda: one.border.top.style,
        "border_bottom": lambda: one.border.bottom.style,
    }
    return ways[what]()


def _colour(colour: Any) -> str | None:
    return f"#{colour.rgb[-6:].lower()}" if colour is not None and isinstance(colour.rgb, str) else None


def column(content: bytes, name: str, from_row: int, sheet: str | None) -> list[Any] | None:
    """The values of a column down to the last that is not empty."""
    found = _sheet(content, sheet, True)
    if found is None:
        return None
    number = column_index_from_string(name)
    values = [row[0] for row in found.iter_rows(min_row=from_row, min_col=number, max_col=number, values_only=True)]
    while values and values[-1] is None:
        values.pop()
    return values


def rows(content: bytes, sheet: str | None) -> list[list[Any]] | None:
    """The values of a sheet, row by row; an empty cell is an empty text."""
    found = _sheet(content, sheet, True)
    if found is None:
        return None
    return [["" if value is None else value for value in row] for row in found.iter_rows(values_only=True)]


def of_workbook(content: bytes, what: str, sheet: str | None) -> Any:
    """A property of a workbook or of a sheet: see checkers.yaml."""
    if what == "sheet_names":
        return openpyxl.load_workbook(unpacked(content)).sheetnames
    found = _sheet(content, sheet, False)
    if found is None:
        return None
    kind, _, rest = what.partition(".")
    ways: dict[str, Callable[[], Any]] = {
        "merged": lambda: sorted(str(area) for area in found.merged_cells.ranges),
        "freeze": lambda: found.freeze_panes,
        "charts": lambda: len(found._charts),
        "autofilter": lambda: found.auto_filter.ref,
        "column_width": lambda: found.column_dimensions[rest].width,
        "row_height": lambda: found.row_dimensions[int(rest)].height,
        "hidden_rows": lambda: sorted(number for number, row in found.row_dimensions.items() if row.hidden),
        "hidden_columns": lambda: _hidden_columns(found),
        "print_orientation": lambda: found.page_setup.orientation,
        "validations": lambda: sorted(f"{one.sqref} {one.type} {one.operator} {one.formula1}" for one in found.data_validations.dataValidation),
        "conditional_formats": lambda: sorted(_conditions(found)),
        "comment": lambda: found[rest].comment.text if found[rest].comment else None,
        "protected": lambda: bool(found.protection.sheet),
        "tab_colour": lambda: _colour(found.sheet_properties.tabColor),
        "link": lambda: found[rest].hyperlink.target if found[rest].hyperlink else None,
        "rows": lambda: found.max_row,
    }
    return ways[kind]()


def _hidden_columns(sheet: Any) -> list[str]:
    """The letters of the hidden columns: neighbours of one format stand as one entry in the file."""
    return [get_column_letter(number) for one in sheet.column_dimensions.values() if one.hidden for number in range(one.min, one.max + 1)]


def _conditions(sheet: Any) -> list[str]:
    return [f"{area.sqref} {rule.operator} {' '.join(rule.formula)}" for area in sheet.conditional_formatting for rule in area.rules]
