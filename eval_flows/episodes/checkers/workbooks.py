"""Getters of workbooks, by openpyxl."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import openpyxl
from openpyxl.utils import column_index_from_string, get_column_letter
from openpyxl.worksheet.formula import ArrayFormula

from eval_flows.episodes.checkers.care import unpacked
from eval_flows.episodes.checkers.checker import Checkers
from eval_flows.episodes.checkers.workbook_formats import cell_format, cells_of, colour

Json = Mapping[str, Any]
_COMPARED = {">": "greaterThan", "<": "lessThan", "=": "equal", ">=": "greaterThanOrEqual", "<=": "lessThanOrEqual", "<>": "notEqual"}
_KINDS = {"n": "number", "d": "date", "b": "truth", "e": "error"}  # all others are texts


def _sheet(content: bytes, name: str | None, computed: bool) -> Any:
    workbook = openpyxl.load_workbook(unpacked(content), data_only=computed)
    if name is None:
        return workbook.worksheets[0]
    return workbook[name] if name in workbook.sheetnames else None


def cell(content: bytes, at: str, sheet: str | None, computed: bool) -> Any:
    """Return the value of a cell, computed or as it was typed."""
    found = _sheet(content, sheet, computed)
    return None if found is None else found[at].value


def cell_style(content: bytes, at: str, what: str, sheet: str | None) -> Any:
    """Return a format of a cell, or of all cells of an area; None if they differ."""
    found = _sheet(content, sheet, False)
    if found is None:
        return None
    values = [cell_format(found, row, column, what) for row, column in cells_of(at)]
    return values[0] if all(value == values[0] for value in values) else None


def column(content: bytes, name: str, from_row: int, sheet: str | None) -> list[Any] | None:
    """Return the values of a column down to the last that is not empty."""
    found = _sheet(content, sheet, True)
    return None if found is None else _column(found, name, from_row)


def formulas(content: bytes, name: str, from_row: int, sheet: str | None) -> list[str] | None:
    """Return the formulas of a column down to its last value; "" for a cell without one. Each cell of an area has the area's formula."""
    found = _sheet(content, sheet, False)
    if found is None:
        return None
    number = column_index_from_string(name)
    values = _column(found, name, from_row)
    areas = {place: str(formula.text) for formula in _array_formulas(found) for place in cells_of(formula.ref)}
    return [areas.get((from_row + place, number), str(value) if str(value).startswith("=") else "") for place, value in enumerate(values)]


def _column(sheet: Any, name: str, from_row: int) -> list[Any]:
    number = column_index_from_string(name)
    values = [row[0] for row in sheet.iter_rows(min_row=from_row, min_col=number, max_col=number, values_only=True)]
    while values and values[-1] is None:
        values.pop()
    return values


def _array_formulas(sheet: Any) -> Iterator[ArrayFormula]:
    return (one.value for row in sheet.iter_rows() for one in row if isinstance(one.value, ArrayFormula))


def rows(content: bytes, sheet: str | None) -> list[list[Any]] | None:
    """Return the values of a sheet, row by row; an empty cell is an empty text."""
    found = _sheet(content, sheet, True)
    if found is None:
        return None
    return [["" if value is None else value for value in row] for row in found.iter_rows(values_only=True)]


def of_workbook(content: bytes, what: str, sheet: str | None) -> Any:
    """Return a property of a workbook or of a sheet: see checkers.yaml."""
    if what == "sheet_names":
        return openpyxl.load_workbook(unpacked(content)).sheetnames
    found = _sheet(content, sheet, False)
    if found is None:
        return None
    kind, _, rest = what.partition(".")
    ways: dict[str, Callable[[], Any]] = {
        "merged": lambda: sorted(str(area) for area in found.merged_cells.ranges),
        "freeze": lambda: _frozen(found),
        "charts": lambda: len(found._charts),
        "autofilter": lambda: found.auto_filter.ref,
        "column_width": lambda: found.column_dimensions[rest].width,
        "row_height": lambda: found.row_dimensions[int(rest)].height,
        "hidden_rows": lambda: sorted(number for number, row in found.row_dimensions.items() if row.hidden),
        "hidden_columns": lambda: _hidden_columns(found),
        "print_orientation": lambda: "landscape" if found.page_setup.orientation == "landscape" else "portrait",
        "validations": lambda: sorted(_validation(one) for one in found.data_validations.dataValidation),
        "conditional_formats": lambda: sorted(_conditions(found)),
        "comment": lambda: found[rest].comment.text if found[rest].comment else None,
        "protected": lambda: bool(found.protection.sheet),
        "has_password": lambda: bool(found.protection.password or found.protection.hashValue),
        "tab_colour": lambda: colour(found.parent, found.sheet_properties.tabColor),
        "link": lambda: found[rest].hyperlink.target if found[rest].hyperlink else None,
        "name": lambda: _named(found.parent, rest),
        "rows": lambda: found.max_row,
    }
    return ways[kind]()


