"""Anthropic's Messages API, with its computer-use tools, by Anthropic's own package.

Blocks of a reply go back as they came, since thinking is signed. A conversation asks the server to keep its beginning in the prefix cache.
"""

from base64 import b64encode
from collections.abc import Iterator
from itertools import groupby
from typing import Any

import anthropic

from language_models.chat import Answer, BuiltInTool, Json, Message, Request, Status, Tool, ToolCall, status_of
from language_models.endpoint import Endpoint
from language_models.errors import ModelError
from language_models.interfaces.openai_server import kind_of, sampling

PATH, PACKAGE, HAS_BATCHES = "/v1/messages", anthropic, False
_CUT_OFF = {"max_tokens", "model_context_window_exceeded"}


def connect(endpoint: Endpoint, key: str) -> anthropic.AsyncAnthropic:
    """Return the anthropic client, which does not retry. An address may end in /v1, as addresses of OpenAI-compatible servers do."""
    timeout = endpoint.patience.timeout
    address = endpoint.base_url.rstrip("/").removesuffix("/v1") if endpoint.base_url else None
    transport = anthropic.DefaultAioHttpClient(timeout=timeout)
    return anthropic.AsyncAnthropic(base_url=address, api_key=key, max_retries=0, timeout=timeout, http_client=transport)


async def models(connection: anthropic.AsyncAnthropic, endpoint: Endpoint) -> dict[str, dict[str, Any]]:
    """Return what the server says about the endpoint's model; its list does not have every name that it takes."""
    try:
        found = await connection.models.retrieve(endpoint.name_there)
    except anthropic.NotFoundError as error:
        if error.type == "not_found_error":
            raise ModelError(f"{endpoint.where} does not serve model '{endpoint.name_there}'") from None
        raise
    return {endpoint.name_there: found.model_dump()}


def body(request: Request, endpoint: Endpoint) -> Json:
    """Return the body of a request."""
    made: Json = {"model": endpoint.name_there, "max_tokens": request.max_tokens + endpoint.reasoning_tokens}
    if system := "\n\n".join(message.text for message in request.messages if message.role == "system" and message.text):
        made["system"] = system
    made["messages"] = list(_messages(request))
    if request.tools:
        made["tools"] = [_tool(tool) for tool in request.tools]
    if request.tools or any(message.role == "assistant" for message in request.messages):
        made["cache_control"] = {"type": "ephemeral"}
    if endpoint.reasoning_tokens:
        made["thinking"] = {"type": "adaptive"}
    if request.schema is not None:
        made["output_config"] = {"format": {"type": "json_schema", "schema": request.schema}}
    return made | sampling(request, endpoint)


def _tool(tool: Tool | BuiltInTool) -> Json:
    if isinstance(tool, BuiltInTool):
        return tool.declaration
    return {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}


def _messages(request: Request) -> Iterator[Json]:
    """Yield the messages. The answers to all calls of one message, and what the user says after them, are one message of the user."""
    toolsets = {block["id"]: block.get("toolset_name") for message in request.messages for block in message.raw if block.get("type") == "tool_use"}
    has_tools = any(isinstance(tool, BuiltInTool) for tool in request.tools)
    spoken = [message for message in request.messages if message.role != "system"]
    for is_assistant, group in groupby(spoken, lambda message: message.role == "assistant"):
        blocks = [block for message in group for block in (_said(message) if is_assistant else _given(message, toolsets, has_tools))]
        yield {"role": "assistant" if is_assistant else "user", "content": blocks}


def _said(message: Message) -> list[Json]:
    """Return the blocks of a message of the assistant."""
    if message.raw:
        return list(message.raw)
    said = [{"type": "text", "text": message.text}] if message.text.strip() else []
    return [*said, *({"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments} for call in message.calls)]


def _given(message: Message, toolsets: dict[str, str | None], has_tools: bool) -> list[Json]:
    """Return the blocks of a message of the user, or of an answer to a call. Pictures come first, since models read them better so.

    A picture for a tool that points into it must not be made smaller by the server: then its places would be others.
    """
    as_it_is = {"transformations": {"oversized_image": "error"}} if has_tools else {}
    blocks: list[Json] = [{"type": "image", "source": _source(image), **as_it_is} for image in message.images]
    blocks += [{"type": "text", "text": message.text}] if message.text.strip() else []
    if message.role != "tool":
        return blocks
    toolset = toolsets.get(message.answers or "")
    of_toolset = {"toolset_name": toolset} if toolset else {}
    failed = {"is_error": True} if message.has_failed else {}
    return [{"type": "tool_result", "tool_use_id": message.answers, "content": blocks, **of_toolset, **failed}]


def _source(image: bytes) -> Json:
    return {"type": "base64", "media_type": kind_of(image), "data": b64encode(image).decode()}


def read(reply: Json, latency_ms: float, endpoint: Endpoint) -> Answer:
    """Return the answer in a message: its text, and its calls."""
    try:
        content, usage, stopped = reply["content"], reply["usage"], reply.get("stop_reason")
        text = "\n".join(block["text"] for block in content if block["type"] == "text")
        calls = tuple(ToolCall(block["id"], block["name"], dict(block["input"])) for block in content if block["type"] == "tool_use")
        cached, written = (int(usage.get(f"cache_{name}_input_tokens") or 0) for name in ("read", "creation"))
        input_tokens, output_tokens = int(usage["input_tokens"]) + cached + written, int(usage["output_tokens"])
        explained = (reply.get("stop_details") or {}).get("explanation")
    except (KeyError, IndexError, TypeError, AttributeError, ValueError) as mistake:
        raise ValueError(f"no message: {type(mistake).__name__}") from None
    status: Status = status_of(text, calls)
    if stopped in _CUT_OFF:
        status = "truncated"
    if stopped == "refusal":
        status, text, calls = "refused", text or explained or "", ()
    cost = endpoint.cost(input_tokens, cached, output_tokens, written)
    return Answer(text, status, input_tokens, output_tokens, round(latency_ms, 1), cached, cost, calls=calls, raw=tuple(content))
