"""The cache of answers and the ledger of calls: one SQLite file with a write-ahead log, so that a kill loses at most the calls in flight.

`answers` holds every complete answer by the whole request and the sample number, also refusals and truncated answers, but no transport errors.
`texts` holds each long text of requests once, pictures too: the requests of a run share texts, and the turns of a conversation share pictures.
An unreadable entry is moved to `set_aside` and asked again.
`served` holds the weights that an endpoint says it serves, so that answers of other weights are never mixed with its own.
"""

import contextlib
import hashlib
import json
import shutil
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from language_models.errors import ModelError

_SCHEMA = """
create table if not exists answers (
    key text primary key, request text not null, sample integer not null, answer text not null, answered_at text not null default current_timestamp
);
create table if not exists texts (hash text primary key, content blob not null) without rowid;
create table if not exists set_aside (key text not null, request text, answer text, set_aside_at text not null default current_timestamp);
create table if not exists batches (
    input_file text primary key, batch_id text, requests blob not null, handed_in_at text not null default current_timestamp
);
create table if not exists calls (
    call_id text not null, purpose text not null, model text not null, endpoint text not null, started_at text not null, status text not null,
    attempt integer not null, input_tokens integer not null, cached_tokens integer not null, output_tokens integer not null,
    cost_usd real not null, latency_ms real not null
);
create table if not exists served (endpoint text primary key, weights text not null) without rowid;
"""
_LEAST_FREE = 2**20  # bytes: with less, SQLite has other words for a full disk
_LOCKED_SECONDS = 60.0  # that SQLite waits for others
_SHORT = 200  # characters; texts up to this length stay in the request


@dataclass(frozen=True)
class Call:
    """One call: its purpose, model, endpoint, status, tokens, cost and time."""

    call_id: str
    purpose: str
    model: str
    endpoint: str
    started_at: str
    status: str
    attempt: int
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    cost_usd: float
    latency_ms: float


_ADD_CALL = f"insert into calls values ({', '.join('?' * len(fields(Call)))})"


@dataclass(frozen=True)
class Batch:
    """Requests that were handed in together: the uploaded file, the id of the batch or None, and [key, request, sample] of each."""

    input_file: str
    batch_id: str | None
    requests: list[tuple[str, dict[str, Any], int]]


