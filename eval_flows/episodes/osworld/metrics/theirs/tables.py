"""Mistakes of theirs in metrics of workbooks."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from eval_flows.episodes.osworld.metrics import tables
from eval_flows.episodes.osworld.metrics.books import Book
from eval_flows.episodes.osworld.metrics.matching import holds
from eval_flows.episodes.osworld.metrics.metric import Metrics, Rules
from eval_flows.episodes.osworld.metrics.reading import Place
from eval_flows.episodes.osworld.metrics.theirs.difference import TheirCrash

_MOST_CELLS = 5_000_000


def _frames(result: Place | None, expected: Place | None = None, rules: Sequence[Rules] = ()) -> float:
    if result is None:
        return 0.0
    books = Book(result), None if expected is None else Book(expected)
    return all(_holds(books, rule) for rule in rules)


def _holds(books: Any, rule: Rules) -> bool:
    kind = rule["type"]
    if kind == "sheet_data":
        one, other = (_frame(*tables._where(books, rule[key])).round(rule.get("precision", 4)) for key in ("sheet_idx0", "sheet_idx1"))
        return one.equals(other)
    if kind == "style" and "font_color" in rule.get("props", ()):
        for key in ("sheet_idx0", "sheet_idx1"):
            book, name = tables._where(books, rule[key])
            if any(cell.value is not None and cell.font.color is None for cell in book.written[name]._cells.values()):
                raise TheirCrash("a cell has no colour of its own")
    if kind == "data_validation":
        book, name = tables._where(books, rule["sheet_idx"])
        found, wanted = book.written[name].data_validations.dataValidation, rule["dv_props"]
        met = [any(all(holds(getattr(one, key), each) for key, each in props.items()) for props in wanted) for one in found]
        return len(found) >= len(wanted) and all(met)
    return tables._holds(books, rule)


def _frame(book: Book, name: str) -> pd.DataFrame:
    sheet = book.written[name]
    if sheet.max_row * sheet.max_column > _MOST_CELLS:
        raise ValueError(f"the sheet has {sheet.max_row} rows and {sheet.max_column} columns: a table of them does not fit into memory")
    return pd.read_excel(book.place, name)


TABLES: Metrics = {
    "compare_table": _frames,
}
