"""Asking a model at an OpenAI-compatible endpoint: many requests at once, each paid for once."""

import asyncio
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import openai

from language_models.cache import Cache
from language_models.errors import ModelError

Status = Literal["answered", "empty", "refused", "truncated"]
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Endpoint:
    """Where a model answers; the key itself stays in the environment."""

    model: str
    base_url: str | None = None
    key_variable: str = "OPENAI_API_KEY"
    at_once: int = 8


@dataclass(frozen=True)
class Answer:
    """A complete answer, whatever became of it."""

    text: str
    status: Status
    input_tokens: int
    output_tokens: int
    latency_ms: float
    from_cache: bool = False


@dataclass(frozen=True)
class Request:
    """One chat request; `schema` asks for JSON of that JSON Schema."""

    system: str
    user: str
    schema: dict[str, Any] | None = None
    temperature: float = 0.0
    max_tokens: int = 1024
    sample: int = 0

    def body(self, endpoint: Endpoint) -> dict[str, Any]:
        """What is sent, and what the cache is keyed by, together with where it is sent."""
        body: dict[str, Any] = {
            "model": endpoint.model,
            "messages": [{"role": "system", "content": self.system}, {"role": "user", "content": self.user}],
            "temperature": self.temperature,
            "max_completion_tokens": self.max_tokens,
        }
        if self.schema is not None:
            body["response_format"] = {"type": "json_schema", "json_schema": {"name": "answer", "schema": self.schema, "strict": True}}
        return body


def ask_all(endpoint: Endpoint, requests: Sequence[Request], cache_file: Path, progress: Progress = lambda done, total: None) -> list[Answer]:
    """The answers in the order of the requests; those in the cache are not asked again. ModelError where the endpoint cannot answer."""
    cache = Cache(cache_file)
    try:
        return asyncio.run(_ask_all(endpoint, requests, cache, progress))
    finally:
        cache.close()


async def _ask_all(endpoint: Endpoint, requests: Sequence[Request], cache: Cache, progress: Progress) -> list[Answer]:
    key = os.environ.get(endpoint.key_variable)
    if key is None and endpoint.base_url is None:
        raise ModelError(f"the environment variable {endpoint.key_variable} holds no key; set it, or give --base-url for a server that needs none")
    gate = asyncio.Semaphore(endpoint.at_once)
    done = 0

    async def one(request: Request) -> Answer:
        nonlocal done
        async with gate:
            answer = await _ask(client, endpoint, request, cache)
        done += 1
        progress(done, len(requests))
        return answer

    async with openai.AsyncOpenAI(base_url=endpoint.base_url, api_key=key or "none", max_retries=5, timeout=180) as client:
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(one(request)) for request in requests]
        except* openai.OpenAIError as errors:
            raise ModelError(_words(endpoint, errors.exceptions[0])) from None
    return [task.result() for task in tasks]


async def _ask(client: openai.AsyncOpenAI, endpoint: Endpoint, request: Request, cache: Cache) -> Answer:
    body = request.body(endpoint)
    addressed = {"base_url": endpoint.base_url, **body}
    kept = cache.get(addressed, request.sample)
    if kept is not None:
        return Answer(**{**kept, "from_cache": True})
    started = time.perf_counter()
    completion = await client.chat.completions.create(**body)
    answer = _read(completion, 1000 * (time.perf_counter() - started))
    cache.put(addressed, request.sample, asdict(answer))
    return answer


def _read(completion: Any, latency_ms: float) -> Answer:
    """The answer of a completion with its status."""
    choice = completion.choices[0] if completion.choices else None
    text = (choice.message.content or "") if choice else ""
    refused = bool(choice and (choice.message.refusal or choice.finish_reason == "content_filter"))
    truncated = bool(choice and choice.finish_reason == "length")
    status: Status = "refused" if refused else "truncated" if truncated else "answered" if text.strip() else "empty"
    usage = completion.usage
    return Answer(text, status, usage.prompt_tokens if usage else 0, usage.completion_tokens if usage else 0, round(latency_ms, 1))


def _words(endpoint: Endpoint, error: BaseException) -> str:
    """What went wrong and what to do, without anything that could hold a key."""
    where = endpoint.base_url or "the default endpoint"
    match error:
        case openai.AuthenticationError() | openai.PermissionDeniedError():
            return f"{where} refused the key in {endpoint.key_variable}"
        case openai.NotFoundError():
            return f"{where} has no model '{endpoint.model}'"
        case openai.APIConnectionError():
            return f"{where} cannot be reached; is the server running?"
        case openai.APIStatusError():
            return f"{where} answered {error.status_code} to model '{endpoint.model}', again and again"
        case _:
            return f"{where} gave no answer from model '{endpoint.model}': {type(error).__name__}"
