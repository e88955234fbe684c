"""The messages of a kept request, whatever API it was written for: who said what, with which pictures, and which tools were called.

`language_models.told` tells the same in words; here the parts stay apart, for programs that learn from what was said.
"""

from base64 import b64decode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from language_models.chat import Answer, ToolCall, read_arguments
from language_models.interfaces.responses import call_of

Json = dict[str, Any]
_OUTPUTS = ("function_call_output", "computer_call_output")


@dataclass(frozen=True)
class Picture:
    """A PNG or JPEG file as it is sent, in base64: a conversation repeats its pictures, and comparing them needs no file."""

    encoded: str

    @property
    def file(self) -> bytes:
        """Return the file."""
        return b64decode(self.encoded)


@dataclass(frozen=True)
class Said:
    """A message: its parts in their order, each a text or a picture, and the calls of tools after them.

    A message with the role `tool` answers the call with the id `answers`.
    """

    role: str
    parts: tuple[str | Picture, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    answers: str | None = None


def messages_of(request: Mapping[str, Any]) -> list[Said]:
    """Return the messages of a request. What only the server can read (sealed reasoning, signatures) is left out."""
    if "prompt" in request:
        return [Said("user", (str(request["prompt"]),))]
    system = [{"role": "system", "content": request["system"]}] if request.get("system") else []
    said: list[Said] = []
    for item in [*system, *(request.get("messages") or request.get("input") or ())]:
        for one in _said(item):
            if said and one.role == said[-1].role == "assistant":  # the Responses API has its text and its calls as items of their own
                said[-1] = replace(said[-1], parts=said[-1].parts + one.parts, calls=said[-1].calls + one.calls)
            else:
                said.append(one)
    return said


def message_of(answer: Answer) -> Said:
    """Return an answer as a message: equal to the one with which a later request repeats it, unless the agent changed it."""
    return Said("assistant", (answer.text,) if answer.text else (), tuple(replace(call, malformed="") for call in answer.calls))


def _said(item: Json) -> Iterator[Said]:
    """Yield what an item of a conversation says: Anthropic's has the answers to calls and what the user says in one."""
    kind, content = item.get("type"), item.get("content")
    if (call := call_of(item) if kind else None) is not None:
        yield Said("assistant", calls=(replace(call, malformed=""),))
    elif kind in _OUTPUTS:
        yield Said("tool", tuple(_parts(item["output"])), answers=item["call_id"])
    elif "role" in item:
        blocks = content if isinstance(content, list) else []
        for block in blocks:
            if block["type"] == "tool_result":
                yield Said("tool", tuple(_parts(block["content"])), answers=block["tool_use_id"])
        parts = tuple(_parts([block for block in blocks if block["type"] != "tool_result"] if blocks else content))
        calls = tuple(ToolCall(block["id"], block["name"], dict(block["input"])) for block in blocks if block["type"] == "tool_use")
        calls += tuple(_function(call) for call in item.get("tool_calls") or ())
        if parts or calls or not blocks:
            yield Said(item["role"], parts, calls, item.get("tool_call_id"))


def _function(call: Json) -> ToolCall:
    return ToolCall(call["id"], call["function"]["name"], read_arguments(call["function"]["arguments"])[0])


def _parts(content: Any) -> Iterator[str | Picture]:
    """Yield the texts and the pictures of a content, in their order."""
    if isinstance(content, list):
        for block in content:
            yield from _parts(block)
    elif isinstance(content, str):
        yield from [content] if content else []
    elif isinstance(content, dict):
        url = content.get("image_url")
        if isinstance(url, dict):
            url = url["url"]
        if url is not None:
            yield Picture(url.partition(",")[2])
        elif content["type"] == "image":
            yield Picture(content["source"]["data"])
        elif content.get("text"):
            yield content["text"]
        elif content.get("refusal"):
            yield content["refusal"]
