"""Protects log probabilities: they are asked for only where that is declared, so other answers keep their keys, and they are kept with their answer."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from language_models.cache import request_key
from language_models.chat import Message, Request
from language_models.client import ask_all
from language_models.endpoint import Endpoint, Interface
from language_models.errors import ModelError
from language_models.interface import interface_of
from language_models.kept import KeptCalls
from language_models.registry import find_endpoint
from tests.language_models.fake_apis import APIS, text_item
from tests.language_models.fake_server import completion, fake_server

TOKENS = (("Save", -0.25), (" it", -1.5), (".", 0.0))
ASKED = Request.of("Be brief.", "Question 1")


def told(request: dict[str, Any]) -> dict[str, Any]:
    """An answer with its tokens, as chat completions and responses have them; the request has to ask for them."""
    given = [{"token": token, "logprob": value, "bytes": list(token.encode()), "top_logprobs": []} for token, value in TOKENS]
    if "messages" in request:
        made = completion(request["model"], "Save it.")
        made["choices"][0]["logprobs"] = {"content": given if request.get("logprobs") is True else None, "refusal": None}
        return made
    item = text_item("Save it.")
    item["content"][0]["logprobs"] = given if request.get("include") == ["message.output_text.logprobs"] else []
    return dict(APIS["/v1/responses"].reply(request["model"], [item]))


@pytest.mark.parametrize("interface", ["chat", "responses"])
def test_the_tokens_of_an_answer_are_kept_with_it_and_found_again(tmp_path: Path, interface: Interface) -> None:
    with fake_server(told) as server:
        own = Endpoint("m", server.base_url, interface=interface, log_probabilities=True)
        (first,), (again,) = (ask_all(own, [ASKED], tmp_path / "c") for _ in range(2))
        go_on = Request((*ASKED.messages, first.message, Message("user", "Go on.")))
        ask_all(own, [go_on], tmp_path / "c")
        assert len(server.requests) == 2 and "logprob" not in json.dumps(server.requests[1].get("input")), "they do not go back to the server"
    assert first.text == "Save it." and first.log_probabilities == again.log_probabilities == TOKENS and again.from_cache
    with KeptCalls(tmp_path / "c") as calls:
        kept = calls.get(first.call_id)
        assert kept is not None and kept.answer.log_probabilities == TOKENS and kept.request["model"] == "m"
        assert calls.get("0" * 16) is None


@pytest.mark.parametrize("interface", ["chat", "responses"])
def test_who_does_not_ask_for_them_keeps_the_keys_and_the_run_of_before(tmp_path: Path, interface: Interface) -> None:
    plain, asking = (Endpoint("m", "http://localhost:8000/v1", interface=interface, log_probabilities=on) for on in (False, True))
    bodies = [interface_of(one).body(ASKED, one) for one in (plain, asking)]
    keys = {"chat": "d3c057b037ac6e09c46053789ce03c31884b990fba434fee162a1395b0c4a385"}
    keys["responses"] = "dad164c27616fdcb4b7de46071517bff80207df34d3a0d82add0665a32f3ea3c"
    made = [request_key({"base_url": plain.base_url, **body}, 0) for body in bodies]
    assert made[0] == keys[interface] != made[1]
    assert "log_probabilities" not in plain.described and asking.described == plain.described | {"log_probabilities": True}
    with fake_server(told) as server:
        (answer,) = ask_all(Endpoint("m", server.base_url, interface=interface), [ASKED], tmp_path / "c")
    assert answer.log_probabilities == ()


def test_an_answer_of_before_there_were_log_probabilities_is_read(tmp_path: Path) -> None:
    with fake_server(lambda request: "yes") as server:
        own = Endpoint("m", server.base_url)
        (first,) = ask_all(own, [ASKED], tmp_path / "c")
        with KeptCalls(tmp_path / "c") as calls:
            assert calls.get(first.call_id).answer.log_probabilities == ()  # type: ignore[union-attr]

    with sqlite3.connect(tmp_path / "c") as connection:
        connection.execute("update answers set answer = json_remove(answer, '$.log_probabilities')")
    (again,) = ask_all(own, [ASKED], tmp_path / "c")
    assert again.from_cache and again.log_probabilities == ()


def test_a_server_that_gives_none_and_one_that_gives_something_else(tmp_path: Path) -> None:
    with fake_server(lambda request: "yes") as server:
        (answer,) = ask_all(Endpoint("m", server.base_url, log_probabilities=True), [ASKED], tmp_path / "c")
    assert (answer.text, answer.log_probabilities) == ("yes", ())
    broken = completion("m", "yes")
    broken["choices"][0]["logprobs"] = {"content": [{"token": "yes", "logprob": "no number"}]}
    own = Endpoint("m", "http://localhost:8000/v1", log_probabilities=True)
    with pytest.raises(ValueError, match="not a chat completion"):
        interface_of(own).read(broken, 0.0, own)


def test_a_model_declares_them_and_an_interface_without_them_is_refused_in_words(tmp_path: Path) -> None:
    own = tmp_path / "models.yaml"
    own.write_text("models:\n  mine: {openness: open, context_tokens: 8000, base_url: 'http://localhost:8000/v1', log_probabilities: true}\n")
    assert find_endpoint("mine", own=own).log_probabilities and not find_endpoint("phi-4", own=own).log_probabilities
    assert find_endpoint("phi-4", log_probabilities=True).log_probabilities
    assert find_endpoint("m", "http://localhost:8000/v1", log_probabilities=True).log_probabilities
    for interface in ("anthropic", "completion"):
        with pytest.raises(ModelError, match=rf"the interface '{interface}', and log probabilities come only with chat and responses: do not ask"):
            find_endpoint("m", "http://localhost:8000/v1", interface=interface, log_probabilities=True)
