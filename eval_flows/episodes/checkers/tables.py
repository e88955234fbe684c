"""The getter of tables of data in text files, as statisticians and laboratories keep them."""

from typing import Any

from eval_flows.episodes.checkers.checker import Checkers
from eval_flows.episodes.checkers.files import rows_of_csv


def table(content: bytes, what: str) -> Any:
    """Return a property of a table with a header; KeyError if there is no such property or column."""
    head, *rows = [row for row in rows_of_csv(content) if any(cell.strip() for cell in row)]
    kind, _, rest = what.partition(".")
    if kind == "columns":
        return [name.strip() for name in head]
    if kind == "rows":
        return len(rows)
    name, _, key = rest.partition(":")
    at = _place(head, name)
    if kind == "column":
        return [_cell(row, at) for row in rows]
    if kind == "value":
        return next((_cell(row, at) for row in rows if any(cell.strip().casefold() == key.casefold() for cell in row)), None)
    return {"largest": max}[kind](float(_cell(row, at)) for row in rows)


def _place(head: list[str], name: str) -> int:
    names = [one.strip().casefold() for one in head]
    if name.casefold() not in names:
        raise KeyError(name)
    return names.index(name.casefold())


def _cell(row: list[str], at: int) -> str:
    return row[at].strip() if at < len(row) else ""


CHECKERS = Checkers(of_files={"table": lambda content, asked: table(content, asked["what"])})
