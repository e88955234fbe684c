"""The history of Chrome or Edge: adding visits to the database that a profile has."""

import sqlite3
import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import thread_time
from typing import Any

HISTORIES: Mapping[tuple[str, str], Sequence[str]] = {
    ("Chrome", "linux"): (".config/google-chrome/Default/History", ".config/chromium/Default/History"),
    ("Chrome", "windows"): ("AppData\\Local\\Google\\Chrome\\User Data\\Default\\History",),
    ("Edge", "windows"): ("AppData\\Local\\Microsoft\\Edge\\User Data\\Default\\History",),
}
"""Where the home folder has the history of a browser, by the browser and the platform."""
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)  # Chrome counts microseconds since then
_SECONDS, _STEPS = 10.0, 10_000  # of the processor, and how many steps of the database there are between two looks at the clock
_LINK = 0x30000000  # the transition of a visit that begins and ends a chain


def with_visits(database: bytes, visits: Sequence[Mapping[str, Any]], now: datetime) -> bytes:
    """Return the database with these visits, each so many seconds before `now`; `sqlite3.DatabaseError` if it is none of Chrome's.

    It may be what an agent left, with triggers that never end: it has ten seconds of the processor.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "History"
        path.write_bytes(database)
        connection = sqlite3.connect(path)
        end = thread_time() + _SECONDS
        connection.set_progress_handler(lambda: thread_time() > end, _STEPS)
        try:
            with connection:
                for visit in visits:
                    at = now - timedelta(seconds=visit["visit_time_from_now_in_seconds"])
                    time = (at - _EPOCH) // timedelta(microseconds=1)
                    added = connection.execute(
                        "insert into urls (url, title, visit_count, typed_count, last_visit_time, hidden) values (?, ?, 1, 0, ?, 0)",
                        (visit["url"], visit["title"], time),
                    )
                    connection.execute(
                        "insert into visits (url, visit_time, from_visit, transition, segment_id, visit_duration) values (?, ?, 0, ?, 0, 0)",
                        (added.lastrowid, time, _LINK),
                    )
        finally:
            connection.close()
        return path.read_bytes()
