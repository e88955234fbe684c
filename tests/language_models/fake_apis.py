"""The APIs beside chat that the fake server speaks: OpenAI's Responses and Anthropic's Messages. They refuse what the real ones refuse.

A reply is told as a list of items or blocks, made by the functions here; a text is one of them.
"""

import json
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any, Protocol

Json = dict[str, Any]
_numbers = count(1)


class Api(Protocol):
    """One API: how it wraps a reply, how it says an error, what it refuses, and in what words and by what code it refuses a picture as too large."""

    too_large: tuple[str, str | None]

    def reply(self, model: str, said: str | Sequence[Json], **more: Any) -> Json: ...

    def of_kind(self, model: str, kind: str) -> Json: ...

    def error(self, message: str, code: str | None) -> Json: ...

    def mistake(self, request: Json) -> str | None: ...


def text_item(text: str) -> Json:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return {"type": "message", "id": f"msg_{next(_numbers)}", "role": "assistant", "status": "completed", "content": content}


def reasoning_item() -> Json:
    return {"type": "reasoning", "id": f"rs_{next(_numbers)}", "summary": [], "encrypted_content": "sealed"}


def computer_call(*actions: Json, checks: Sequence[Json] = ()) -> Json:
    number = next(_numbers)
    about = {"id": f"cu_{number}", "call_id": f"call_{number}", "status": "completed"}
    return {"type": "computer_call", **about, "actions": list(actions), "pending_safety_checks": list(checks)}


def function_call(name: str, **arguments: Any) -> Json:
    """A call of a function of the user."""
    number = next(_numbers)
    about = {"id": f"fc_{number}", "call_id": f"call_{number}", "status": "completed"}
    return {"type": "function_call", **about, "name": name, "arguments": json.dumps(arguments)}


class Responses:
    """OpenAI's Responses API."""

    too_large: tuple[str, str | None] = ("The image is too large.", "image_too_large")

    def reply(self, model: str, said: str | Sequence[Json], **more: Any) -> Json:
        output = [text_item(said)] if isinstance(said, str) else list(said)
        usage = {
            "input_tokens": 100, "output_tokens": 20, "total_tokens": 120, "output_tokens_details": {"reasoning_tokens": 5},
            "input_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 30},
        }  # fmt: skip
        about = {
            "id": "resp_1",
            "object": "response",
            "created_at": 0,
            "model": model,
            "parallel_tool_calls": False,
            "tool_choice": "auto",
            "tools": [],
        }
        return {**about, "status": "completed", "error": None, "output": output, "usage": usage, **more}

    def of_kind(self, model: str, kind: str) -> Json:
        if kind == "long":
            return self.reply(model, "and so on", status="incomplete", incomplete_details={"reason": "max_output_tokens"})
        if kind == "refusal":
            refused = text_item("") | {"content": [{"type": "refusal", "refusal": "I cannot help with that."}]}
            return self.reply(model, [refused])
        return self.reply(model, [])

    def error(self, message: str, code: str | None) -> Json:
        return {"error": {"message": message, "type": "invalid_request_error", "code": code, "param": None}}

    def mistake(self, request: Json) -> str | None:
        """What is wrong with a request: calls and answers belong together, pictures have to be there, and checks wait to be acknowledged."""
        waiting: dict[str, Json] = {}
        functions = {tool["name"] for tool in request.get("tools", ()) if tool["type"] == "function"}
        for item in request["input"]:
            kind = item.get("type", "message")
            wrong = None
            if kind in ("computer_call", "function_call"):
                waiting[item["call_id"]] = item
                wrong = f"Unknown function '{item['name']}'." if kind == "function_call" and item["name"] not in functions else None
            elif kind.endswith("_call_output"):
                wrong = _mistake_of_answer(item, waiting.pop(item["call_id"], {}))
            elif kind == "message" and not item["content"]:
                wrong = "Invalid 'input.content': empty."
            if wrong:
                return wrong
        if request.get("store") is not False:
            return "this server stores nothing"
        return f"No tool output found for call {', '.join(waiting)}." if waiting else None


