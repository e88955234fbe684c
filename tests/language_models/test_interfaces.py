"""Protects the interfaces beside chat: bodies are what the APIs want, replies are read whole, and items go back as they came."""

from pathlib import Path
from typing import Any

import pytest
from anthropic.types import ContentBlockParam, ToolUnionParam
from anthropic.types.message_create_params import MessageCreateParamsNonStreaming
from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming
from pydantic import TypeAdapter

from language_models.batches import answer_by_batch
from language_models.cache import read_calls, read_request
from language_models.chat import Answer, BuiltInTool, Message, Request, Tool, ToolCall
from language_models.check import check_endpoint
from language_models.client import Client, Endpoint, Prices, ask_all
from language_models.endpoint import Interface
from language_models.errors import ModelError, RequestFailed
from language_models.interface import interface_of
from language_models.told import told_messages
from tests.language_models.fake_apis import Responses, computer_call, reasoning_item, thinking, tool_use
from tests.language_models.fake_server import MIXED, Fault, fake_server
from tests.language_models.test_client import QUICK

PNG, JPEG = b"\x89PNG\r\n\x1a\nabc", b"\xff\xd8\xffabc"
COMPUTER = {"responses": BuiltInTool({"type": "computer"}), "anthropic": BuiltInTool({"type": "computer_toolset_20260801"})}
NOTE = Tool("note", "Keep a note.", {"type": "object", "properties": {"text": {"type": "string"}}})
CHECK = {"id": "sc_1", "code": "malicious_instructions", "message": "The screen tells the model what to do."}
BOTH = pytest.mark.parametrize("interface", ["responses", "anthropic"])
CLICK = {"type": "click", "button": "left", "x": 5, "y": 6}


def endpoint(base_url: str, interface: Interface, **more: Any) -> Endpoint:
    return Endpoint("m", base_url, interface=interface, patience=QUICK, **more)


def calling(interface: Interface) -> list[dict[str, Any]]:
    """What a model says that thinks, and then acts."""
    if interface == "responses":
        return [reasoning_item(), computer_call(CLICK, {"type": "wait"}, checks=[CHECK])]
    return [thinking(), {"type": "text", "text": "I click."}, tool_use("left_click", coordinate=[5, 6]), tool_use("type", text="x")]


def asked(interface: Interface) -> Request:
    return Request((Message("system", "Be brief."), Message("user", "Save it.", (PNG,))), (COMPUTER[interface], NOTE), max_tokens=50)


def gone_on(request: Request, answer: Answer) -> Request:
    """The request after the calls of an answer, each of them answered with a picture."""
    checks = answer.calls[0].arguments.get("pending_safety_checks", [])
    answers = [Message("tool", "not done" * (number > 0), (JPEG,), answers=call.id, has_failed=number > 0, acknowledged=tuple(checks))
               for number, call in enumerate(answer.calls)]  # fmt: skip
    return Request((*request.messages, answer.message, *answers, Message("user", "Go on.")), request.tools, max_tokens=50)


def has_the_form_of_the_api(sent: dict[str, Any], interface: Interface) -> bool:
    """Whether the package of the API takes a body as it is; it looks into parts that can be iterated over only one by one."""
    if interface == "responses":
        TypeAdapter(ResponseCreateParamsNonStreaming).validate_python(sent)
        return True
    TypeAdapter(MessageCreateParamsNonStreaming).validate_python(sent)
    for block in (block for message in sent["messages"] for block in message["content"]):
        TypeAdapter(ContentBlockParam).validate_python(block)
        for inner in block["content"] if block["type"] == "tool_result" else ():
            TypeAdapter(ContentBlockParam).validate_python(inner)
    for tool in sent["tools"]:
        TypeAdapter(ToolUnionParam).validate_python(tool)
    return True


@BOTH
def test_a_conversation_goes_on_with_what_the_server_sent_as_it_was(tmp_path: Path, interface: Interface) -> None:
    said = calling(interface)
    with fake_server(lambda request: said if "Go on." not in str(request) else "DONE") as server:
        own = endpoint(server.base_url, interface)
        (first,), (again,) = (ask_all(own, [asked(interface)], tmp_path / "c") for _ in range(2))
        (last,) = ask_all(own, [gone_on(asked(interface), again)], tmp_path / "c")
        assert len(server.requests) == 2
    assert first.raw == tuple(said) and again.raw == first.raw and again.calls == first.calls and again.from_cache
    assert (last.status, last.text, last.calls) == ("answered", "DONE", ())
    sent = server.requests[1]
    items = sent["input"] if interface == "responses" else sent["messages"][1]["content"]
    assert all(item in items for item in said), "reasoning, ids and signatures are as they came"
    assert has_the_form_of_the_api(sent, interface)
    told = told_messages(read_request(tmp_path / "c", last.call_id) or {})
    assert "[picture]" in told[1]["content"] and "sealed" not in str(told) and "signed" not in str(told)


