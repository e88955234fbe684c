"""Questions that pages ask: declared SQL with its values filled in, so that a page shows exactly the query that was run.

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

# Views that many pages ask for one run or one application; each comes after the views that it uses.
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
    "sweep_factors",
    "sweep_results",
    "sweep_pairs",
)


@dataclass(frozen=True)
class Answer:
    """A query as `deskmill sql` takes it, and its rows."""

    query: str
    rows: Rows


def compute_views_once(connection: duckdb.DuckDBPyConnection) -> None:
    """Put the rows of often used views into temporary tables of the same names, which DuckDB finds before the views."""
    for view in _COMPUTED_ONCE:
        connection.execute(f"create temp table {view} as select * from {view}")


def ask(connection: duckdb.DuckDBPyConnection, name: str, **values: str) -> Answer:
    """Return the answer to queries/<name>.sql, in which each `$value` is filled in; KeyError if a value is missing."""
    query = _declared(name).substitute({key: _literal(value) for key, value in values.items()})
    return Answer(query, rows_of(connection, query))


def ask_for_each(connection: duckdb.DuckDBPyConnection, name: str, by: Sequence[str], **values: str) -> Callable[..., Answer]:
    """Return what `ask` would return for any values of the columns `by`, from one query for all of them.

    queries/<name>.sql compares the columns for equality, `column = $column`, and returns them.
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
