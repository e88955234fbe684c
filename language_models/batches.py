"""Answers from OpenAI's batch endpoint: half the price, within a day. Batches are stored, so that the next run fetches those of a killed run."""

import asyncio
import io
import json
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import openai

from language_models.cache import Batch
from language_models.caller import ledger_line, now
from language_models.chat import Request, read_json
from language_models.client import CALL_ID, Client, Item, Progress
from language_models.errors import ModelError
from language_models.failures import classify
from language_models.interface import interface_of

_MOST_REQUESTS = 10_000  # in one batch; the endpoint accepts 50,000, and 200 MB
_ROUNDS = 4  # a request can depend on the answer to another request
_LONGEST_POLL = 60.0  # seconds
_OVER = {"completed", "failed", "expired", "cancelled"}
_Asked = tuple[str, dict[str, Any], int]  # cache key, the request that the key is made from, and the number of the sample


def answer_by_batch(client: Client, items: Sequence[Item], work: Callable[[Item], Awaitable[object]], progress: Progress, poll: float = 5.0) -> None:
    """Put the answers to all requests of `work` over the items into the cache. The caller runs `work` over the items afterwards.

    Requests without an answer are put into the client's `failed`, so that they fail in that run. `poll` is the pause in seconds
    between the first two looks at a batch. It doubles up to a minute.
    """
    if not interface_of(client.endpoint).HAS_BATCHES:
        raise ModelError(f"the interface '{client.endpoint.interface}' of model '{client.endpoint.model}' has no batches here: leave out --batch")
    try:
        client.run(_fetch_all(client, progress, poll))
        for _ in range(_ROUNDS):
            for block in _blocks(items):
                client.run(_hand_in(client, _asked_by(client, block, work)))
            if not client.cache.batches():
                return
            client.run(_fetch_all(client, progress, poll))
    except openai.OpenAIError as error:
        raise ModelError(f"the batch endpoint failed: {classify(error, client.endpoint).words}") from None


def _blocks(items: Sequence[Item]) -> Iterator[Sequence[Item]]:
    for first in range(0, len(items), _MOST_REQUESTS):
        yield items[first : first + _MOST_REQUESTS]


def _asked_by(client: Client, items: Sequence[Item], work: Callable[[Item], Awaitable[object]]) -> list[_Asked]:
    """Return the requests of the items that are not in the cache."""
    asked: list[_Asked] = []

    def take(key: str, request: Request, addressed: dict[str, Any]) -> None:
        asked.append((key, addressed, request.sample))

    client.collect(items, work, take)
    return asked


async def _hand_in(client: Client, asked: Sequence[_Asked]) -> None:
    """Hand in the requests that no batch holds yet. The file is stored before the batch is made, so that a kill in between makes no second batch."""
    known = {key for batch in client.cache.batches() for key, _, _ in batch.requests}
    requests = [one for one in asked if one[0] not in known]
    if not requests:
        return
    lines = (json.dumps({"custom_id": key, "method": "POST", "url": _url(client), "body": _body(sent)}) for key, sent, _ in requests)
    file = await client.connection.files.create(file=("requests.jsonl", io.BytesIO("\n".join(lines).encode())), purpose="batch")
    batch = Batch(file.id, None, requests)
    client.cache.put_batch(batch)
    await _made(client, batch)


async def _made(client: Client, batch: Batch) -> Batch:
    """Return the batch with its id at the endpoint. It is made now if the endpoint has no batch of its file."""
    if batch.batch_id is not None:
        return batch
    async for there in client.connection.batches.list(limit=100):
        if there.input_file_id == batch.input_file:
            break
    else:
        there = await client.connection.batches.create(completion_window="24h", endpoint=_url(client), input_file_id=batch.input_file)
    made = replace(batch, batch_id=there.id)
    client.cache.put_batch(made)
    return made


def _url(client: Client) -> str:
    return f"/v1{interface_of(client.endpoint).PATH}"


def _body(addressed: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in addressed.items() if name not in {"base_url", "edition"}}


async def _fetch_all(client: Client, progress: Progress, poll: float) -> None:
    """Wait for all batches that were handed in, and keep their answers."""
    batches = [await _made(client, batch) for batch in client.cache.batches()]
    total = sum(len(batch.requests) for batch in batches)
    done = 0
    for batch in batches:
        pause = poll
        while (state := await client.connection.batches.retrieve(str(batch.batch_id))).status not in _OVER:
            progress(done + (state.request_counts.completed if state.request_counts else 0), total)
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_POLL)
        await _keep(client, batch, state)
        done += len(batch.requests)
        progress(done, total)


async def _keep(client: Client, batch: Batch, state: Any) -> None:
    """Keep the answers of a batch that is over. Its other requests count as failed in this run."""
    if state.status == "failed":
        reasons = "; ".join(error.message or "" for error in (state.errors.data or [])) if state.errors else "no reason given"
        client.cache.end_batch(batch)
        raise ModelError(f"the endpoint refused the batch {batch.batch_id}: {reasons[:200]}")
    asked = {request[0]: request for request in batch.requests}
    if state.output_file_id:
        content = await client.connection.files.content(state.output_file_id)
        for line in content.text.splitlines():
            _keep_line(client, asked, read_json(line))
    client.failed.update(asked)
    client.cache.end_batch(batch)


def _keep_line(client: Client, asked: dict[str, _Asked], line: dict[str, Any]) -> None:
    """Keep the answer of one line, and remove its request from `asked`."""
    response = line.get("response") or {}
    key = str(line.get("custom_id"))
    if response.get("status_code") != 200 or key not in asked:
        return
    try:
        answer = interface_of(client.endpoint).read(response["body"], 0.0, client.endpoint)
    except (ValueError, KeyError):
        return
    cheaper = replace(answer, cost_usd=answer.cost_usd * (client.endpoint.prices.batch_share if client.endpoint.prices else 1.0))
    call = ledger_line(client.endpoint, (key[:CALL_ID], client.purpose, 1), now(), cheaper)
    client.keep(*asked.pop(key), cheaper, call)