def test_a_response_is_read_and_its_computer_calls_are_answered_with_a_picture_and_the_checks(tmp_path: Path) -> None:
    with fake_server(lambda request: calling("responses") if len(request["input"]) == 2 else "DONE") as server:
        own = endpoint(server.base_url, "responses")
        (first,) = ask_all(own, [asked("responses")], tmp_path / "c")
        ask_all(own, [gone_on(asked("responses"), first)], tmp_path / "c")
    (call,) = first.calls
    assert call.name == "computer" and call.arguments == {"actions": [CLICK, {"type": "wait"}], "pending_safety_checks": [CHECK]}
    *_, output, last = server.requests[1]["input"]
    assert output["type"] == "computer_call_output" and output["acknowledged_safety_checks"] == [CHECK] and "jpeg" in output["output"]["image_url"]
    assert last["content"] == [{"type": "input_text", "text": "Go on."}] and server.requests[0]["tools"][0] == {"type": "computer"}


def test_calls_of_the_older_tool_and_of_functions_are_read_and_a_picture_that_is_left_out_is_grey(tmp_path: Path) -> None:
    old = computer_call() | {"action": CLICK}
    del old["actions"]
    function = {"type": "function_call", "id": "fc_1", "call_id": "call_f", "name": "note", "arguments": '{"text": "a"}', "status": "completed"}
    with fake_server(lambda request: [old, function] if len(request["input"]) == 2 else "DONE") as server:
        own = endpoint(server.base_url, "responses")
        (first,) = ask_all(own, [asked("responses")], tmp_path / "c")
        assert [call.arguments.get("actions", call.arguments) for call in first.calls] == [[CLICK], {"text": "a"}]
        answers = (Message("tool", answers=first.calls[0].id), Message("tool", "kept", answers="call_f"))
        (last,) = ask_all(own, [Request((*asked("responses").messages, first.message, *answers), asked("responses").tools)], tmp_path / "c")
    assert last.text == "DONE"
    grey, kept = server.requests[1]["input"][-2:]
    assert grey["output"]["image_url"].startswith("data:image/png") and kept == {
        "type": "function_call_output",
        "call_id": "call_f",
        "output": "kept",
    }


def test_a_message_is_read_and_each_call_is_answered_under_its_toolset(tmp_path: Path) -> None:
    with fake_server(lambda request: calling("anthropic") if len(request["messages"]) == 1 else "DONE") as server:
        own = endpoint(server.base_url, "anthropic", reasoning_tokens=1000, takes_temperature=False)
        (first,) = ask_all(own, [asked("anthropic")], tmp_path / "c")
        ask_all(own, [gone_on(asked("anthropic"), first)], tmp_path / "c")
    assert [(call.name, call.arguments) for call in first.calls] == [("left_click", {"coordinate": [5, 6]}), ("type", {"text": "x"})]
    assert first.text == "I click."
    sent, begun = server.requests[1], server.requests[0]
    clicked, typed, last = sent["messages"][2]["content"]
    assert clicked["toolset_name"] == "computer" and "is_error" not in clicked and typed["is_error"] and last == {"type": "text", "text": "Go on."}
    assert [block["type"] for block in typed["content"]] == ["image", "text"]
    assert begun["system"] == "Be brief." and begun["cache_control"] == {"type": "ephemeral"} and begun["thinking"] == {"type": "adaptive"}
    assert begun["max_tokens"] == 1050 and "temperature" not in begun
    assert begun["messages"][0]["content"][0]["transformations"] == {"oversized_image": "error"}, "the server must not change places"


@BOTH
def test_one_question_without_tools_asks_for_no_cache_and_can_ask_for_a_schema(tmp_path: Path, interface: Interface) -> None:
    question = Request.of("", "b", schema={"type": "object"}, images=(PNG,), temperature=0.5, top_p=0.8)
    with fake_server(lambda request: "{}") as server:
        ask_all(endpoint(server.base_url, interface), [question], tmp_path / "c")
        (sent,) = server.requests
    assert sent["temperature"] == 0.5 and sent["top_p"] == 0.8 and "cache_control" not in sent and "system" not in sent and "tools" not in sent
    assert {"type": "object"} in (sent.get("text", {}).get("format", {}).get("schema"), sent.get("output_config", {}).get("format", {}).get("schema"))


