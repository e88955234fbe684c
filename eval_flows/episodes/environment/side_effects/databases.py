"""SQLite databases, compared by schema and rows.

`table` frees a table, or a view or an index of that name, as a whole; with `where` only its rows that match,
with `columns` only these columns, and with both only these columns in those rows.
"""

import sqlite3
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from eval_flows.episodes.environment.side_effects.parts import Parts, Unit, Units
from eval_flows.episodes.tasks.changes import Change

_SECONDS, _STEPS, _MOST_ROWS = 5.0, 100_000, 10_000


def of_database(content: bytes, changes: Sequence[Change]) -> Parts:
    """Return columns of tables, definitions of views, indices and triggers, rows (in any order) and the user version, without what is freed."""
    if not content:
        return {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fetched.db"
        path.write_bytes(content)
        connection = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
        until = time.monotonic() + _SECONDS
        connection.set_progress_handler(lambda: time.monotonic() > until, _STEPS)
        try:
            return _read(connection, changes)
        finally:
            connection.close()


def spoiled(content: bytes, changes: Sequence[Change]) -> bytes:
    """Return the database without a row: the first one that no change is about, of the first table that has such a row."""
    whole = _whole(changes)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fetched.db"
        path.write_bytes(content)
        connection = sqlite3.connect(path)
        for (name,) in connection.execute("select name from sqlite_master where type = 'table' order by name").fetchall():
            about = [change for change in changes if _name(change) == name.casefold()]
            one = f'select min(rowid) from "{name}" where 1{_outside(about)}'
            if name.casefold() not in whole and connection.execute(f'delete from "{name}" where rowid in ({one})').rowcount:
                break
        connection.commit()
        connection.close()
        return path.read_bytes()


def _read(connection: sqlite3.Connection, changes: Sequence[Change]) -> Parts:
    whole = _whole(changes)
    parts: Parts = {}
    schema: dict[str, Any] = {}
    query = "select type, name, tbl_name, sql from sqlite_master where name not like 'sqlite_%' order by name"
    for kind, name, table, definition in connection.execute(query).fetchall():
        if {name.casefold(), table.casefold()} & whole:
            continue
        if kind == "table":
            about = [change for change in changes if _name(change) == name.casefold()]
            columns = _columns(connection, name, about)
            schema[f"table {name}"] = ", ".join(columns.values())
            parts[f"rows of {name}"] = _rows(connection, name, list(columns), about)
        else:
            schema[f"{kind} {name}"] = " ".join(str(definition).replace('"', "").split()).casefold()
    if not any("user_version" in change for change in changes):
        schema["user version"] = connection.execute("pragma user_version").fetchone()[0]
    return {"schema": schema, **parts}


def _whole(changes: Sequence[Change]) -> set[str]:
    """Return the names of the tables that are freed as a whole."""
    return {_name(change) for change in changes if "table" in change and not {"where", "columns"} & set(change)}


def _outside(about: Sequence[Change]) -> str:
    """Return a condition in SQL for the rows of a table that match none of the changes."""
    return "".join(f" and not coalesce(({change['where']}), 0)" for change in about if "where" in change)


def _name(change: Change) -> str:
    return str(change.get("table", "")).casefold()


def _columns(connection: sqlite3.Connection, table: str, about: Sequence[Change]) -> dict[str, str]:
    """Return the columns that no change frees, each with its type and whether it is a key."""
    free = {str(column).casefold() for change in about if "where" not in change for column in change.get("columns", ())}
    found = connection.execute("select name, type, pk from pragma_table_info(?)", [table]).fetchall()
    return {name: f"{name} {kind}{' key' if key else ''}".casefold() for name, kind, key in found if name.casefold() not in free}


def _rows(connection: sqlite3.Connection, table: str, columns: Sequence[str], about: Sequence[Change]) -> Units:
    """Return the rows that no change frees, sorted, so that their order does not count."""
    wanted = ", ".join(_shown(column, about) for column in columns) or "null"
    outside = _outside([change for change in about if "columns" not in change])
    rows = connection.execute(f'select {wanted} from "{table}" where 1{outside} limit {_MOST_ROWS}').fetchall()
    told = sorted(" | ".join("" if value is None else str(value) for value in row) for row in rows)
    return Units([Unit(f"row of {table}", row) for row in told])


def _shown(column: str, about: Sequence[Change]) -> str:
    """Return a column in SQL; it is null in a row in which a change frees it."""
    free = [f"coalesce(({change['where']}), 0)" for change in about if "where" in change and column in change.get("columns", ())]
    return f'case when {" or ".join(free)} then null else "{column}" end' if free else f'"{column}"'
