"""Protects requests of messages: what was asked before keeps its key, and a conversation with pictures and tools is kept, counted and told as any other."""

import sqlite3
from pathlib import Path
from random import Random
from typing import Any

import pytest

from language_models.cache import read_request, request_key
from language_models.chat import Answer, BuiltInTool, Message, Request, Tool, ToolCall
from language_models.client import Client, Endpoint, Prices, ask_all
from language_models.errors import ModelError, RequestFailed
from language_models.interface import interface_of
from language_models.told import told_messages
from tests.language_models.fake_server import Fault, completion, fake_server

PNG, JPEG = b"\x89PNG\r\n\x1a\nabc", b"\xff\xd8\xffabc"
CLICK = Tool("click", "Click an element.", {"type": "object", "properties": {"id": {"type": "integer"}}})
CALL = ToolCall("c1", "click", {"id": 3})
TALK = Request(
    (
        Message("system", "Be brief."),
        Message("user", "Save it.", (PNG,)),
        Message("assistant", "I click.", calls=(CALL,)),
        Message("tool", "done", (JPEG,), answers="c1"),
        Message("user", "And now?"),
    ),
    (CLICK,),
    max_tokens=50,
)
OWN = Endpoint("m", "http://localhost:8000/v1")
OPENAI = Endpoint("gpt-5", takes_temperature=False, reasoning_tokens=4000)
BASE = Endpoint("gemma", "http://localhost:8000/v1", interface="completion", served_as="google/gemma")
ONE_QUESTION = {
    "plain": Request.of("Be brief.", "Question 1"),
    "no system": Request.of("", "new"),
    "schema": Request.of("a", "b", schema={"type": "object"}, max_tokens=300),
    "sampling": Request.of("a", "b", temperature=1.0, top_p=0.8, max_tokens=1500, sample=2),
    "pictures": Request.of("Ü", "b", images=(PNG, JPEG), top_p=0.5),
}


@pytest.mark.parametrize(
    ("kind", "endpoint", "key"),
    [
        ("plain", OWN, "d3c057b037ac6e09c46053789ce03c31884b990fba434fee162a1395b0c4a385"),
        ("plain", OPENAI, "34640d1c24c40ecf6d320ab1219628063606f2a464c35a7cad70aa9e8a17cf56"),
        ("plain", BASE, "57a58b15ea15c79013a98b097752c63d0792469f2a6e6d05ef32e5dcb9466182"),
        ("no system", OWN, "c5165c6fdb4464231002230b290eb2444a5a2599df304998bd54c3a5ce12b1c5"),
        ("no system", OPENAI, "db3ef3f0dd88142398ef0ac900dea4fa27be0afecb636b8ddcd932923bf9b38b"),
        ("no system", BASE, "89bfb5efea33fc2b452bdc5a3c9187509a9ab23988fd43bc8183e0d65aa3c97e"),
        ("schema", OWN, "fb3fd774b7caf5c9b0c4b0f9b6dbc837877b0285073f3128dd1a8561af19bf0f"),
        ("schema", OPENAI, "ac176af7611798737ea359eaf086aa277bfdcc0192250eae62a2cf7cb2deeba0"),
        ("sampling", OWN, "c52988c5a9ca46cb7d40b3f1a1e861ad1f0c258c1b6fe3714776162744e991f6"),
        ("sampling", OPENAI, "a31b0f3d6c4ef76b1519e874da97c759f15e9e1563753e288d43f43f5c5bb1dd"),
        ("sampling", BASE, "19f254c866e1e3d2f82f7c995381de6079a6fa06c3d3f06c7b303fdf66f1e85c"),
        ("pictures", OWN, "29b67d0366cc464c31ad81e262d57f5f39e7ba79ea442d2af215bc02cfc63282"),
        ("pictures", OPENAI, "9d02230f94a867537a9d0ab3ac54f14697d683cbc44cae68b220b177a0cf005b"),
    ],
)
def test_answers_that_were_paid_for_before_requests_had_messages_are_found_again(kind: str, endpoint: Endpoint, key: str) -> None:
    request = ONE_QUESTION[kind]
    body = interface_of(endpoint).body(request, endpoint)
    assert request_key({"base_url": endpoint.base_url, **body}, request.sample) == key


def calling(request: dict[str, Any]) -> dict[str, Any]:
    """A completion that calls a tool, most of it from the server's prefix cache."""
    made = completion(request["model"], "")
    function = {"name": "click", "arguments": '{"id": 7}'}
    broken = {"name": "click", "arguments": '{"id": '}
    calls = [{"id": "c2", "type": "function", "function": function}, {"id": "c3", "type": "function", "function": broken}]
    made["choices"][0]["message"] |= {"content": None, "tool_calls": calls}
    made["usage"] = {"prompt_tokens": 100, "completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": 80, "cache_write_tokens": 15}}
    return made


def test_a_conversation_is_sent_as_messages_with_its_calls_and_pictures(tmp_path: Path) -> None:
    with fake_server(calling) as server:
        ask_all(Endpoint("m", server.base_url), [TALK], tmp_path / "c")
        (sent,) = server.requests
    system, user, assistant, tool, pictures, last = sent["messages"]
    assert system == {"role": "system", "content": "Be brief."} and last == {"role": "user", "content": "And now?"}
    assert [part["type"] for part in user["content"]] == ["text", "image_url"]
    assert assistant["tool_calls"] == [{"id": "c1", "type": "function", "function": {"name": "click", "arguments": '{"id": 3}'}}]
    assert tool == {"role": "tool", "tool_call_id": "c1", "content": "done"}
    assert pictures["role"] == "user" and [part["type"] for part in pictures["content"]] == ["image_url"], "answers to calls are texts there"
    assert sent["tools"] == [{"type": "function", "function": {"name": "click", "description": "Click an element.", "parameters": CLICK.parameters}}]