@BOTH
def test_a_conversation_that_was_made_by_hand_is_said_in_the_words_of_the_api(tmp_path: Path, interface: Interface) -> None:
    call = ToolCall("c1", "note", {"text": "a"})
    talk = Request((Message("user", "a"), Message("assistant", "I keep it.", calls=(call,)), Message("tool", "kept", answers="c1")), (NOTE,))
    with fake_server(lambda request: "DONE") as server:
        (answer,) = ask_all(endpoint(server.base_url, interface), [talk], tmp_path / "c")
        (sent,) = server.requests
    assert answer.text == "DONE" and "I keep it." in str(sent) and "kept" in str(sent)
    assert has_the_form_of_the_api(sent, interface)


@BOTH
def test_statuses_tokens_and_money_are_those_of_the_reply(tmp_path: Path, interface: Interface) -> None:
    kinds = {"empty": "empty", "long": "truncated", "refusal": "refused", "yes": "answered"}

    def reply(request: dict[str, Any]) -> Any:
        return next((Fault(kind) for kind in kinds if kind != "yes" and f"say {kind}" in str(request)), "yes")

    requests = [Request.of("", f"say {kind}") for kind in kinds]
    with fake_server(reply) as server:
        priced = endpoint(server.base_url, interface, prices=Prices(1_000_000, 1_000_000, cached_input=100_000, written_input=2_000_000))
        for _ in range(2):
            answers = ask_all(priced, requests, tmp_path / "c")
        assert len(server.requests) == 4, "all are kept"
    assert [answer.status for answer in answers] == list(kinds.values()) and "cannot help" in answers[2].text
    assert {(answer.input_tokens, answer.cached_tokens, answer.output_tokens) for answer in answers} == {(100, 60, 20)}
    assert [answer.cost_usd for answer in answers] == pytest.approx(4 * [10 + 60 / 10 + 2 * 30 + 20])
    assert len(list(read_calls(tmp_path / "c"))) == 4


@BOTH
@pytest.mark.parametrize("fault", [*(fault for fault in MIXED if fault.kind != "500"), Fault("529")], ids=lambda fault: fault.kind)
def test_faults_are_tried_again_and_paid_for_once(tmp_path: Path, interface: Interface, fault: Fault) -> None:
    seen: list[int] = []

    def reply(request: dict[str, Any]) -> str | Fault:
        seen.append(1)
        return fault if len(seen) < 3 else "at last"

    with fake_server(reply) as server:
        (answer,) = ask_all(endpoint(server.base_url, interface), [Request.of("", "a")], tmp_path / "c")
        assert answer.text in {"at last", "slowly"} and set(server.paid.values()) == {1}


@BOTH
def test_what_stops_a_run_is_told_in_words_without_the_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, interface: Interface) -> None:
    monkeypatch.setenv("MY_KEY", "sk-very-secret")
    refused = Fault("401", message="invalid x-api-key: sk-very-secret")
    with fake_server(lambda request: refused) as server, pytest.raises(ModelError, match="refused the key in MY_KEY") as error:
        ask_all(endpoint(server.base_url, interface, key_variable="MY_KEY"), [Request.of("", "a")], tmp_path / "c")
    assert "secret" not in str(error.value)
    with pytest.raises(ModelError, match="cannot be reached; is the server running"):
        ask_all(endpoint("http://127.0.0.1:9/v1", interface), [Request.of("", "a")], tmp_path / "c")
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(ModelError, match="ANTHROPIC_API_KEY holds no key for the default endpoint"):
        ask_all(Endpoint("m", interface="anthropic"), [Request.of("", "a")], tmp_path / "c")


@pytest.mark.parametrize(
    ("interface", "fault"),
    [
        ("responses", Fault("400", message="Your input exceeds the context window of this model.", code="context_length_exceeded")),
        ("anthropic", Fault("400", message="prompt is too long: 210000 tokens > 200000 maximum")),
        ("anthropic", Fault("413", message="Request exceeds the maximum size", code="request_too_large")),
    ],
)
def test_a_context_that_overflows_is_told_apart(tmp_path: Path, interface: Interface, fault: Fault) -> None:
    with fake_server(lambda request: fault) as server, Client(endpoint(server.base_url, interface), tmp_path / "c", "") as client:
        with pytest.raises(RequestFailed) as error:
            client.run(client.ask(asked(interface)))
        assert error.value.excess == "request" and len(server.requests) == 1


