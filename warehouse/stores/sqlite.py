"""SQLite files that several connections use at once."""

import sqlite3
import time

_SECONDS, _PAUSE = 60.0, 0.01  # SQLite waits as long for other locks


def read_while_written(connection: sqlite3.Connection) -> None:
    """Let others read while one writes (the mode WAL, which the file keeps).

    SQLite waits for no lock when a file changes its mode, so two that open a new file at once would disturb each other.
    """
    end = time.monotonic() + _SECONDS
    while True:
        try:
            connection.execute("pragma journal_mode = wal")
        except sqlite3.OperationalError:
            if time.monotonic() > end:
                raise
            time.sleep(_PAUSE)
        else:
            return
