"""OpenAI's Responses API, with its computer-use tool. Nothing is stored there: each request holds its whole conversation.

Items of a reply go back as they came, since reasoning items and ids belong together.
"""

import io
import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import openai
from PIL import Image

from language_models.chat import Answer, BuiltInTool, Json, Message, Request, Status, Tool, ToolCall, read_arguments, status_of
from language_models.endpoint import Endpoint
from language_models.errors import FailedReply
from language_models.interfaces.openai_server import connect, data_url, log_probabilities, models, sampling

__all__ = ["COMPUTER", "HAS_BATCHES", "PACKAGE", "PATH", "body", "call_of", "connect", "models", "read"]

PATH, PACKAGE, HAS_BATCHES = "/responses", openai, True
COMPUTER = "computer"  # the name of calls of the computer-use tool
_CAN_HELP = {"server_error", "rate_limit_exceeded", "vector_store_timeout"}  # errors that another attempt may not meet
_REFUSALS = {"invalid_prompt", "bio_policy", "misalignment_policy_violation", "image_content_policy_violation"}
_LEFT_OUT = (64, 64)  # pixels of the grey picture that stands for one that is left out: the answer to a call of the computer must have one


def body(request: Request, endpoint: Endpoint) -> Json:
    """Return the body of a request."""
    made: Json = {"model": endpoint.name_there, "max_output_tokens": request.max_tokens + endpoint.reasoning_tokens, "store": False}
    of_computer = {item["call_id"] for message in request.messages for item in message.raw if item.get("type") == "computer_call"}
    made["input"] = [item for message in request.messages for item in _items(message, of_computer)]
    if request.tools:
        made["tools"] = [_tool(tool) for tool in request.tools]
    made |= sampling(request, endpoint) | ({"include": ["message.output_text.logprobs"]} if endpoint.log_probabilities else {})
    if request.schema is not None:
        made["text"] = {"format": {"type": "json_schema", "name": "answer", "schema": request.schema, "strict": True}}
    return made


def _tool(tool: Tool | BuiltInTool) -> Json:
    if isinstance(tool, BuiltInTool):
        return tool.declaration
    return {"type": "function", "name": tool.name, "description": tool.description, "parameters": tool.parameters, "strict": False}


def _items(message: Message, of_computer: set[str]) -> Iterator[Json]:
    """Yield the items of a message. `of_computer` are the ids of calls that want a picture as their answer; a text follows it as the user's."""
    if message.raw:
        yield from message.raw
        return
    if message.role == "assistant":
        if message.text:
            yield {"role": "assistant", "content": message.text}
        for call in message.calls:
            yield {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": json.dumps(call.arguments, ensure_ascii=False)}
        return
    text, images = message.text, message.images
    if message.role == "tool" and message.answers in of_computer:
        picture = {"type": "computer_screenshot", "image_url": data_url(images[0] if images else _left_out())}
        acknowledged = {"acknowledged_safety_checks": list(message.acknowledged)} if message.acknowledged else {}
        yield {"type": "computer_call_output", "call_id": message.answers, "output": picture, **acknowledged}
        images = images[1:]
    elif message.role == "tool":
        yield {"type": "function_call_output", "call_id": message.answers, "output": text}
        text = ""
    role = "user" if message.role == "tool" else message.role
    parts = [{"type": "input_text", "text": text}] if text else []
    parts += [{"type": "input_image", "image_url": data_url(image), "detail": "auto"} for image in images]
    if parts:
        yield {"role": role, "content": parts}


@cache
def _left_out() -> bytes:
    file = io.BytesIO()
    Image.new("RGB", _LEFT_OUT, "grey").save(file, "PNG")
    return file.getvalue()


def read(reply: Json, latency_ms: float, endpoint: Endpoint) -> Answer:
    """Return the answer in a response: its text, and its calls of functions and of the computer, which has the name `COMPUTER`."""
    try:
        output, usage, error = reply["output"] or [], reply.get("usage") or {}, reply.get("error")
        said = [part for item in output if item["type"] == "message" for part in item["content"]]
        text = "\n".join(part["text"] for part in said if part["type"] == "output_text")
        tokens = _taken_log_probabilities(said) if endpoint.log_probabilities else ()
        refusal = "\n".join(part["refusal"] for part in said if part["type"] == "refusal")
        calls = tuple(call for item in output if (call := call_of(item)) is not None)
        input_tokens, output_tokens = int(usage.get("input_tokens") or 0), int(usage.get("output_tokens") or 0)
        details = usage.get("input_tokens_details") or {}
        cached, written = (int(details.get(name) or 0) for name in ("cached_tokens", "cache_write_tokens"))
        reason = (reply.get("incomplete_details") or {}).get("reason")
    except (LookupError, TypeError, AttributeError, ValueError) as mistake:
        raise ValueError(f"no response: {type(mistake).__name__}") from None
    if error and error.get("code") in _REFUSALS:
        refusal = refusal or str(error.get("message") or error["code"])
    elif error or reply.get("status") == "failed":
        failed = error or {}
        code = str(failed.get("code") or "")
        raise FailedReply(str(failed.get("message") or "it said no reason"), can_help=code in _CAN_HELP, code=code)
    status: Status = status_of(text, calls)
    if reply.get("status") == "incomplete":
        status = "truncated"
    if refusal or reason == "content_filter":
        status, text, calls = "refused", text or refusal, ()
    cost = endpoint.cost(input_tokens, cached, output_tokens, written)
    figures = (input_tokens, output_tokens, round(latency_ms, 1), cached, cost)
    return Answer(text, status, *figures, calls=calls, raw=tuple(output), log_probabilities=tokens)


def _taken_log_probabilities(said: list[Json]) -> tuple[tuple[str, float], ...]:
    """Take the log probabilities out of the parts of messages: they need not go back with the items of a reply."""
    given = [part.pop("logprobs", None) or () for part in said if part["type"] == "output_text"]
    return log_probabilities([one for part in given for one in part])


def call_of(item: dict[str, Any]) -> ToolCall | None:
    """Return the call in an item of a conversation, if it is one. The newer tool calls for several actions at once, the older one for one."""
    if item["type"] == "computer_call":
        actions = item.get("actions") or ([item["action"]] if item.get("action") else [])
        return ToolCall(item["call_id"], COMPUTER, {"actions": actions, "pending_safety_checks": item.get("pending_safety_checks") or []})
    if item["type"] == "function_call":
        return ToolCall(item["call_id"], item["name"], *read_arguments(item["arguments"]))
    return None
