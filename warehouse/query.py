"""Read-only queries to the warehouse, answered as a table, CSV or JSON."""

import contextlib
import csv
import io
import json
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any, Literal

import duckdb

from warehouse.errors import WarehouseError

NO_VALUE = "—"  # shown in an empty cell of a table
Format = Literal["table", "csv", "json"]
Rows = tuple[list[str], list[tuple[Any, ...]]]  # the names of the columns, and the rows
_QUERIES = {"SELECT", "EXPLAIN", "MULTI", "PRAGMA"}  # kinds of statements; `pivot` is several statements at once
_UNTIL_ASKED_AGAIN = 0.05  # seconds; an interrupt between two parts of a query is lost


def connect(path: Path) -> duckdb.DuckDBPyConnection:
    """Return a read-only connection that can reach only the warehouse file."""
    if not path.is_file():
        make = "make one with `deskmill build demo` or `deskmill select demo --protocol random`, or of data that is there with `deskmill load`"
        raise WarehouseError(f"there is no warehouse at {path} yet: {make}")
    connection = duckdb.connect(str(path), read_only=True)
    with contextlib.suppress(duckdb.InvalidInputException):  # in a notebook the bar needs a widget, which may be missing
        connection.execute("set enable_progress_bar = false")
    connection.execute("set enable_external_access = false")
    return connection


@contextlib.contextmanager
def of_this_version() -> Iterator[None]:
    """Guard our own queries: a missing table or column means that an older version made the warehouse."""
    try:
        yield
    except (duckdb.CatalogException, duckdb.BinderException) as error:
        reason = str(error).splitlines()[0]
        raise WarehouseError(
            f"the warehouse was made by another version of Deskmill ({reason}): `deskmill load` makes it again from the Parquet, and loses nothing"
        ) from error


def rows_of(connection: duckdb.DuckDBPyConnection, query: str, parameters: Sequence[Any] = ()) -> list[dict[str, Any]]:
    """Return the rows of a query as dictionaries."""
    result = connection.execute(query, list(parameters))
    names = [column[0] for column in result.description]
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


def answer(path: Path, query: str, shape: Format, seconds: float | None = None) -> str:
    """Return the answer to a query as text; WarehouseError if it is no query, fails with DuckDB's message, or takes longer than `seconds`."""
    connection = connect(path)
    try:
        # without this, `call enable_logging(storage = 'file', ...)` cannot write its file and ends the process
        connection.execute("set lock_configuration = true")
        _check_that_it_asks(connection, query)
        names, rows = _answered(connection, query, seconds)
    except duckdb.Error as error:
        hint = "the warehouse is only read here, so settings, logging and profiling stay as they are: " if "has been locked" in str(error) else ""
        raise WarehouseError(f"the query was not answered: {hint}{error}") from None
    finally:
        connection.close()
    return rendered(names, rows, shape)


def _check_that_it_asks(connection: duckdb.DuckDBPyConnection, query: str) -> None:
    """Refuse an empty text, and statements that do something instead of returning rows."""
    statements = connection.extract_statements(query)
    if not statements:
        raise WarehouseError("the query was not answered: it is empty; ask for example `select * from accuracy`")
    for statement in statements:
        if statement.type.name not in _QUERIES:
            text = " ".join(statement.query.split()).rstrip("; ")
            raise WarehouseError(
                f"the query was not answered: the warehouse is only read here, and `{text}` is not a query; "
                "begin with select, with, from, values, describe, show, summarize, explain or pivot"
            )


def _answered(connection: duckdb.DuckDBPyConnection, query: str, seconds: float | None) -> Rows:
    """Run the query in a thread, so that Ctrl+C and the limit reach this one; DuckDB itself heeds no signal."""
    with ThreadPoolExecutor(1) as executor:
        running = executor.submit(_run, connection, query)
        try:
            return running.result(timeout=seconds)
        except TimeoutError:
            raise WarehouseError(
                f"the query was not answered: it took longer than the limit of {seconds:g} seconds; ask for less, or allow more with --seconds"
            ) from None
        finally:
            _stop(connection, running)


def _stop(connection: duckdb.DuckDBPyConnection, running: Future[Rows]) -> None:
    while not running.done():
        connection.interrupt()
        wait([running], timeout=_UNTIL_ASKED_AGAIN)


def _run(connection: duckdb.DuckDBPyConnection, query: str) -> Rows:
    result = connection.execute(query)
    return [column[0] for column in result.description or []], result.fetchall()


def rendered(names: Sequence[str], rows: Sequence[Sequence[Any]], shape: Format) -> str:
    """Return rows as text; each row is as long as `names`. A table has four decimals and a dash for null; CSV and JSON hold the values."""
    if shape == "json":
        return json.dumps([dict(zip(names, row, strict=True)) for row in rows], indent=2, default=str, ensure_ascii=False)
    if shape == "csv":
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerows([names, *rows])
        return text.getvalue().rstrip("\n")
    return _table(names, rows)


def _table(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return aligned columns: numbers to the right, floats with four decimals."""
    cells = [[_shown(value) for value in row] for row in rows]
    widths = [max([len(name), *(len(row[number]) for row in cells)]) for number, name in enumerate(names)]
    numeric = [all(isinstance(row[number], int | float) or row[number] is None for row in rows) for number in range(len(names))]

    def line(values: Sequence[str]) -> str:
        padded = (value.rjust(width) if right else value.ljust(width) for value, width, right in zip(values, widths, numeric, strict=True))
        return "  ".join(padded).rstrip()

    count = f"({len(rows)} row{'s' * (len(rows) != 1)})"
    return "\n".join([line(names), line(["-" * width for width in widths]), *map(line, cells), count])


def _shown(value: Any) -> str:
    if value is None:
        return NO_VALUE
    if not isinstance(value, float):
        return str(value)
    return f"{value:.1e}" if 0 < abs(value) < 0.00005 else f"{value:.4f}"  # a small p-value or cost is not zero
