"""Protects the client: a call is paid for once, failures are told apart, errors are words with a remedy, and no key is ever in them."""

import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from language_models.cache import read_calls, read_request
from language_models.chat import Answer, read_arguments
from language_models.client import Client, Endpoint, Patience, Prices, Request, ask_all
from language_models.errors import BudgetReached, ModelError
from language_models.told import told_messages
from tests.language_models.fake_server import HANG, MIXED, Fault, failing, fake_server

REQUESTS = [Request.of("Be brief.", f"Question {number}") for number in range(5)]
QUICK = Patience(attempts=6, first_pause=0.01, longest_pause=0.05)


def shout(request: dict[str, Any]) -> str:
    return str(request["messages"][1]["content"]).upper()


def endpoint(base_url: str, timeout: float = 60, **more: Any) -> Endpoint:
    return Endpoint("m", base_url, patience=replace(QUICK, timeout=timeout), **more)


def test_answers_come_in_the_order_of_the_requests_and_are_paid_for_once(tmp_path: Path) -> None:
    with fake_server(shout) as server:
        first = ask_all(endpoint(server.base_url), REQUESTS, tmp_path / "calls.sqlite")
        again = ask_all(endpoint(server.base_url), REQUESTS, tmp_path / "calls.sqlite")
        assert len(server.requests) == 5
    assert [answer.text for answer in first] == [f"QUESTION {number}" for number in range(5)]
    assert [answer.text for answer in again] == [answer.text for answer in first] and all(answer.from_cache for answer in again)
    assert [answer.call_id for answer in again] == [answer.call_id for answer in first]
    assert {(answer.status, answer.input_tokens, answer.output_tokens) for answer in first} == {("answered", 11, 7)}


def test_the_same_request_at_once_is_asked_once(tmp_path: Path) -> None:
    with fake_server(shout, latency=0.05) as server:
        answers = ask_all(endpoint(server.base_url), REQUESTS[:1] * 20, tmp_path / "calls.sqlite")
        assert len(server.requests) == 1
    assert {answer.text for answer in answers} == {"QUESTION 0"}


def test_every_part_of_a_request_and_the_sample_number_count(tmp_path: Path) -> None:
    different = [
        Request.of("a", "b"),
        Request.of("a", "c"),
        Request.of("a", "b", sample=1),
        Request.of("a", "b", temperature=0.5),
        Request.of("a", "b", schema={"type": "object"}),
        Request.of("a", "b", max_tokens=9),
        Request.of("a", "b", top_p=0.5),
    ]
    with fake_server(lambda request: "yes") as server:
        ask_all(endpoint(server.base_url), different, tmp_path / "calls.sqlite")
        ask_all(Endpoint("other", server.base_url), different[:1], tmp_path / "calls.sqlite")
        assert len(server.requests) == 8


def test_another_edition_is_asked_anew_and_the_answers_of_each_are_kept_apart(tmp_path: Path) -> None:
    """A server that was mended behind the same name and address gave its old answers for ever."""
    said = ["broken"]
    with fake_server(lambda request: said[0]) as server:

        def answer(edition: str | None) -> str:
            return ask_all(endpoint(server.base_url, edition=edition), REQUESTS[:1], tmp_path / "calls.sqlite")[0].text

        assert answer(None) == "broken"
        said[0] = "mended"
        assert [answer(None), answer("v2"), answer("v2"), answer(None)] == ["broken", "mended", "mended", "broken"]
        assert len(server.requests) == 2 and server.requests[0] == server.requests[1], "the server is not told of editions"


def test_statuses_are_kept_refusals_and_truncations_too(tmp_path: Path) -> None:
    kinds = {"Question 0": Fault("empty"), "Question 1": Fault("long"), "Question 2": Fault("refusal")}
    with fake_server(lambda request: kinds.get(request["messages"][1]["content"], "yes")) as server:
        for _ in range(2):
            answers = ask_all(endpoint(server.base_url), REQUESTS, tmp_path / "calls.sqlite")
        assert len(server.requests) == 5
    assert [answer.status for answer in answers] == ["empty", "truncated", "refused", "answered", "answered"]