def _mistake_of_answer(item: Json, call: Json) -> str | None:
    """What is wrong with the answer to a call of the computer or of a function."""
    of_computer = item["type"] == "computer_call_output"
    if call.get("type") != item["type"].removesuffix("_output"):
        return f"No tool call found for {'computer' if of_computer else 'function'} call with call_id {item['call_id']}."
    if not of_computer:
        return None if isinstance(item["output"], str) else "Invalid type for 'input.output'."
    if not item["output"].get("image_url", "").startswith("data:image/"):
        return "Invalid type for 'input.output.image_url'."
    known = {check["id"] for check in item.get("acknowledged_safety_checks", ())}
    return "Pending safety checks were not acknowledged." if {check["id"] for check in call["pending_safety_checks"]} - known else None


def tool_use(name: str, **arguments: Any) -> Json:
    """A call of a member of the computer toolset."""
    about = {"id": f"toolu_{next(_numbers)}", "caller": {"type": "direct"}, "toolset_name": "computer"}
    return {"type": "tool_use", **about, "name": name, "input": arguments}


def function_use(name: str, **arguments: Any) -> Json:
    """A call of a tool of the user, which is of no toolset."""
    return {"type": "tool_use", "id": f"toolu_{next(_numbers)}", "caller": {"type": "direct"}, "name": name, "input": arguments}


def thinking() -> Json:
    return {"type": "thinking", "thinking": "I look.", "signature": "signed"}


class Messages:
    """Anthropic's Messages API."""

    too_large: tuple[str, str | None] = ("messages.0.content.0.image.source.base64: image exceeds 5 MB maximum: 8259148 bytes > 5242880 bytes", None)

    def reply(self, model: str, said: str | Sequence[Json], **more: Any) -> Json:
        content = [{"type": "text", "text": said}] if isinstance(said, str) else list(said)
        usage = {"input_tokens": 10, "cache_read_input_tokens": 60, "cache_creation_input_tokens": 30, "output_tokens": 20}
        stopped = "tool_use" if any(block["type"] == "tool_use" for block in content) else "end_turn"
        about = {"id": "msg_1", "type": "message", "role": "assistant", "model": model, "stop_sequence": None}
        return {**about, "content": content, "stop_reason": stopped, "usage": usage, **more}

    def of_kind(self, model: str, kind: str) -> Json:
        if kind == "long":
            return self.reply(model, "and so on", stop_reason="max_tokens")
        if kind == "refusal":
            details = {"type": "refusal", "category": "cyber", "explanation": "I cannot help with that."}
            return self.reply(model, [], stop_reason="refusal", stop_details=details)
        return self.reply(model, [])

    def error(self, message: str, code: str | None) -> Json:
        return {"type": "error", "error": {"type": code or "invalid_request_error", "message": message}, "request_id": "req_1"}

    def mistake(self, request: Json) -> str | None:
        """What is wrong with a request: turns alternate, each call is answered in the next turn under its toolset, and texts are not empty."""
        waiting: dict[str, Any] = {}
        named = {tool["name"] for tool in request.get("tools", ()) if "name" in tool}
        for number, message in enumerate(request["messages"]):
            if message["role"] != ("user", "assistant")[number % 2] or not message["content"]:
                return f"messages.{number}: roles must alternate, and content must not be empty"
            answered = [block for block in message["content"] if block["type"] == "tool_result"]
            if {block["tool_use_id"] for block in answered} != set(waiting):
                return f"messages.{number}: `tool_use` ids were found without `tool_result` blocks: {', '.join(waiting)}"
            if any(block.get("toolset_name") != waiting[block["tool_use_id"]] for block in answered):
                return f"messages.{number}: toolset_name does not match"
            is_blank = any(block["type"] == "text" and not block["text"].strip() for block in message["content"])
            if is_blank or any(block.get("is_error") and not block["content"] for block in answered):
                return f"messages.{number}: text content blocks must be non-empty"
            used = [block for block in message["content"] if block["type"] == "tool_use"]
            if unknown := [block["name"] for block in used if not block.get("toolset_name") and block["name"] not in named]:
                return f"messages.{number}: there is no tool {unknown[0]}"
            waiting = {block["id"]: block.get("toolset_name") for block in used}
        return None if request["messages"][-1]["role"] == "user" else "this model does not support assistant message prefill"


APIS: Mapping[str, Api] = {"/v1/responses": Responses(), "/v1/messages": Messages()}
