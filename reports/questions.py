"""Questions that pages ask: declared SQL, with its values written in, so that the query shown is the very one that was run.

A page shows it as the argument of `deskmill sql "..."`.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
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
    "episode_success",
    "episode_cost",
    "pass_at_k",
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
    query = _declared(name).substitute({key: _literal(value) for key, value in values.items()})
    return Answer(query, rows_of(connection, query))


def ask_for_each(connection: duckdb.DuckDBPyConnection, name: str, by: Sequence[str], **values: str) -> Callable[..., Answer]:
    """What `ask` would answer for any values of the columns `by`, from the rows of all of them, asked once.

    queries/<name>.sql compares the columns for equality, `column = $column`, and gives them.
    """
    query = _declared(name)
    literals = {key: _literal(value) for key, value in values.items()}
    found: dict[tuple[str, ...], Rows] = defaultdict(list)
    for row in rows_of(connection, query.substitute(literals, **{column: column for column in by})):
        found[tuple(str(row[column]) for column in by)].append(row)
    return lambda *of: Answer(query.substitute(literals, **{column: _literal(value) for column, value in zip(by, of, strict=True)}), found[of])


@cache
def _declared(name: str) -> Template:
    return Template((_QUERIES / f"{name}.sql").read_text().strip())


def _literal(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