@pytest.mark.parametrize(
    ("said", "text"), [("So\ud83d", "So\ufffd"), ("\ude00x", "\ufffdx"), ("\ud83d\ude00 é", "\U0001f600 é"), ("\ud83dx\ud83d", "\ufffdx\ufffd")]
)
def test_half_a_character_in_an_answer_is_replaced_and_the_answer_kept(tmp_path: Path, said: str, text: str) -> None:
    with fake_server(lambda request: said) as server:
        found = [ask_all(endpoint(server.base_url), REQUESTS[:1], tmp_path / "calls.sqlite")[0].text for _ in range(2)]
        assert len(server.requests) == 1
    assert found == [text, text]


def test_arguments_hold_whole_characters() -> None:
    assert read_arguments(r'{"text": "a\ud83d"}') == ({"text": "a\ufffd"}, "")
    assert "nested too deeply" in read_arguments("[" * 100_000)[1]


@pytest.mark.parametrize("fault", [*MIXED, HANG], ids=lambda fault: fault.kind)
def test_every_fault_is_tried_again(tmp_path: Path, fault: Fault) -> None:
    seen: list[int] = []

    def reply(request: dict[str, Any]) -> str | Fault:
        seen.append(1)
        return fault if len(seen) < 3 else "at last"

    with fake_server(reply) as server:
        asked = endpoint(server.base_url, timeout=3 if fault is HANG else 60)
        (answer,) = ask_all(asked, REQUESTS[:1], tmp_path / "calls.sqlite")
        assert answer.status == "answered" and answer.text in {"at last", "slowly"}
        assert set(server.paid.values()) == {1}


def test_a_call_that_never_succeeds_is_failed_among_others_and_asked_again_later(tmp_path: Path) -> None:
    down = [True]

    def reply(request: dict[str, Any]) -> str | int:
        return 500 if down[0] and "Question 3" in request["messages"][1]["content"] else "yes"

    with fake_server(reply) as server:
        answers = ask_all(endpoint(server.base_url), REQUESTS, tmp_path / "calls.sqlite")
        assert [answer.status for answer in answers] == ["answered"] * 3 + ["failed"] + ["answered"]
        down[0] = False
        assert [answer.status for answer in ask_all(endpoint(server.base_url), REQUESTS, tmp_path / "calls.sqlite")] == ["answered"] * 5
        assert set(server.paid.values()) == {1}


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (Fault("401", message="Incorrect API key provided: sk-very-secret"), "refused the key in MY_KEY"),
        (Fault("404"), "has no model 'm'"),
        (Fault("400", message="no such parameter for sk-very-secret"), "answered 400 to model 'm': no such parameter"),
        (Fault("400", message="maximum context length is 4096 tokens"), "too long for its context: give it fewer cards, examples or pictures"),
        (Fault("429", code="insufficient_quota"), "the quota at .* is used up"),
        (Fault("500"), "answered 500"),
    ],
    ids=["key", "model", "bad request", "context", "quota", "always down"],
)
def test_what_concerns_every_call_stops_the_run_in_words_without_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: Fault, words: str
) -> None:
    monkeypatch.setenv("MY_KEY", "sk-very-secret")
    with fake_server(lambda request: fault) as server:
        with pytest.raises(ModelError, match=words) as error:
            ask_all(endpoint(server.base_url, key_variable="MY_KEY"), REQUESTS, tmp_path / "calls.sqlite")
        assert server.keys[0] == "Bearer sk-very-secret"
    assert "secret" not in str(error.value)
    assert not any(b"secret" in path.read_bytes() for path in tmp_path.iterdir())


