"""Answering workers that ask a model: one client serves all of them; its own thread makes, uses and closes it.

A failure of one question is the model's own failure and ends the episode. A failure of the endpoint ends the run.
"""

import asyncio
import contextlib
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path

from eval_flows.episodes.agents.question import Question, Told
from eval_flows.episodes.runs.workers import Reply, Respond
from language_models.chat import Answer
from language_models.check import check_endpoint
from language_models.client import Client
from language_models.endpoint import Endpoint
from language_models.errors import ModelError, OutOfTime, RequestFailed
from language_models.limits import Allowance

_CLOSING_SECONDS = 10.0  # answers in flight may still come in when the run ends: they are paid for, and kept
_FAILED = Answer("", "failed")


@contextlib.contextmanager
def answering(endpoint: Endpoint | None, store: Path, run_id: str, budget: float | None) -> Iterator[Respond | None]:
    """Yield the function that answers the workers of a run, after checking the endpoint: ModelError if it is not there, or lacks the model."""
    if endpoint is None:
        yield None
        return
    there = Future[tuple[Client, asyncio.AbstractEventLoop, asyncio.Event]]()

    async def live(client: Client) -> None:
        end = asyncio.Event()
        there.set_result((client, asyncio.get_running_loop(), end))
        await end.wait()
        client.end()
        in_flight = asyncio.all_tasks() - {task for task in [asyncio.current_task()] if task}
        if in_flight:
            await asyncio.wait(in_flight, timeout=_CLOSING_SECONDS)

    def serve() -> None:
        try:
            with Client(endpoint, store, run_id, budget=budget) as client:
                check_endpoint(client)
                client.run(live(client))
        except Exception as error:
            if there.done():
                raise
            there.set_exception(error)

    thread = threading.Thread(target=serve, name="model", daemon=True)
    thread.start()
    client, loop, end = there.result()

    def answer(question: Question, reply: Reply) -> None:
        asked = asyncio.run_coroutine_threadsafe(told(client, question), loop)

        def pass_on(done: Future[Told]) -> None:
            if not done.cancelled():
                reply(done.exception() or done.result())

        asked.add_done_callback(pass_on)

    try:
        yield answer
    finally:
        loop.call_soon_threadsafe(end.set)
        thread.join(2 * _CLOSING_SECONDS)


async def told(client: Client, question: Question) -> Told:
    """Answer a question. ModelError ends the run: the budget is reached, or the endpoint would answer no other question either."""
    allowance = Allowance(question.seconds)
    try:
        answer = await client.ask(question.request, allowance)
    except OutOfTime as error:
        return Told(_FAILED, allowance.used, "out of time", str(error))
    except RequestFailed as error:
        if error.is_its_own or client.cache.has_answered(client.purpose):
            return Told(_FAILED, allowance.used, "model failed", str(error), error.excess)
        raise
    if answer.status != "failed":
        return Told(answer, answer.latency_ms / 1000 if answer.from_cache else allowance.used)
    failure = answer.failure
    if failure is not None and failure.is_of_endpoint and not await client.still_answers():
        raise ModelError(failure.words)
    if failure is None:
        return Told(answer, allowance.used, "model failed", "the call failed")
    return Told(answer, allowance.used, "model failed", failure.words, failure.excess)
