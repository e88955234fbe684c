"""OpenAI's Chat Completions API, which nearly every server of language models speaks."""

import json
from collections.abc import Iterator
from itertools import groupby
from typing import Any

import openai

from language_models.chat import Answer, BuiltInTool, Json, Message, Request, Status, Tool, ToolCall, read_arguments, status_of
from language_models.endpoint import Endpoint
from language_models.errors import ModelError
from language_models.interfaces.openai_server import connect, data_url, log_probabilities, models, sampling

__all__ = ["HAS_BATCHES", "PACKAGE", "PATH", "body", "connect", "models", "read"]

PATH, PACKAGE, HAS_BATCHES = "/chat/completions", openai, True


def body(request: Request, endpoint: Endpoint) -> Json:
    """Return the body of a chat request."""
    made: Json = {"model": endpoint.name_there, endpoint.limits_by: request.max_tokens + endpoint.reasoning_tokens}
    made["messages"] = list(_messages(request))
    if request.tools:
        made["tools"] = [_tool(tool, endpoint) for tool in request.tools]
    made |= sampling(request, endpoint) | ({"logprobs": True} if endpoint.log_probabilities else {})
    if request.schema is not None:
        made["response_format"] = {"type": "json_schema", "json_schema": {"name": "answer", "schema": request.schema, "strict": True}}
    return made


def _tool(tool: Tool | BuiltInTool, endpoint: Endpoint) -> Json:
    if isinstance(tool, BuiltInTool):
        raise ModelError(
            f"the tool {tool.declaration.get('type')} is not of the interface 'chat' of model '{endpoint.model}': "
            "declare the interface of its server in models.yaml"
        )
    return {"type": "function", "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters}}


def _messages(request: Request) -> Iterator[Json]:
    """Yield the messages. The answer to a call is a text here: pictures of answers come in a message of the user after them."""
    for is_answer, group in groupby(request.messages, lambda message: message.role == "tool"):
        some = list(group)
        yield from map(_message, some)
        if is_answer and (images := tuple(image for message in some for image in message.images)):
            yield {"role": "user", "content": [*_pictures(images)]}


def _message(message: Message) -> Json:
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.answers, "content": message.text}
    made: Json = {"role": message.role, "content": message.text}
    if message.images:
        made["content"] = [{"type": "text", "text": message.text}, *_pictures(message.images)]
    if message.calls:
        made["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": json.dumps(call.arguments, ensure_ascii=False)}}
            for call in message.calls
        ]
    return made


def _pictures(images: tuple[bytes, ...]) -> Iterator[Json]:
    return ({"type": "image_url", "image_url": {"url": data_url(image)}} for image in images)


def read(reply: Json, latency_ms: float, endpoint: Endpoint) -> Answer:
    """Return the answer in a chat completion."""
    try:
        choice = reply["choices"][0]
        message = choice.get("message") or {"content": choice["text"]}
        text = message.get("content") or ""
        calls = tuple(_call(call) for call in message.get("tool_calls") or ())
        tokens = log_probabilities((choice.get("logprobs") or {}).get("content")) if endpoint.log_probabilities else ()
        usage = reply.get("usage") or {}
        input_tokens, output_tokens = int(usage.get("prompt_tokens") or 0), int(usage.get("completion_tokens") or 0)
        details = usage.get("prompt_tokens_details") or {}
        cached, written = (int(details.get(name) or 0) for name in ("cached_tokens", "cache_write_tokens"))
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        raise ValueError(f"not a chat completion: {type(error).__name__}") from None
    status: Status = status_of(text, calls)
    if choice.get("finish_reason") == "length":
        status = "truncated"
    if message.get("refusal") or choice.get("finish_reason") == "content_filter":
        status, text = "refused", text or message.get("refusal") or ""
    cost = endpoint.cost(input_tokens, cached, output_tokens, written)
    figures = (input_tokens, output_tokens, round(latency_ms, 1), cached, cost)
    return Answer(text, status, *figures, calls=calls, log_probabilities=tokens)


def _call(call: Any) -> ToolCall:
    arguments, malformed = read_arguments(call["function"].get("arguments") or "")
    return ToolCall(str(call["id"]), str(call["function"]["name"]), arguments, malformed)
