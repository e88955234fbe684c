"""Protects that a new SQLite file can be opened by several at once."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

from warehouse.stores.sqlite import read_while_written


def test_many_that_open_a_new_file_at_once_all_get_it(tmp_path: Path) -> None:
    """SQLite tells some of them at once that the file is locked."""
    together = Barrier(8)

    def opened(number: int) -> str:
        together.wait()
        connection = sqlite3.connect(tmp_path / "new.sqlite", timeout=60)
        read_while_written(connection)
        connection.execute("create table if not exists numbers (number integer)")
        connection.execute("insert into numbers values (?)", [number])
        connection.commit()
        (mode,) = connection.execute("pragma journal_mode").fetchone()
        connection.close()
        return str(mode)

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(opened, range(8))) == ["wal"] * 8
    with sqlite3.connect(tmp_path / "new.sqlite") as connection:
        assert connection.execute("select count(*) from numbers").fetchone() == (8,)
