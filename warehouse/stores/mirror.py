"""What a mirror has of the objects of its store: an SQLite file, so that all processes of a host may write it at once."""

import contextlib
import sqlite3
import uuid
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from warehouse.stores.sqlite import read_while_written

_SCHEMA = """
create table if not exists objects (key text primary key, etag text not null) without rowid;
create table if not exists mirror (id text not null);
"""


class MirrorIndex:
    """The objects whose content is in the mirror, or was until someone changed it there."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        with self._opened() as connection:
            read_while_written(connection)
            connection.executescript(_SCHEMA)
            connection.execute("insert into mirror select ? where not exists (select 1 from mirror)", [uuid.uuid4().hex])
            (self.id,) = connection.execute("select id from mirror").fetchone()

    def below(self, prefix: str) -> dict[str, str]:
        """Return what identifies the content of the objects whose keys begin so, by key."""
        with self._opened() as connection:
            query = "select key, etag from objects where key >= ? and key < ? || char(1114111)"
            return dict(connection.execute(query, [prefix, prefix]).fetchall())

    def put(self, etags: Mapping[str, str]) -> None:
        """Note that the mirror has the content of objects, by their keys."""
        with self._opened() as connection:
            connection.executemany("insert or replace into objects values (?, ?)", list(etags.items()))

    def drop(self, keys: Iterable[str]) -> None:
        """Note that the mirror has some objects no longer."""
        with self._opened() as connection:
            connection.executemany("delete from objects where key = ?", [(key,) for key in keys])

    @contextlib.contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        with contextlib.closing(sqlite3.connect(self._path, timeout=60)) as connection, connection:
            connection.execute("pragma synchronous = normal")  # what a power cut loses is fetched again
            yield connection
