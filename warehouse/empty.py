"""An empty warehouse: every table, macro, view and comment, and no row. To make it takes a second of a processor, so it is kept for the next load.

It lies in the folder of caches of the user. Its name is a hash of all that it was made from, so it is never out of date. What cannot be read or
written counts as not kept.
"""

import contextlib
import hashlib
import os
import re
import shutil
import tempfile
import time
from pathlib import Path

import duckdb

SQL_ROOT = Path(__file__).parent / "sql"
_ROW_GROUP = 30_720  # rows, a multiple of 2,048: full groups are written while the next rows are read; DuckDB's own groups are four times as large
_MOST = 4  # of several checkouts; the oldest goes
_LEFT_FOR = 86_400.0  # seconds after which a temporary file is one of a command that was killed
_DERIVED = re.compile(r"^create (?:temporary|table)\b.*?;$", re.MULTILINE | re.DOTALL)  # what has rows or serves to make them
_INTO_TABLE = re.compile(r"^create table (\w+) as$", re.MULTILINE)


def write_empty(path: Path) -> None:
    """Write an empty warehouse, a copy of the one that is kept if it can be read."""
    kept = _folder() / f"warehouse.{_hash()}.duckdb"
    with contextlib.suppress(OSError, duckdb.Error):  # not there, or damaged
        shutil.copyfile(kept, path)
        with contextlib.closing(attached(path)) as connection:
            connection.execute("select count(*) from duckdb_columns()")
        with contextlib.suppress(OSError):  # a folder that cannot be written
            os.utime(kept)  # what is used is not the oldest
        return
    path.unlink(missing_ok=True)
    _make(path)
    with contextlib.suppress(OSError):  # a folder that cannot be written
        _keep(path, kept)


def attached(path: Path) -> duckdb.DuckDBPyConnection:
    """Return a connection that uses the warehouse at a path, in which it may write."""
    connection = duckdb.connect()
    connection.execute("set enable_progress_bar = false")
    connection.execute(f"set temp_directory = '{_quoted(path)}.tmp'")
    connection.execute(f"attach '{_quoted(path)}' as warehouse (row_group_size {_ROW_GROUP})")
    connection.execute("use warehouse")
    return connection


def commit(connection: duckdb.DuckDBPyConnection) -> None:
    """End a transaction, and write all of it into the file: closing would do that too, but would not tell that the disk is full."""
    connection.commit()
    connection.execute("checkpoint warehouse")


def derive(connection: duckdb.DuckDBPyConnection) -> None:
    """Fill the tables that stand for slow queries, in the order of their files; temporary tables end with the connection."""
    for path in _views():
        for statement in _DERIVED.findall(path.read_text()):
            connection.execute(_INTO_TABLE.sub(r"insert into \1", statement))


def _make(path: Path) -> None:
    with contextlib.closing(attached(path)) as connection:
        connection.begin()  # one transaction, so that hundreds of comments are written at once
        for file in (SQL_ROOT / "schema.sql", SQL_ROOT / "macros.sql", *_views()):
            connection.execute(file.read_text())
        commit(connection)


def _views() -> list[Path]:
    """Return the files of views, and of tables for slow queries, in their order."""
    return sorted((SQL_ROOT / "views").glob("*.sql"))


def _folder() -> Path:
    home = os.environ.get("HOME") or os.devnull  # no folder can be made there: without a home nothing is kept
    return Path(os.environ.get("XDG_CACHE_HOME") or Path(home, ".cache"), "deskmill")


def _hash() -> str:
    made_from = hashlib.blake2b(f"{duckdb.__version__}\n".encode(), digest_size=8)
    for path in (Path(__file__), SQL_ROOT / "schema.sql", SQL_ROOT / "macros.sql", *_views()):
        content = path.read_bytes()
        made_from.update(f"{path.name} {len(content)}\n".encode() + content)
    return made_from.hexdigest()


def _keep(made: Path, kept: Path) -> None:
    kept.parent.mkdir(parents=True, exist_ok=True)
    for left in kept.parent.glob(".warehouse.*"):
        if time.time() - left.stat().st_mtime > _LEFT_FOR:
            left.unlink(missing_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=kept.parent, prefix=".warehouse.")
    os.close(descriptor)
    try:
        shutil.copyfile(made, temporary)
        Path(temporary).replace(kept)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    others = sorted(kept.parent.glob("warehouse.*.duckdb"), key=lambda one: one.stat().st_mtime)
    for old in others[:-_MOST]:
        old.unlink(missing_ok=True)


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")
