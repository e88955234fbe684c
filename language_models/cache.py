"""The cache of answers: one SQLite file, written ahead, so that a kill loses at most the calls in flight."""

import hashlib
import json
import sqlite3
from pathlib import Path
from typing import Any

_SCHEMA = """
create table if not exists answers (
    key text primary key, request text not null, sample integer not null, answer text not null, answered_at text not null default current_timestamp
)
"""


class Cache:
    """Complete answers by the whole request and the sample number. Transport errors are never kept."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._connection = sqlite3.connect(path, timeout=60)
        self._connection.execute("pragma journal_mode = wal")
        self._connection.execute(_SCHEMA)

    def get(self, request: dict[str, Any], sample: int) -> dict[str, Any] | None:
        """The kept answer, or None."""
        found = self._connection.execute("select answer from answers where key = ?", [request_key(request, sample)]).fetchone()
        return None if found is None else dict(json.loads(found[0]))

    def put(self, request: dict[str, Any], sample: int, answer: dict[str, Any]) -> None:
        """Keep an answer; it is on disk when this returns."""
        row = [request_key(request, sample), _canonical(request), sample, json.dumps(answer)]
        with self._connection:
            self._connection.execute("insert or replace into answers (key, request, sample, answer) values (?, ?, ?, ?)", row)

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()


def request_key(request: dict[str, Any], sample: int) -> str:
    """A hash of the whole request and the sample number."""
    return hashlib.sha256(f"{_canonical(request)}\n{sample}".encode()).hexdigest()


def _canonical(request: dict[str, Any]) -> str:
    return json.dumps(request, sort_keys=True, ensure_ascii=False)