def test_a_server_that_is_not_there_and_a_key_that_is_not_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ModelError, match="OPENAI_API_KEY holds no key for the default endpoint: set it, or give --base-url"):
        ask_all(Endpoint("m"), REQUESTS, tmp_path / "calls.sqlite")
    with pytest.raises(ModelError, match="cannot be reached; is the server running"):
        ask_all(endpoint("http://127.0.0.1:9/v1"), REQUESTS, tmp_path / "calls.sqlite")
    assert sqlite3.connect(tmp_path / "calls.sqlite").execute("select count(*) from answers").fetchone() == (0,)


@pytest.mark.parametrize("url", ["http://me:sk-secret@host/v1", "http://host/v1?key=sk-secret", "localhost:8000", "ftp://host"])
def test_an_address_with_a_key_in_it_or_none_at_all_is_refused(url: str) -> None:
    with pytest.raises(ModelError) as error:
        Endpoint("m", url)
    assert "secret" not in str(error.value)


def test_every_call_is_written_down_with_tokens_money_and_purpose(tmp_path: Path) -> None:
    seen: list[int] = []

    def reply(request: dict[str, Any]) -> str | int:
        seen.append(1)
        return 500 if len(seen) == 1 else "yes"

    with fake_server(reply) as server:
        priced = endpoint(server.base_url, prices=Prices(1_000_000, 2_000_000))
        ask_all(priced, REQUESTS[:1], tmp_path / "calls.sqlite", purpose="a test")
    failed, paid = read_calls(tmp_path / "calls.sqlite")
    assert (failed.status, failed.attempt, failed.cost_usd) == ("failed", 1, 0)
    assert (paid.status, paid.attempt, paid.input_tokens, paid.output_tokens, paid.cost_usd, paid.purpose) == ("answered", 2, 11, 7, 25.0, "a test")
    assert paid.endpoint == server.base_url and paid.latency_ms > 0


def test_a_budget_ends_a_run_cleanly_and_keeps_what_was_paid_for(tmp_path: Path) -> None:
    requests = [Request.of("", f"{number}", max_tokens=7) for number in range(50)]
    with fake_server(shout, latency=0.01) as server:
        priced = endpoint(server.base_url, prices=Prices(0, 1_000_000))
        with pytest.raises(BudgetReached, match=r"budget of \$100 is reached: \$98"), Client(priced, tmp_path / "c", "", budget=100) as client:
            list(client.each(requests, client.ask))
        assert len(server.requests) == 14
        with Client(endpoint(server.base_url), tmp_path / "c", "") as client:
            assert sum(answer.from_cache for answer in client.each(requests, client.ask)) == 14
        with pytest.raises(ModelError, match="a budget needs prices"):
            Client(endpoint(server.base_url), tmp_path / "c", "", budget=1)


def test_replay_asks_nothing(tmp_path: Path) -> None:
    with fake_server(shout) as server:
        live = ask_all(endpoint(server.base_url), REQUESTS, tmp_path / "c")
    with Client(endpoint(server.base_url), tmp_path / "c", "", mode="replay") as client:
        assert [answer.text for answer in client.each(REQUESTS, client.ask)] == [answer.text for answer in live]
        with pytest.raises(ModelError, match="not in the cache: run the same command without --replay"):
            list(client.each([Request.of("", "new")], client.ask))


def test_an_estimate_counts_what_is_not_in_the_cache(tmp_path: Path) -> None:
    with fake_server(shout) as server:
        ask_all(endpoint(server.base_url), REQUESTS[:2], tmp_path / "c")
        with Client(endpoint(server.base_url), tmp_path / "c", "", mode="replay") as client:
            estimate = client.estimate([*REQUESTS, REQUESTS[4]], client.ask)
        assert len(server.requests) == 2
    assert (estimate.calls, estimate.most_output_tokens) == (3, 3 * 1024)
    assert estimate.input_tokens == sum(request.estimated_tokens for request in REQUESTS[2:])


