"""Answers of language models and the ledger of calls, shared by hosts: each host's SQLite file is sent in segments, and gets those of the others.

A segment is an SQLite file with the rows of some seconds, an object that never changes. The host notes the rows of a segment before it sends it, so a
kill neither loses nor doubles a row. Batches that were handed in, and what else only concerns the host, stay there.
"""

import contextlib
import sqlite3
import tempfile
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

from warehouse.stores.keys import SEGMENTS
from warehouse.stores.objects import Objects
from warehouse.stores.sqlite import read_while_written

_SCHEMA = """
create table if not exists sent (kind text not null, id not null, segment text not null, primary key (kind, id)) without rowid;
create table if not exists segments (name text primary key, is_stored integer not null) without rowid;
"""
_SHARED = {"texts": "hash", "answers": "key", "calls": "rowid"}  # tables of the file, and what identifies a row on this host


class Answers:
    """The file of answers and calls of this host, and its exchange with the store."""

    def __init__(self, objects: Objects, path: Path) -> None:
        self._objects = objects
        self._path = path

    def exchange(self) -> None:
        """Send what is new here, and get what is new in the store."""
        self.send()
        self.take()

    def send(self) -> None:
        """Send the rows that no segment has yet."""
        if not self._path.is_file():
            return
        with self._opened() as connection:
            if not connection.execute("select 1 from sqlite_master where name = 'calls'").fetchone():
                return
            self._note_new(connection)
            for (name,) in connection.execute("select name from segments where not is_stored").fetchall():
                with tempfile.TemporaryDirectory() as folder:
                    file = Path(folder) / "segment.sqlite"
                    _write_segment(connection, name, file)
                    self._objects.put(f"{SEGMENTS}{name}", file, is_new=True)
                connection.execute("update segments set is_stored = 1 where name = ?", [name])
                connection.commit()

    def take(self) -> None:
        """Get the segments of other hosts that are not here yet."""
        names = sorted(entry.key.removeprefix(SEGMENTS) for entry in self._objects.listed(SEGMENTS))
        if not names:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._opened() as connection:
            known = {name for (name,) in connection.execute("select name from segments")}
            for name in names:
                if name not in known:
                    with tempfile.TemporaryDirectory() as folder:
                        file = Path(folder) / "segment.sqlite"
                        if self._objects.download(f"{SEGMENTS}{name}", file) is not None:
                            _add_segment(connection, name, file)

    def _note_new(self, connection: sqlite3.Connection) -> None:
        name = f"{int(time.time())}-{uuid.uuid4().hex}.sqlite"
        connection.execute("begin immediate")
        noted = 0
        for table, identity in _SHARED.items():
            new = f"select '{table}', {identity}, ? from {table} where {identity} not in (select id from sent where kind = '{table}')"
            noted += connection.execute(f"insert into sent {new}", [name]).rowcount
        if noted:
            connection.execute("insert into segments values (?, 0)", [name])
        connection.commit()

    @contextlib.contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        with contextlib.closing(sqlite3.connect(self._path, timeout=60)) as connection:
            read_while_written(connection)
            connection.executescript(_SCHEMA)
            yield connection


def _write_segment(connection: sqlite3.Connection, name: str, file: Path) -> None:
    """Write the rows that were noted for a segment, in tables like those here."""
    connection.execute("attach ? as segment", [str(file)])
    try:
        for table, identity in _SHARED.items():
            (created,) = connection.execute("select sql from sqlite_master where name = ?", [table]).fetchone()
            connection.execute(created.replace(f"TABLE {table}", f"TABLE segment.{table}", 1))
            noted = "select id from main.sent where kind = ? and segment = ?"
            connection.execute(f"insert into segment.{table} select * from main.{table} where {identity} in ({noted})", [table, name])
        connection.commit()
    finally:
        connection.execute("detach segment")


def _add_segment(connection: sqlite3.Connection, name: str, file: Path) -> None:
    """Add the rows of a segment, once. An answer that is here already stays as it is."""
    connection.execute("attach ? as segment", [str(file)])
    try:
        connection.execute("begin immediate")
        if connection.execute("insert or ignore into segments values (?, 1)", [name]).rowcount:
            for table, identity in _SHARED.items():
                (created,) = connection.execute("select sql from segment.sqlite_master where name = ?", [table]).fetchone()
                connection.execute(created.replace("CREATE TABLE", "CREATE TABLE IF NOT EXISTS", 1))
                (last,) = connection.execute("select coalesce(max(rowid), 0) from main.calls").fetchone() if table == "calls" else (None,)
                connection.execute(f"insert or ignore into main.{table} select * from segment.{table}")
                added = f"main.calls where rowid > {last}" if table == "calls" else f"segment.{table}"
                connection.execute(f"insert or ignore into sent select ?, {identity}, ? from {added}", [table, name])
        connection.commit()
    except BaseException:
        connection.rollback()
        raise
    finally:
        connection.execute("detach segment")
