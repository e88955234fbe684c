"""Protects batches: answers land in the cache at the batch price, a killed run fetches what it handed in, and nothing is paid twice."""

from pathlib import Path
from typing import Any

import pytest

from language_models.batches import answer_by_batch
from language_models.client import Client, Endpoint, Prices, Request
from tests.language_models.fake_server import FakeServer, fake_server

REQUESTS = [Request.of("Be brief.", f"Question {number}") for number in range(20)]


def reply(request: dict[str, Any]) -> str | int:
    text = str(request["messages"][1]["content"])
    return 500 if text == "Question 7" else text.upper()


def opened(server: FakeServer, path: Path) -> Client:
    return Client(Endpoint("m", server.base_url, prices=Prices(1_000_000, 0, batch_share=0.5)), path, "a batch")


def answers(client: Client) -> list[str]:
    return [f"{answer.status} {answer.text}" for answer in client.each(REQUESTS, client.ask)]


EXPECTED = [f"answered QUESTION {number}" if number != 7 else "failed " for number in range(20)]


def test_a_batch_answers_at_its_price_and_leaves_what_failed_to_be_seen(tmp_path: Path) -> None:
    with fake_server(reply) as server, opened(server, tmp_path / "c") as client:
        seen: list[tuple[int, int]] = []
        answer_by_batch(client, REQUESTS, client.ask, lambda done, total: seen.append((done, total)), poll=0.01)
        assert answers(client) == EXPECTED and server.requests == [] and seen[-1] == (20, 20)
        assert {answer.cost_usd for answer in client.each(REQUESTS, client.ask)} == {5.5, 0.0}
        assert client.cache.batches() == []


def test_questions_that_follow_from_answers_come_in_a_second_batch(tmp_path: Path) -> None:
    async def twice(request: Request) -> str:
        first = await client.ask(request)
        return (await client.ask(Request.of("again", first.text.lower()))).text

    with fake_server(reply) as server, opened(server, tmp_path / "c") as client:
        answer_by_batch(client, REQUESTS[:5], twice, lambda done, total: None, poll=0.01)
        assert list(client.each(REQUESTS[:5], twice)) == [f"QUESTION {number}" for number in range(5)]
        assert len(server.batches) == 2 and server.requests == []


@pytest.mark.parametrize("killed_at", ["put_batch", "retrieve"])
def test_a_killed_run_fetches_what_it_handed_in(tmp_path: Path, killed_at: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with fake_server(reply) as server:
        with opened(server, tmp_path / "c") as client, monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
            if killed_at == "retrieve":
                patched.setattr(client.connection.batches, "retrieve", _killed)
            else:
                made: list[object] = []
                put = client.cache.put_batch
                patched.setattr(client.cache, "put_batch", lambda batch: _killed() if made else made.append(put(batch)))
            answer_by_batch(client, REQUESTS, client.ask, lambda done, total: None, poll=0.01)
        with opened(server, tmp_path / "c") as client:
            answer_by_batch(client, REQUESTS, client.ask, lambda done, total: None, poll=0.01)
            assert answers(client) == EXPECTED
        assert len(server.batches) == 1 and set(server.paid.values()) == {0, 1}


def _killed(*ignored: object) -> None:
    raise KeyboardInterrupt
