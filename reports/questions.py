"""Questions that pages ask: declared SQL, with its values written in, so that the query shown is the very one that was run.

A page shows it as the argument of `deskmill sql "..."`.
"""

from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Any

import duckdb

from warehouse.query import rows_of

_QUERIES = Path(__file__).parent / "queries"
Rows = list[dict[str, Any]]

# What many pages ask of one run or one application at a time, each after those that it rests on.
_COMPUTED_ONCE = (
    "latest_runs",
    "scored_predictions",
    "accuracy",
    "accuracy_by_category",
    "accuracy_by_application",
    "narration_profile",
    "catalog_coverage",
)


@dataclass(frozen=True)
class Answer:
    """A query as `deskmill sql` takes it, and its rows."""

    query: str
    rows: Rows


def compute_views_once(connection: duckdb.DuckDBPyConnection) -> None:
    """Put the rows of the views that pages ask again and again into temporary tables of the same names, which stand before the views."""
    for view in _COMPUTED_ONCE:
        connection.execute(f"create temp table {view} as select * from {view}")


def ask(connection: duckdb.DuckDBPyConnection, name: str, **values: str) -> Answer:
    """The answer to queries/<name>.sql, where `$value` stands for each of the values; KeyError where one is missing."""
    query = Template((_QUERIES / f"{name}.sql").read_text().strip()).substitute({key: _literal(value) for key, value in values.items()})
    return Answer(query, rows_of(connection, query))


def _literal(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
