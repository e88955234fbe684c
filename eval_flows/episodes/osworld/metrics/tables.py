"""Metrics of workbooks and CSV files."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from openpyxl.utils import get_column_letter
from openpyxl.worksheet.cell_range import MultiCellRange

from eval_flows.episodes.osworld.metrics.book_formats import style, styles
from eval_flows.episodes.osworld.metrics.book_parts import charts, filters, lines_of, pivots
from eval_flows.episodes.osworld.metrics.books import Book
from eval_flows.episodes.osworld.metrics.matching import holds
from eval_flows.episodes.osworld.metrics.metric import Metrics, Rules, TaskError, asked, unknown
from eval_flows.episodes.osworld.metrics.reading import Place, text
from eval_flows.episodes.osworld.metrics.similarity import alike

_DIGITS = 4
_THRESHOLD = 85.0
_MOST_CELLS = 100_000
Where = tuple[Book, str]


def tables_agree(result: Place, expected: Place | None = None, rules: Sequence[Rules] = ()) -> float:
    """1 if a workbook holds against every rule. Each has a `type`, and names sheets of the result (0, `RI0`, `RNA`) or expected (`EI0`, `ENA`).

    Types that compare `sheet_idx0` and `sheet_idx1`: sheet_data (`precision`), sheet_print (`ignore_case`), sheet_fuzzy (`rules`), sparkline, chart
    (`chart_props`), style (`props`), freeze, row_props and col_props (`props`), filter, pivot_table (`pivot_props`). Of both workbooks: sheet_name.
    Of the one sheet `sheet_idx`: zoom (`method`, `ref`), data_validation (`dv_props`), check_cell (`coordinate`, `props`).
    """
    books = Book(result), None if expected is None else Book(expected)
    return all(_holds(books, rule) for rule in rules)


def _holds(books: tuple[Book, Book | None], rule: Rules) -> bool:
    kind = asked(rule, "type")
    if kind == "sheet_name":
        return books[1] is not None and books[0].names == books[1].names
    if kind in _OF_ONE:
        return _OF_ONE[kind](*_where(books, asked(rule, "sheet_idx")), rule)
    if kind == "sheet_fuzzy":
        return _alike_in_ranges(_where(books, asked(rule, "sheet_idx0")), _where(books, asked(rule, "sheet_idx1")), rule)
    if kind not in _OF_BOTH:
        raise unknown("type of a rule", kind, (*_OF_BOTH, *_OF_ONE, "sheet_name", "sheet_fuzzy"))
    way = _OF_BOTH[kind]
    one, other = (way(*_where(books, asked(rule, key)), rule) for key in ("sheet_idx0", "sheet_idx1"))
    return _same_values(one, other, rule.get("precision", _DIGITS)) if kind == "sheet_data" else bool(one == other)


def _where(books: tuple[Book, Book | None], index: Any) -> Where:
    """Return a workbook and the name of a sheet; `ValueError` if there is no such sheet."""
    place = f"RI{index}" if isinstance(index, int) else str(index)
    if place[:2] not in ("RI", "RN", "EI", "EN"):
        raise unknown("sheet", index, ("RI0", "RNSheet1", "EI0", "ENSheet1", "0"))
    book = books[place[0] == "E"]
    if book is None:
        raise TaskError(f"the sheet {index!r} is of the expected workbook, and there is none")
    names = book.names
    name = names[int(place[2:])] if place[1] == "I" else place[2:]
    if name not in names:
        raise ValueError(f"there is no sheet {name}")
    return book, name


def _same_values(one: Mapping[Any, Any], other: Mapping[Any, Any], digits: int) -> bool:
    return one.keys() == other.keys() and all(_same_value(value, other[place], digits) for place, value in one.items())


def _same_value(one: Any, other: Any, digits: int) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return round(one, digits) == round(other, digits) or abs(one - other) <= 0.5 * 10**-digits
    return type(one) is type(other) and bool(one == other)


# --- what two sheets are compared by


def _printed(book: Book, sheet: str, rule: Rules) -> list[str]:
    return [line.lower() if rule.get("ignore_case", False) else line for line in book.printed(sheet)]


_OF_BOTH: Mapping[str, Callable[[Book, str, Rules], Any]] = {
    "sheet_data": lambda book, sheet, _: book.values(sheet),
    "sheet_print": _printed,
    "sparkline": lambda book, sheet, _: book.sparklines(sheet),
    "chart": lambda book, sheet, rule: charts(book.written[sheet], rule.get("chart_props", ())),
    "style": lambda book, sheet, rule: styles(book, sheet, rule.get("props", ())),
    "freeze": lambda book, sheet, _: book.written[sheet].freeze_panes,
    "row_props": lambda book, sheet, rule: lines_of(book.written[sheet], "row", rule.get("props", ())),
    "col_props": lambda book, sheet, rule: lines_of(book.written[sheet], "column", rule.get("props", ())),
    "filter": lambda book, sheet, _: filters(book.written[sheet]),
    "pivot_table": lambda book, sheet, rule: pivots(book.written[sheet], rule.get("pivot_props", ())),
}


def _alike_in_ranges(one: Where, other: Where, rule: Rules) -> bool:
    for each in asked(rule, "rules"):
        cells = [cell for area in MultiCellRange(asked(each, "range")) for cell in _cells(area)]
        if not all(_alike(_cleaned(one[0].value(one[1], cell), each), _cleaned(other[0].value(other[1], cell), each), each) for cell in cells):
            return False
    return True


def _cells(area: Any) -> list[str]:
    if area.size["rows"] * area.size["columns"] > _MOST_CELLS:
        raise TaskError(f"the range {area} has more than {_MOST_CELLS} cells")
    return [f"{get_column_letter(column)}{row}" for row, column in area.cells]


def _cleaned(value: Any, rule: Rules) -> str:
    found = str(value)
    for old, new in rule.get("normalization", []):
        found = found.replace(old, new)
    found = found.lstrip(rule["trim_leadings"]) if "trim_leadings" in rule else found
    found = found.rstrip(rule["trim_trailings"]) if "trim_trailings" in rule else found
    found = "".join(letter for letter in found if letter not in rule.get("ignore_chars", ""))
    return found.lower() if rule.get("ignore_case", False) else found


def _alike(one: str, other: str, rule: Rules) -> bool:
    ways: Mapping[str, Callable[[], bool]] = {
        "includes": lambda: other in one,
        "included_by": lambda: one in other,
        "fuzzy_match": lambda: 100 * alike(one, other) >= rule.get("threshold", _THRESHOLD),
        "exact_match": lambda: one == other,
    }
    kind = asked(rule, "type")
    if kind not in ways:
        raise unknown("type of a fuzzy rule", kind, ways)
    return ways[kind]()


# --- what one sheet is held against


def _zoom_holds(book: Book, sheet: str, rule: Rules) -> bool:
    return holds(book.written[sheet].sheet_view.zoomScale or 100.0, rule)


def _is_validated(book: Book, sheet: str, rule: Rules) -> bool:
    """Tell whether each of the described validations is there, and nothing else is validated."""
    found = book.written[sheet].data_validations.dataValidation
    described = [[all(holds(getattr(one, name), each) for name, each in wanted.items()) for one in found] for wanted in asked(rule, "dv_props")]
    return all(map(any, described)) and all(any(column) for column in zip(*described, strict=True))


def _cell_holds(book: Book, sheet: str, rule: Rules) -> bool:
    place = asked(rule, "coordinate")
    cell = book.written[sheet][place]
    return all(holds(book.value(sheet, place) if name == "value" else style(name, cell), each) for name, each in asked(rule, "props").items())


_OF_ONE: Mapping[str, Callable[[Book, str, Rules], bool]] = {
    "zoom": _zoom_holds,
    "data_validation": _is_validated,
    "check_cell": _cell_holds,
}

# --- CSV files, and one list of cities


def same_csv(result: Place, expected: Place, strict: bool = True, ignore_case: bool = False) -> float:
    """1 if two CSV files have the same lines; not `strict`: blank space at the ends of lines does not matter."""

    def lines(place: Place) -> list[str]:
        found = text(place).lower() if ignore_case else text(place)
        return [line if strict else line.strip() for line in found.splitlines()]

    return lines(result) == lines(expected)


def cities_in_order(result: Place, rules: Rules) -> float:
    """1 if the cells C2:C22 of the active sheet of a workbook have the cities that are `expected`, in their order; a list there is of other names."""
    book = Book(result)
    cells = [row[0].value for row in book.written.active["C2:C22"]]
    wanted = asked(rules, "expected")
    names = [[one] if isinstance(one, str) else one for one in wanted]
    return len(names) >= len(cells) and all(any(name in str(cell or "") for name in each) for cell, each in zip(cells, names, strict=False))


METRICS: Metrics = {"compare_table": tables_agree, "compare_csv": same_csv, "compare_conference_city_in_order": cities_in_order}