def _frozen(sheet: Any) -> str | None:
    """Return the first cell that scrolls, at any scroll position; None if panes are only split, not frozen."""
    pane = sheet.sheet_view.pane
    if pane is None or pane.state not in ("frozen", "frozenSplit"):
        return None
    return f"{get_column_letter(int(pane.xSplit or 0) + 1)}{int(pane.ySplit or 0) + 1}"


def _hidden_columns(sheet: Any) -> list[str]:
    """Return the letters of the hidden columns: the file stores neighbours of one format as one entry."""
    hidden = [one for one in sheet.column_dimensions.values() if one.hidden]
    return [get_column_letter(number) for one in hidden for number in range(one.min, one.max + 1)]


def _validation(rule: Any) -> str:
    """Return a rule for input in words; "a whole number is at least 6" becomes "greater than 5"."""
    operator, bound = rule.operator or "between", str(rule.formula1)
    if rule.type == "whole" and operator == "greaterThanOrEqual" and bound.lstrip("-").isdecimal():
        operator, bound = "greaterThan", str(int(bound) - 1)
    return f"{rule.sqref} {rule.type} {operator} {bound}"


def _conditions(sheet: Any) -> Iterator[str]:
    """Yield the conditions of a sheet; a formula that compares the first cell of its area is told as a comparison of the cells."""
    for area in sheet.conditional_formatting:
        corner = str(area.sqref).replace(" ", ":").partition(":")[0]
        first = rf"\$?{corner}\s*(>=|<=|<>|>|<|=)\s*(.+)"
        for rule in area.rules:
            compared = re.fullmatch(first, rule.formula[0]) if rule.type == "expression" and rule.formula else None
            told = f"{_COMPARED[compared[1]]} {compared[2]}" if compared else f"{rule.operator} {' '.join(rule.formula)}"
            yield f"{area.sqref} {told}"


def _look(style: Any) -> str:
    """Return what a conditional format makes of a cell, in words; colours of texts are left out."""
    font, fill, border = (getattr(style, part, None) for part in ("font", "fill", "border"))
    words = [name for name, letter in (("bold", "b"), ("italic", "i"), ("underlined", "u"), ("struck", "strike")) if getattr(font, letter, None)]
    words += [f"{font.sz:g} pt"] if font is not None and font.sz else []
    words += ["filled"] if fill is not None and fill.fill_type != "none" else []
    lines = [side for side in ("left", "right", "top", "bottom") if (edge := getattr(border, side, None)) is not None and edge.style]
    return " ".join([*words, *(["framed"] if lines else [])]) or "plain"


def cell_kind(content: bytes, at: str, sheet: str | None) -> str | None:
    """Return what the value of a cell is, as it is computed; None where it is empty."""
    found = _sheet(content, sheet, True)
    return None if found is None or found[at].value is None else _KINDS.get(found[at].data_type, "text")


def conditional_looks(content: bytes, sheet: str | None) -> list[str] | None:
    """Return what the conditional formats of a sheet make of their cells, as in `B2:B7 bold 11 pt`."""
    found = _sheet(content, sheet, False)
    return None if found is None else sorted(f"{area.sqref} {_look(rule.dxf)}" for area in found.conditional_formatting for rule in area.rules)


def _named(workbook: Any, name: str) -> str | None:
    """Return the cells that a name stands for, in the workbook or in one of its sheets."""
    found = (one.defined_names[name].attr_text for one in (workbook, *workbook.worksheets) if name in one.defined_names)
    text = next(found, None)
    return None if text is None else str(text).replace("'", "")


CHECKERS = Checkers(
    of_files={
        "cell": lambda content, asked: cell(content, asked["at"], asked.get("sheet"), computed=True),
        "formula": lambda content, asked: cell(content, asked["at"], asked.get("sheet"), computed=False),
        "cell_style": lambda content, asked: cell_style(content, asked["at"], asked["what"], asked.get("sheet")),
        "sheet": lambda content, asked: rows(content, asked.get("sheet")),
        "column": lambda content, asked: column(content, asked["column"], int(asked.get("from_row", 1)), asked.get("sheet")),
        "formulas": lambda content, asked: formulas(content, asked["column"], int(asked.get("from_row", 1)), asked.get("sheet")),
        "cell_kind": lambda content, asked: cell_kind(content, asked["at"], asked.get("sheet")),
        "conditional_looks": lambda content, asked: conditional_looks(content, asked.get("sheet")),
        "workbook": lambda content, asked: of_workbook(content, asked["what"], asked.get("sheet")),
    }
)