class Cache:
    """Complete answers by request, and the calls of the ledger."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        with _room(path):
            self._connection = opened(path)
        self._known_texts: set[str] = set()

    def get(self, key: str) -> dict[str, Any] | None:
        """Return the answer that is kept under the key of a request, or None."""
        found = self._connection.execute("select answer from answers where key = ?", [key]).fetchone()
        if found is None:
            return None
        try:
            answer = json.loads(found[0])
            if not isinstance(answer, dict) or not isinstance(answer.get("text"), str) or not isinstance(answer.get("status"), str):
                raise ValueError("not an answer")
        except ValueError:
            self.set_aside(key)
            return None
        return answer

    def set_aside(self, key: str) -> None:
        """Move an entry to `set_aside`, so that its request is asked again."""
        with _room(self._path), self._connection:
            self._connection.execute("insert into set_aside (key, request, answer) select key, request, answer from answers where key = ?", [key])
            self._connection.execute("delete from answers where key = ?", [key])

    def has_answered(self, purpose: str) -> bool:
        """Tell whether a call for this purpose ever succeeded."""
        query = "select 1 from calls where purpose = ? and status <> 'failed' limit 1"
        return self._connection.execute(query, [purpose]).fetchone() is not None

    def served_before(self, endpoint: str, weights: str) -> str:
        """Return the stored weights of an endpoint. If none are stored yet, store the given weights and return them."""
        with _room(self._path), self._connection:
            self._connection.execute("insert or ignore into served values (?, ?)", [endpoint, weights])
        (noted,) = self._connection.execute("select weights from served where endpoint = ?", [endpoint]).fetchone()
        return str(noted)

    def put(self, key: str, request: dict[str, Any], sample: int, answer: dict[str, Any], call: Call | None = None) -> None:
        """Keep an answer and its call. From then on, both survive a kill."""
        with _room(self._path), self._connection:
            stored = json.dumps(self._apart(request), ensure_ascii=False)
            row = [key, stored, sample, json.dumps(answer, ensure_ascii=False)]
            self._connection.execute("insert or replace into answers (key, request, sample, answer) values (?, ?, ?, ?)", row)
            if call is not None:
                self._connection.execute(_ADD_CALL, tuple(vars(call).values()))

    def note(self, call: Call) -> None:
        """Keep a call that brought no answer."""
        with _room(self._path), self._connection:
            self._connection.execute(_ADD_CALL, tuple(vars(call).values()))

    def batches(self) -> list[Batch]:
        """Return the batches that were handed in and whose answers are not kept yet."""
        rows = self._connection.execute("select input_file, batch_id, requests from batches").fetchall()
        return [Batch(file, batch, json.loads(zlib.decompress(requests))) for file, batch, requests in rows]

    def put_batch(self, batch: Batch) -> None:
        """Store a batch, so that the next run fetches it after a kill instead of paying again."""
        with _room(self._path), self._connection:
            requests = zlib.compress(json.dumps(batch.requests, ensure_ascii=False).encode())
            self._connection.execute(
                "insert or replace into batches (input_file, batch_id, requests) values (?, ?, ?)", [batch.input_file, batch.batch_id, requests]
            )

    def end_batch(self, batch: Batch) -> None:
        """Delete a batch whose answers are kept."""
        with _room(self._path), self._connection:
            self._connection.execute("delete from batches where input_file = ?", [batch.input_file])

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _apart(self, part: Any) -> Any:
        """Return a part of a request. Its long texts are replaced by their hashes."""
        match part:
            case dict():
                return {name: self._apart(inner) for name, inner in part.items()}
            case list():
                return [self._apart(inner) for inner in part]
            case str() if len(part) > _SHORT:
                return self._stored(part)
            case _:
                return part

    def _stored(self, text: str) -> dict[str, str]:
        """Store a text, and return its hash as it stands in requests."""
        digest = hashlib.sha256(text.encode()).hexdigest()[:32]
        if digest not in self._known_texts:
            self._connection.execute("insert or ignore into texts values (?, ?)", [digest, zlib.compress(text.encode())])
            self._known_texts = {digest} if len(self._known_texts) > 1000 else self._known_texts | {digest}
        return {"text": digest}


@contextlib.contextmanager
def _room(path: Path) -> Iterator[None]:
    """Turn the errors of a full disk, while something is kept in the file, into a ModelError that says what to do."""
    try:
        yield
    except sqlite3.OperationalError as error:
        is_full = error.sqlite_errorcode == sqlite3.SQLITE_FULL or shutil.disk_usage(path.parent).free < _LEAST_FREE
        if not is_full:
            raise
        raise ModelError(
            f"the disk of {path.parent} is full, so answers cannot be kept: free some of it, or have the data on a larger one (DESKMILL_DATA). "
            "What is kept stays: the same command goes on from there"
        ) from None


def request_key(request: dict[str, Any], sample: int) -> str:
    """Return a hash of the whole request and the sample number."""
    return hashlib.sha256(f"{json.dumps(request, sort_keys=True, ensure_ascii=False)}\n{sample}".encode()).hexdigest()


def read_request(path: Path, call_id: str) -> dict[str, Any] | None:
    """Return the request of a kept call, found by the beginning of its key, or None if there is no such call."""
    with contextlib.closing(opened(path)) as connection:
        found = connection.execute("select request from answers where key >= ? and key < ? || 'g' limit 1", [call_id, call_id]).fetchone()
        if found is None:
            return None
        request: dict[str, Any] = whole(json.loads(found[0]), lambda digest: stored_text(connection, digest))
        return request


def whole(part: Any, text_of: Callable[[str], str | None]) -> Any:
    """Return a part of a kept request with its long texts. An object that holds no more than the hash of a stored text stands for it."""
    match part:
        case {"text": str(digest), **others} if not others:
            return part if (stored := text_of(digest)) is None else stored
        case dict():
            return {name: whole(inner, text_of) for name, inner in part.items()}
        case list():
            return [whole(inner, text_of) for inner in part]
        case _:
            return part


def stored_text(connection: sqlite3.Connection, digest: str) -> str | None:
    """Return the text with that hash, or None if it is not stored."""
    stored = connection.execute("select content from texts where hash = ?", [digest]).fetchone()
    return None if stored is None else zlib.decompress(stored[0]).decode()


def read_calls(path: Path) -> Iterator[Call]:
    """Every call that was made, in the order in which they ended."""
    if not path.is_file():
        return
    with contextlib.closing(opened(path)) as connection:
        names = ", ".join(field.name for field in fields(Call))
        for row in connection.execute(f"select {names} from calls order by rowid"):
            yield Call(*row)


def opened(path: Path) -> sqlite3.Connection:
    """Open the file of the cache, and make its tables. A damaged file is set aside, and a new file replaces it."""
    try:
        return _with_tables(path)
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError:
        path.rename(path.with_name(f"{path.name}.set_aside"))
        return _with_tables(path)


def _read_while_written(connection: sqlite3.Connection) -> None:
    """Let others read while one writes. SQLite waits for no lock when a file changes its mode, so two with a new file would disturb each other."""
    end = time.monotonic() + _LOCKED_SECONDS
    while True:
        try:
            connection.execute("pragma journal_mode = wal")
        except sqlite3.OperationalError:
            if time.monotonic() > end:
                raise
            time.sleep(0.01)
        else:
            return


def _with_tables(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_LOCKED_SECONDS)
    _read_while_written(connection)
    connection.execute("pragma synchronous = normal")  # survives a kill of the process; a power cut can lose the last moments
    connection.executescript(_SCHEMA)
    return connection
