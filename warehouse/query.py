"""Read-only queries to the warehouse, answered as a table, CSV or JSON."""

import contextlib
import csv
import io
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import duckdb

from warehouse.errors import WarehouseError

NO_VALUE = "—"  # shown in an empty cell of a table
Format = Literal["table", "csv", "json"]


def connect(path: Path) -> duckdb.DuckDBPyConnection:
    """Return a read-only connection that can reach only the warehouse file."""
    if not path.is_file():
        raise WarehouseError(f"there is no warehouse at {path} yet: make one with `deskmill build demo` or `deskmill select demo --protocol random`")
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


def answer(path: Path, query: str, shape: Format) -> str:
    """Return the answer to a query as text; WarehouseError with DuckDB's message if the query fails."""
    connection = connect(path)
    try:
        # without this, `call enable_logging(storage = 'file', ...)` cannot write its file and ends the process
        connection.execute("set lock_configuration = true")
        if not connection.extract_statements(query):
            raise WarehouseError("the query was not answered: it is empty; ask for example `select * from accuracy`")
        result = connection.execute(query)
        names = [column[0] for column in result.description or []]
        rows = result.fetchall()
    except duckdb.Error as error:
        hint = "the warehouse is only read here, so settings, logging and profiling stay as they are: " if "has been locked" in str(error) else ""
        raise WarehouseError(f"the query was not answered: {hint}{error}") from None
    finally:
        connection.close()
    return rendered(names, rows, shape)


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