def test_calls_are_answers_and_kept_and_malformed_ones_say_why(tmp_path: Path) -> None:
    with fake_server(calling) as server:
        priced = Endpoint("m", server.base_url, prices=Prices(1_000_000, 0, cached_input=100_000, written_input=2_000_000))
        (first,), (again,) = (ask_all(priced, [TALK], tmp_path / "c") for _ in range(2))
        assert len(server.requests) == 1
    assert first.status == "answered" and first.calls[0] == ToolCall("c2", "click", {"id": 7})
    assert first.calls[1].arguments == {} and "no JSON" in first.calls[1].malformed
    assert again.calls == first.calls and again.from_cache and again.message == Message("assistant", calls=first.calls)
    assert first.cost_usd == pytest.approx(5 * 1 + 80 * 0.1 + 15 * 2), "cached input is cheap, and input that is put into the cache has its own price"


def test_every_part_of_a_message_counts_for_the_key(tmp_path: Path) -> None:
    def talk(*messages: Message, tools: tuple[Tool, ...] = (CLICK,)) -> Request:
        return Request(messages, tools)

    user = Message("user", "Save it.", (PNG,))
    different = [
        talk(user),
        talk(Message("user", "Save it.", (JPEG,))),
        talk(Message("user", "Save it.")),
        talk(user, tools=()),
        talk(user, Message("assistant", "I click.", calls=(CALL,)), Message("tool", "done", answers="c1")),
        talk(user, Message("assistant", "I click.", calls=(ToolCall("c1", "click", {"id": 4}),)), Message("tool", "done", answers="c1")),
        talk(user, Message("assistant", "I click.", calls=(CALL,)), Message("tool", "refused", answers="c1")),
    ]
    with fake_server(lambda request: "yes") as server:
        ask_all(Endpoint("m", server.base_url), different * 2, tmp_path / "c")
        assert len(server.requests) == len(different)


def test_a_picture_of_many_turns_is_kept_once_and_a_kept_conversation_is_told(tmp_path: Path) -> None:
    image = b"\x89PNG\r\n\x1a\n" + Random(0).randbytes(10_000)
    turns = [Request((Message("user", "Look.", (image,)), *(Message("user", str(number)) for number in range(turn)))) for turn in range(1, 6)]
    with fake_server(calling) as server:
        answers = ask_all(Endpoint("m", server.base_url), [*turns, TALK], tmp_path / "c")
        sent = server.requests
    assert sqlite3.connect(tmp_path / "c").execute("select count(*) from texts where length(content) > 5000").fetchone() == (1,)
    for answer in answers:
        kept = read_request(tmp_path / "c", answer.call_id)
        assert kept is not None and {name: value for name, value in kept.items() if name != "base_url"} in sent
    told = told_messages(read_request(tmp_path / "c", answers[-1].call_id) or {})
    assert [message["role"] for message in told] == ["system", "user", "assistant", "tool", "user", "user"]
    assert told[1]["content"] == "Save it.\n[picture]" and '"click"' in told[2]["content"] and told[3]["content"] == "done"


def test_estimates_count_pictures_tools_and_calls() -> None:
    plain = Request((Message("user", "Save it."),))
    assert Request((Message("user", "Save it.", (PNG, PNG)),)).estimated_tokens == plain.estimated_tokens + 2200
    with_tools = Request(plain.messages, (CLICK,))
    assert with_tools.estimated_tokens > plain.estimated_tokens + 15
    assert Request((*plain.messages, Message("assistant", calls=(ToolCall("c", "write", {"text": "x" * 400}),)))).estimated_tokens >= 100
    assert plain.fewest_tokens < plain.estimated_tokens <= 3 and TALK.fewest_tokens > 500


def test_a_conversation_that_overflows_is_told_apart_before_and_after_it_is_sent(tmp_path: Path) -> None:
    with fake_server(lambda request: Fault("400", message="as told", code="context_length_exceeded")) as server:
        with pytest.raises(RequestFailed) as before, Client(Endpoint("m", server.base_url, context_tokens=400), tmp_path / "c", "") as client:
            client.run(client.ask(TALK))
        assert before.value.excess == "request" and before.value.is_its_own and server.requests == [], "no money is spent"
        with pytest.raises(RequestFailed) as after, Client(Endpoint("m", server.base_url), tmp_path / "c", "") as client:
            client.run(client.ask(TALK))
        assert after.value.excess == "request" and len(server.requests) == 1
    with fake_server(lambda request: "yes" if len(request["messages"]) == 2 else Fault("413")) as server:
        with Client(Endpoint("m", server.base_url), tmp_path / "c", "") as client:
            client.run(client.ask(Request.of("", "short")))
            failed: Answer = client.run(client.ask(TALK))
        assert failed.status == "failed" and failed.failure is not None and failed.failure.excess == "request"


def test_what_an_interface_cannot_say_is_refused_in_words() -> None:
    with pytest.raises(ModelError, match="the tool computer is not of the interface 'chat'"):
        interface_of(OWN).body(Request(TALK.messages, (BuiltInTool({"type": "computer"}),)), OWN)
    for request in (TALK, Request((Message("user", "a"), Message("assistant", "b"))), Request((Message("user", "a"),), (CLICK,))):
        with pytest.raises(ModelError, match="only completes texts and takes no"):
            interface_of(BASE).body(request, BASE)