def test_a_request_that_cannot_fit_is_refused_before_it_is_asked(tmp_path: Path) -> None:
    with fake_server(shout) as server:
        with pytest.raises(ModelError, match="too long for the 100 of model 'm'"):
            ask_all(endpoint(server.base_url, context_tokens=100), [Request.of("", "word " * 1000)], tmp_path / "c")
        assert server.requests == []


@pytest.mark.parametrize("broken", ["{", '"a text"', '{"text": 1, "status": "answered"}'])
def test_a_corrupt_entry_is_set_aside_and_asked_again(tmp_path: Path, broken: str) -> None:
    with fake_server(shout) as server:
        ask_all(endpoint(server.base_url), REQUESTS, tmp_path / "c")
        with sqlite3.connect(tmp_path / "c") as connection:
            connection.execute("update answers set answer = ? where rowid = 3", [broken])
        assert [answer.text for answer in ask_all(endpoint(server.base_url), REQUESTS, tmp_path / "c")] == [f"QUESTION {n}" for n in range(5)]
        assert len(server.requests) == 6
    assert sqlite3.connect(tmp_path / "c").execute("select answer from set_aside").fetchall() == [(broken,)]


def test_a_file_that_is_no_database_is_set_aside(tmp_path: Path) -> None:
    (tmp_path / "c").write_bytes(b"not a database at all, " * 100)
    with fake_server(shout) as server:
        assert ask_all(endpoint(server.base_url), REQUESTS[:1], tmp_path / "c")[0].text == "QUESTION 0"
    assert (tmp_path / "c.set_aside").read_bytes().startswith(b"not a database")


def test_the_prompt_of_a_call_can_be_read_again(tmp_path: Path) -> None:
    long = Request.of("a system prompt " * 100, "a question")
    with fake_server(shout) as server:
        (answer,) = ask_all(endpoint(server.base_url), [long], tmp_path / "c")
    request = read_request(tmp_path / "c", answer.call_id)
    told = [{"role": message.role, "content": message.text} for message in long.messages]
    assert request is not None and request["messages"] == told_messages(request) == told
    assert read_request(tmp_path / "c", "0" * 16) is None


def test_what_is_in_flight_when_a_run_ends_early_is_kept(tmp_path: Path) -> None:
    with fake_server(shout, latency=0.05) as server:
        with Client(endpoint(server.base_url), tmp_path / "c", "") as client:
            next(client.each([Request.of("", str(number)) for number in range(100)], client.ask))
        kept = sqlite3.connect(tmp_path / "c").execute("select count(*) from answers").fetchone()[0]
        assert kept == len(server.requests) < 100


def test_work_of_several_calls_and_its_error(tmp_path: Path) -> None:
    async def twice(client: Client, request: Request) -> list[str]:
        first = await client.ask(request)
        return [first.text, (await client.ask(Request.of("", first.text.lower()))).text]

    with fake_server(shout) as server, Client(endpoint(server.base_url), tmp_path / "c", "") as client:
        found = list(client.each(REQUESTS[:2], lambda request: twice(client, request)))
    assert found == [["QUESTION 0", "QUESTION 0"], ["QUESTION 1", "QUESTION 1"]]


def test_many_faults_and_every_request_has_a_status_and_nothing_is_paid_twice(tmp_path: Path) -> None:
    requests = [Request.of("", f"{number}") for number in range(300)]
    reply: Callable[[dict[str, Any]], Any] = failing(shout, 0.3, MIXED)
    with fake_server(reply) as server:
        answers: list[Answer] = ask_all(endpoint(server.base_url, at_once=32), requests, tmp_path / "c")
        assert len(answers) == 300 and {answer.status for answer in answers} <= {"answered", "failed"}
        assert sum(answer.status == "answered" for answer in answers) > 290
        assert set(server.paid.values()) == {1}