@pytest.mark.parametrize(
    ("interface", "fault"),
    [
        ("responses", Fault("picture")),
        ("responses", Fault("400", message="as told", code="image_file_too_large")),
        ("anthropic", Fault("picture")),
        ("anthropic", Fault("400", message="messages.7.content.2.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels")),
        ("anthropic", Fault("400", message="messages.9.content.2.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels")),
        ("chat", Fault("picture")),
    ],
)  # fmt: skip
def test_a_picture_that_is_too_large_is_told_apart(tmp_path: Path, interface: Interface, fault: Fault) -> None:
    with fake_server(lambda request: fault) as server, Client(endpoint(server.base_url, interface), tmp_path / "c", "") as client:
        with pytest.raises(RequestFailed, match=r"a picture is too large for it: give it smaller ones, such as --picture 1024") as error:
            client.run(client.ask(Request.of("", "a", images=(PNG,))))
        assert error.value.excess == "picture" and error.value.is_its_own and len(server.requests) == 1


@pytest.mark.parametrize("words", ["Could not process image", "image URL cannot be read", "Too many images: at most 20"])
def test_what_else_is_wrong_with_a_picture_is_no_size(tmp_path: Path, words: str) -> None:
    with fake_server(lambda request: Fault("400", message=words)) as server, Client(endpoint(server.base_url, "chat"), tmp_path / "c", "") as client:
        with pytest.raises(RequestFailed, match=words) as error:
            client.run(client.ask(Request.of("", "a", images=(PNG,))))
        assert error.value.excess is None


@pytest.mark.parametrize(
    ("code", "status", "calls"), [("server_error", "answered", 2), ("invalid_prompt", "refused", 1), ("image_too_large", "failed", 1)]
)
def test_a_response_can_be_an_error(tmp_path: Path, code: str, status: str, calls: int) -> None:
    """The server answers 200, and the response says that it failed."""
    failed = Responses().reply("m", [], status="failed", error={"code": code, "message": "as told"})
    with fake_server(lambda request: failed if "fail" in str(request) and len(server.requests) < 3 else "yes") as server:
        first, answer = ask_all(endpoint(server.base_url, "responses"), [Request.of("", "a"), Request.of("", "fail")], tmp_path / "c")
        assert first.status == "answered" and answer.status == status and len(server.requests) == calls + 1
        assert (answer.failure is not None and answer.failure.excess == "picture") == (code == "image_too_large")


@BOTH
def test_an_endpoint_is_checked_before_it_is_asked(tmp_path: Path, interface: Interface) -> None:
    with fake_server(lambda request: "yes", models=["m"], context=5000) as server:
        with Client(endpoint(server.base_url, interface), tmp_path / "c", "") as client:
            assert check_endpoint(client).context_tokens == 5000
        with (
            Client(Endpoint("other", server.base_url, interface=interface), tmp_path / "c", "") as client,
            pytest.raises(ModelError, match="does not serve"),
        ):
            check_endpoint(client)
    with fake_server(lambda request: "yes") as server, Client(endpoint(server.base_url, interface), tmp_path / "c", "") as client:
        assert check_endpoint(client).context_tokens is None, "a server without a list is taken as it is"


def test_responses_come_in_batches_and_messages_do_not(tmp_path: Path) -> None:
    requests = [Request.of("", f"Question {number}") for number in range(3)]
    with fake_server(lambda request: "yes") as server:
        with Client(endpoint(server.base_url, "responses"), tmp_path / "c", "") as client:
            answer_by_batch(client, requests, client.ask, lambda done, total: None, poll=0.01)
            assert [answer.text for answer in client.each(requests, client.ask)] == ["yes"] * 3 and server.requests == []
            assert {batch["endpoint"] for batch in server.batches.values()} == {"/v1/responses"}
        with Client(endpoint(server.base_url, "anthropic"), tmp_path / "c", "") as client, pytest.raises(ModelError, match="has no batches here"):
            answer_by_batch(client, requests, client.ask, lambda done, total: None)


def test_replay_finds_a_conversation_and_asks_nothing(tmp_path: Path) -> None:
    with fake_server(lambda request: calling("anthropic")) as server:
        (live,) = ask_all(endpoint(server.base_url, "anthropic"), [asked("anthropic")], tmp_path / "c")
    with Client(endpoint(server.base_url, "anthropic"), tmp_path / "c", "", mode="replay") as client:
        assert client.run(client.ask(asked("anthropic"))).calls == live.calls
        with pytest.raises(ModelError, match="not in the cache"):
            client.run(client.ask(gone_on(asked("anthropic"), live)))


def test_the_package_does_not_try_again_by_itself(tmp_path: Path) -> None:
    for interface in ("chat", "responses", "anthropic"):
        with Client(Endpoint("m", "http://localhost:1", interface=interface), tmp_path / "c", "") as client:
            assert client.connection.max_retries == 0 and interface_of(client.endpoint).PATH
