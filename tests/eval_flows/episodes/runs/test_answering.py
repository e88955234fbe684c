"""Protects the line between a question that the model failed at, which is its outcome, and an endpoint that has died, which ends the run."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from eval_flows.episodes.agents.question import Question, Told
from eval_flows.episodes.runs.answering import answering, told
from language_models.cache import read_calls
from language_models.chat import Request
from language_models.client import Client, Patience
from language_models.endpoint import Endpoint, Prices
from language_models.errors import BudgetReached, ModelError
from tests.language_models.fake_server import HANG, FakeServer, Fault, Reply, fake_server

TOO_LONG = Fault("400", message="This model's maximum context length is 8192 tokens")
QUICK = Patience(attempts=2, timeout=60, first_pause=0.01, longest_pause=0.02)


class Asked:
    """Questions to a server, one after another."""

    def __init__(self, client: Client, server: FakeServer) -> None:
        self.client, self.server = client, server

    def __call__(self, text: str, seconds: float = 60.0) -> Told:
        return self.client.run(told(self.client, Question(Request.of("", text), seconds)))


@contextmanager
def asking(path: Path, replies: Mapping[str, str | int | Fault], timeout: float = 60.0, **more: object) -> Iterator[Asked]:
    """A client of a server that says to each text what is told here, and the text in capitals otherwise."""
    reply: Reply = lambda request: replies.get(request["messages"][1]["content"], request["messages"][1]["content"].upper())  # noqa: E731
    with fake_server(reply) as server:
        endpoint = Endpoint("m", server.base_url, patience=replace(QUICK, timeout=timeout), **more)  # type: ignore[arg-type]
        with Client(endpoint, path / "calls.sqlite", "a run") as client:
            yield Asked(client, server)


def outcome(found: Told) -> tuple[str | None, str]:
    return found.status, found.answer.text


def test_an_answer_is_told_with_the_seconds_that_it_took(tmp_path: Path) -> None:
    with asking(tmp_path, {}) as ask:
        first, again = ask("look"), ask("look")
        assert outcome(first) == outcome(again) == (None, "LOOK") and first.seconds > 0 and len(ask.server.requests) == 1
        assert again.seconds == pytest.approx(first.answer.latency_ms / 1000), "from the cache it took what it took at first"


def test_a_request_that_is_too_long_is_the_models_failure_even_if_it_is_the_first(tmp_path: Path) -> None:
    with asking(tmp_path, {"long": TOO_LONG}) as ask:
        found = ask("long")
        assert outcome(found) == ("model failed", "") and "maximum context length" in found.why
        assert outcome(ask("short")) == (None, "SHORT"), "and others go on"
    with asking(tmp_path, {}, context_tokens=10) as ask:
        found = ask("far more than ten tokens " * 20)
        assert found.status == "model failed" and "too long for the 10 of model" in found.why and ask.server.requests == []


def test_a_refused_request_is_the_models_failure_once_the_run_was_answered_at_all(tmp_path: Path) -> None:
    refused = {"bad": Fault("400", message="pictures are not supported")}
    with asking(tmp_path, refused) as ask, pytest.raises(ModelError, match="pictures are not supported"):
        ask("bad")  # a mistake in how it is asked, as it seems: every episode would end so
    with asking(tmp_path, refused) as ask:
        ask("good")
        assert outcome(ask("bad")) == ("model failed", "")
    with asking(tmp_path, refused) as ask:  # the same run goes on in another process
        assert outcome(ask("bad")) == ("model failed", "")


def test_an_answer_that_never_comes_is_the_models_failure_or_it_is_out_of_time(tmp_path: Path) -> None:
    with asking(tmp_path, {"hang": HANG}, timeout=0.2) as ask:
        found = ask("hang")
        assert found.status == "model failed" and "gave no answer in 0.2 s" in found.why and found.seconds >= 0.4
    with asking(tmp_path, {"hang": HANG}) as ask:
        found = ask("hang", seconds=0.3)
        assert found.status == "out of time" and found.seconds >= 0.3
        assert outcome(ask("look")) == (None, "LOOK")
    assert [call.status for call in read_calls(tmp_path / "calls.sqlite")] == ["failed", "failed", "failed", "answered"], "all are written down"


def test_an_error_at_one_request_is_the_models_failure_while_the_endpoint_answers_others(tmp_path: Path) -> None:
    with asking(tmp_path, {"crash": 500}) as ask:
        ask("look")
        assert outcome(ask("crash")) == ("model failed", "")
        assert [request["messages"][1]["content"] for request in ask.server.requests] == ["look", "crash", "crash", "look"], "asked once more"


@pytest.mark.parametrize("fault", [500, 503, 429, Fault("cut"), Fault("malformed"), 401, 404])
def test_an_endpoint_that_answers_nothing_any_more_ends_the_run(tmp_path: Path, fault: int | Fault) -> None:
    replies: dict[str, str | int | Fault] = {}
    with asking(tmp_path, replies) as ask:
        ask("look")
        replies |= {"look": fault, "next": fault}
        with pytest.raises(ModelError):
            ask("next")


def test_a_budget_that_is_reached_ends_the_run(tmp_path: Path) -> None:
    with fake_server(lambda request: "yes") as server:
        endpoint = Endpoint("m", server.base_url, prices=Prices(0, 1_000_000), patience=QUICK)
        with Client(endpoint, tmp_path / "calls.sqlite", "a run", budget=1.0) as client, pytest.raises(BudgetReached):
            client.run(told(client, Question(Request.of("", "look"), 60.0)))


@pytest.mark.parametrize(
    ("models", "address", "said"),
    [(["other"], None, "does not serve model 'm'"), ([], "http://127.0.0.1:9/v1", "cannot be reached; is the server running")],
)
def test_an_endpoint_that_cannot_serve_the_model_is_said_before_anything_begins(
    tmp_path: Path, models: list[str], address: str | None, said: str
) -> None:
    with fake_server(lambda request: "yes", models=models) as server:
        endpoint = Endpoint("m", address or server.base_url, patience=QUICK)
        with pytest.raises(ModelError, match=said), answering(endpoint, tmp_path / "calls.sqlite", "a run", None):
            pytest.fail("it began")
