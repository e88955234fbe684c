"""Protects the client: a call is paid for once, errors are words with a remedy, and no key is ever in them."""

import sqlite3
from pathlib import Path

import pytest

from language_models.client import Endpoint, Request, ask_all
from language_models.errors import ModelError
from tests.language_models.fake_server import fake_server

REQUESTS = [Request("Be brief.", f"Question {number}") for number in range(5)]


def test_answers_come_in_the_order_of_the_requests_and_are_paid_for_once(tmp_path: Path) -> None:
    with fake_server(lambda request: request["messages"][1]["content"].upper()) as server:
        endpoint = Endpoint("m", server.base_url)
        first = ask_all(endpoint, REQUESTS, tmp_path / "calls.sqlite")
        again = ask_all(endpoint, REQUESTS, tmp_path / "calls.sqlite")
        assert len(server.requests) == 5
    assert [answer.text for answer in first] == [f"QUESTION {number}" for number in range(5)]
    assert [answer.text for answer in again] == [answer.text for answer in first] and all(answer.from_cache for answer in again)
    assert {(answer.status, answer.input_tokens, answer.output_tokens) for answer in first} == {("answered", 11, 7)}


def test_every_part_of_a_request_and_the_sample_number_count(tmp_path: Path) -> None:
    different = [
        Request("a", "b"),
        Request("a", "c"),
        Request("a", "b", sample=1),
        Request("a", "b", temperature=0.5),
        Request("a", "b", schema={"type": "object"}),
    ]
    with fake_server(lambda request: "yes") as server:
        ask_all(Endpoint("m", server.base_url), different, tmp_path / "calls.sqlite")
        ask_all(Endpoint("other", server.base_url), different[:1], tmp_path / "calls.sqlite")
        assert len(server.requests) == 6


def test_a_failing_server_is_tried_again(tmp_path: Path) -> None:
    seen: list[int] = []

    def reply(request: dict[str, object]) -> str | int:
        seen.append(1)
        return 500 if len(seen) < 3 else "at last"

    with fake_server(reply) as server:
        assert ask_all(Endpoint("m", server.base_url), REQUESTS[:1], tmp_path / "calls.sqlite")[0].text == "at last"


@pytest.mark.parametrize(("code", "words"), [(401, "refused the key in MY_KEY"), (404, "has no model 'm'"), (400, "answered 400")])
def test_what_cannot_be_answered_is_said_without_the_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, words: str) -> None:
    monkeypatch.setenv("MY_KEY", "sk-very-secret")
    with fake_server(lambda request: code) as server:
        with pytest.raises(ModelError, match=words) as error:
            ask_all(Endpoint("m", server.base_url, "MY_KEY"), REQUESTS, tmp_path / "calls.sqlite")
        assert server.keys[0] == "Bearer sk-very-secret"
    assert "secret" not in str(error.value)
    assert b"secret" not in (tmp_path / "calls.sqlite").read_bytes()


def test_a_server_that_is_not_there_and_a_key_that_is_not_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setattr("openai._constants.INITIAL_RETRY_DELAY", 0.01)
    with pytest.raises(ModelError, match="OPENAI_API_KEY holds no key; set it, or give --base-url"):
        ask_all(Endpoint("m"), REQUESTS, tmp_path / "calls.sqlite")
    with pytest.raises(ModelError, match="cannot be reached; is the server running"):
        ask_all(Endpoint("m", "http://127.0.0.1:9/v1"), REQUESTS[:1], tmp_path / "calls.sqlite")
    assert sqlite3.connect(tmp_path / "calls.sqlite").execute("select count(*) from answers").fetchone() == (0,)
