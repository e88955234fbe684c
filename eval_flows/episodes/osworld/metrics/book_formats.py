"""The formats of the cells of a workbook, as conditional formats change them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from openpyxl.cell.cell import MergedCell
from openpyxl.utils import get_column_letter

from eval_flows.episodes.osworld.metrics.books import Book
from eval_flows.episodes.osworld.metrics.formulas import NotKnown, gives
from eval_flows.episodes.osworld.metrics.metric import unknown

_OPERATORS = {"lessThan": "<", "lessThanOrEqual": "<=", "equal": "=", "notEqual": "<>", "greaterThanOrEqual": ">=", "greaterThan": ">"}
_BY_FORMULA = ("expression", "containsText", "notContainsText", "beginsWith", "endsWith", "containsBlanks", "notContainsBlanks")


def _colour(found: Any) -> Any:
    """Return a colour as ARGB, or by its number in the theme or among the indexed ones; None if it is the usual one."""
    return (
        None
        if found is None
        else found.rgb
        if found.type == "rgb"
        else (found.type, found.theme if found.type == "theme" else found.value, found.tint)
    )


_OF_TEXT: Mapping[str, Callable[[Any], Any]] = {
    "number_format": lambda cell: cell.number_format if cell.data_type == "n" else None,
    "font_name": lambda cell: cell.font.name,
    "font_family": lambda cell: cell.font.family,
    "font_color": lambda cell: _colour(cell.font.color),
    "font_bold": lambda cell: bool(cell.font.bold),
    "font_italic": lambda cell: bool(cell.font.italic),
    "font_underline": lambda cell: cell.font.underline,
    "font_size": lambda cell: cell.font.size,
    "hyperlink": lambda cell: (cell.hyperlink.target or cell.hyperlink.location or "") if cell.hyperlink else "",
}
_OF_CELL: Mapping[str, Callable[[Any], Any]] = {
    "fill_type": lambda cell: cell.fill.tagname,
    "bgcolor": lambda cell: _colour(cell.fill.fgColor),  # openpyxl's bgColor is that of patterns
    "fgcolor": lambda cell: _colour(cell.fill.fgColor),
    "merge": lambda cell: isinstance(cell, MergedCell),
}


def style(name: str, cell: Any) -> Any:
    """Return a format of a cell; formats of text are None in an empty cell. TaskError if no such format is known."""
    if name in _OF_CELL:
        return _OF_CELL[name](cell)
    if name not in _OF_TEXT:
        raise unknown("format of a cell", name, (*_OF_TEXT, *_OF_CELL))
    return None if cell.value is None else _OF_TEXT[name](cell)


def styles(book: Book, name: str, props: Sequence[str]) -> Mapping[Any, Any]:
    """Return the formats of the cells of a sheet by their coordinates, as conditional formats change them; cells that have none are left out.

    Under `written` are the conditions that cannot be held against cells, as they are written.
    """
    sheet = book.written[name]
    cells = {cell.coordinate: [style(prop, cell) for prop in props] for cell in sheet._cells.values() if not _is_bare(cell)}
    written = []
    for area, rule in ((each, one) for each in sheet.conditional_formatting for one in reversed(each.rules)):
        try:
            met = _met(book, name, area, rule)
        except NotKnown:
            written.append((str(area.sqref), rule.type, rule.operator, tuple(rule.formula)))
            continue
        for coordinate in met:
            cells[coordinate] = [_changed(prop, sheet[coordinate], rule.dxf) for prop in props]
    return {**cells, "written": sorted(written, key=repr)}


def _is_bare(cell: Any) -> bool:
    return not isinstance(cell, MergedCell) and cell.value is None and not cell.has_style


def _met(book: Book, name: str, area: Any, rule: Any) -> list[str]:
    """Return the cells with a value for which the rule of a conditional format holds; `NotKnown` if that cannot be told."""
    if rule.type == "cellIs" and rule.operator in _OPERATORS and rule.formula:
        formula = f"{{cell}}{_OPERATORS[rule.operator]}({rule.formula[0]})"
    elif rule.type in _BY_FORMULA and rule.formula:
        formula = rule.formula[0]
    else:
        raise NotKnown(rule.type)
    held: dict[tuple[int, int], Any] = {}

    def value(row: int, column: int) -> Any:
        if (row, column) not in held:
            held[row, column] = book.value(name, f"{get_column_letter(column)}{row}")
        return held[row, column]

    ranges = area.sqref.ranges if hasattr(area.sqref, "ranges") else area.sqref
    origin = f"{get_column_letter(min(one.min_col for one in ranges))}{min(one.min_row for one in ranges)}"
    places = [place for place in book.written[name]._cells if any(_is_in(place, one) for one in ranges)]
    found = []
    for row, column in places:
        coordinate = f"{get_column_letter(column)}{row}"
        if value(row, column) is not None and _holds_there(formula.replace("{cell}", origin), origin, coordinate, value):
            found.append(coordinate)
    return found


def _is_in(place: tuple[int, int], area: Any) -> bool:
    return bool(area.min_row <= place[0] <= area.max_row and area.min_col <= place[1] <= area.max_col)


def _holds_there(formula: str, origin: str, place: str, value: Any) -> bool:
    try:
        return bool(gives(formula, origin, place, value))
    except NotKnown:
        raise
    except (TypeError, ValueError, ArithmeticError, LookupError):  # what a spreadsheet shows as an error
        return False


def _changed(prop: str, cell: Any, look: Any) -> Any:
    """Return a format of a cell as a differential style changes it."""
    font: Any = getattr(look, "font", None)
    fill = getattr(look, "fill", None)
    if prop in ("bgcolor", "fgcolor") and fill is not None:
        return _colour(fill.bgColor)
    own = {"font_color": lambda: _colour(font.color), "font_bold": lambda: font.b, "font_italic": lambda: font.i, "font_underline": lambda: font.u}
    found = own[prop]() if prop in own and font is not None else None
    return style(prop, cell) if found is None else found
