"""Protects the messages of kept requests: they are the same whatever the API, and an answer is the message with which the next request repeats it."""

from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

from language_models.chat import Answer, Message, Request, ToolCall
from language_models.client import ask_all
from language_models.endpoint import Endpoint, Interface
from language_models.interface import interface_of
from language_models.kept import KeptCalls
from language_models.spoken import Picture, Said, message_of, messages_of
from tests.language_models.fake_server import fake_server
from tests.language_models.test_client import QUICK
from tests.language_models.test_conversations import CALL, JPEG, PNG, TALK, calling
from tests.language_models.test_interfaces import BOTH, asked, endpoint, gone_on
from tests.language_models.test_interfaces import calling as calling_of

SHOWN, GIVEN = (Picture(b64encode(file).decode()) for file in (PNG, JPEG))


@pytest.mark.parametrize("interface", ["chat", "responses", "anthropic"])
def test_a_conversation_is_read_back_as_it_was_said(interface: Interface) -> None:
    own = Endpoint("m", "http://localhost:8000/v1", interface=interface)
    system, user, assistant, *rest = messages_of(interface_of(own).body(TALK, own))
    assert system == Said("system", ("Be brief.",)) and assistant == Said("assistant", ("I click.",), (CALL,))
    assert (user.role, set(user.parts)) == ("user", {"Save it.", SHOWN}) and user.parts == (
        (SHOWN, "Save it.") if interface == "anthropic" else ("Save it.", SHOWN)
    ), "parts stand in the order in which they were sent"
    assert SHOWN.file == PNG
    said: list[tuple[Any, ...]] = [(one.role, *one.parts) for one in rest]
    if interface == "anthropic":
        assert said == [("tool", GIVEN, "done"), ("user", "And now?")] and rest[0].answers == "c1"
    else:
        assert said == [("tool", "done"), ("user", GIVEN), ("user", "And now?")] and rest[0].answers == "c1"


def test_a_base_model_is_said_one_text() -> None:
    own = Endpoint("m", "http://localhost:8000/v1", interface="completion")
    assert messages_of(interface_of(own).body(Request.of("Be brief.", "Go."), own)) == [Said("user", ("Be brief.\n\nGo.",))]


@BOTH
def test_an_answer_is_the_message_of_the_next_request_without_what_is_sealed(tmp_path: Path, interface: Interface) -> None:
    with fake_server(lambda request: calling_of(interface) if len(request.get("input") or request["messages"]) <= 2 else "DONE") as server:
        own = endpoint(server.base_url, interface)
        (first,) = ask_all(own, [asked(interface)], tmp_path / "c")
        (last,) = ask_all(own, [gone_on(asked(interface), first)], tmp_path / "c")
    with KeptCalls(tmp_path / "c") as calls:
        kept = [calls.get(answer.call_id) for answer in (first, last)]
    assert kept[0] is not None and kept[1] is not None
    before, after = messages_of(kept[0].request), messages_of(kept[1].request)
    assert after[:2] == before and after[2] == message_of(kept[0].answer) == message_of(first) and first.calls == after[2].calls
    assert [one.answers for one in after[3:] if one.role == "tool"] == [call.id for call in first.calls]
    assert GIVEN in after[3].parts and "sealed" not in str(after) and "signed" not in str(after)
    assert message_of(last) == Said("assistant", ("DONE",))


def test_calls_that_were_malformed_are_the_same_message_too(tmp_path: Path) -> None:
    with fake_server(lambda request: calling(request) if len(request["messages"]) == 1 else "DONE") as server:
        own = Endpoint("m", server.base_url, patience=QUICK)
        (first,) = ask_all(own, [Request((Message("user", "Save it."),), TALK.tools)], tmp_path / "c")
        assert first.calls[1].malformed
        more = [Message("tool", "no", answers=call.id) for call in first.calls]
        (last,) = ask_all(own, [Request((Message("user", "Save it."), first.message, *more), TALK.tools)], tmp_path / "c")
    with KeptCalls(tmp_path / "c") as calls:
        kept = calls.get(last.call_id)
    assert kept is not None and messages_of(kept.request)[1] == message_of(first)
    assert message_of(Answer("", "answered", calls=(ToolCall("c", "n", {}, "why"),))) == Said("assistant", (), (ToolCall("c", "n", {}),))
