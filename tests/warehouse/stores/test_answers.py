"""Protects that hosts share answers and calls of language models, each row once, also after a kill."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from language_models.cache import Cache, Call, read_calls, read_request
from warehouse.stores.answers import Answers
from warehouse.stores.objects import Objects

LONG = "a text that recurs in many requests " * 20


def answered(path: Path, key: str) -> None:
    """Keep an answer and its call, as a client does."""
    cache = Cache(path)
    call = Call(key, "run", "model", "http://x", "2026-11-28T10:00:00+00:00", "answered", 1, 10, 0, 5, 0.01, 12.5)
    cache.put(key, {"messages": [LONG, key]}, 0, {"text": f"answer of {key}", "status": "answered"}, call)
    cache.close()


def rows(path: Path, table: str) -> list[Any]:
    with sqlite3.connect(path) as connection:
        return connection.execute(f"select * from {table} order by 1").fetchall()


@pytest.fixture
def files(objects: Objects, tmp_path: Path) -> tuple[tuple[Path, Answers], tuple[Path, Answers]]:
    first, second = tmp_path / "a" / "calls.sqlite", tmp_path / "b" / "calls.sqlite"
    return (first, Answers(objects, first)), (second, Answers(objects, second))


Files = tuple[tuple[Path, Answers], tuple[Path, Answers]]


def test_another_host_gets_answers_texts_and_calls(files: Files) -> None:
    (first, one), (second, other) = files
    answered(first, "k1")
    one.exchange()
    other.exchange()
    assert rows(second, "answers") == rows(first, "answers") and list(read_calls(second)) == list(read_calls(first))
    assert read_request(second, "k1") == {"messages": [LONG, "k1"]}
    cache = Cache(second)
    assert cache.get("k1") == {"text": "answer of k1", "status": "answered"}
    cache.close()


def test_rows_come_once_however_often_hosts_exchange(files: Files, objects: Objects) -> None:
    (first, one), (second, other) = files
    answered(first, "k1")
    answered(second, "k2")
    for _ in range(3):
        one.exchange()
        other.exchange()
    answered(first, "k3")
    for _ in range(2):
        one.exchange()
        other.exchange()
    for path in (first, second):
        assert [row[0] for row in rows(path, "answers")] == ["k1", "k2", "k3"]
        assert sorted(call.call_id for call in read_calls(path)) == ["k1", "k2", "k3"]
    assert len(list(objects.listed("model_calls/"))) == 3, "rows that another host sent were sent again"


def test_a_kill_before_or_after_sending_neither_loses_nor_doubles_a_row(files: Files, objects: Objects, monkeypatch: pytest.MonkeyPatch) -> None:
    (first, one), (second, other) = files
    answered(first, "k1")
    put = objects.put
    for sent_first in (False, True):

        def killed(key: str, content: Any, sent_first: bool = sent_first, **condition: Any) -> str:
            if sent_first:
                put(key, content, **condition)
            raise KeyboardInterrupt

        monkeypatch.setattr(objects, "put", killed)
        with pytest.raises(KeyboardInterrupt):
            one.send()
    monkeypatch.setattr(objects, "put", put)
    one.send()
    other.take()
    assert len(list(objects.listed("model_calls/"))) == 1 and [call.call_id for call in read_calls(second)] == ["k1"]
    assert [row[0] for row in rows(second, "answers")] == ["k1"]


def test_nothing_new_sends_nothing_and_a_host_without_calls_needs_no_file(files: Files, objects: Objects) -> None:
    (first, one), (second, other) = files
    one.exchange()
    assert not first.exists()
    answered(first, "k1")
    for _ in range(3):
        one.send()
    assert len(list(objects.listed("model_calls/"))) == 1
    assert not second.exists()
    other.take()
    assert second.is_file()
