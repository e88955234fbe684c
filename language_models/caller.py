"""Call an endpoint by its interface, within its limits and the budget. Try again if that can help, and put every call into the ledger."""

import asyncio
import random
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import httpx2

from language_models.cache import Call
from language_models.chat import Answer, Request, read_json
from language_models.endpoint import Endpoint
from language_models.errors import Failure, ModelError, OutOfTime, RequestFailed
from language_models.failures import classify
from language_models.interface import interface_of
from language_models.limits import Allowance, Budget, Concurrency, Pace

Write = Callable[[Answer | None, Call], Answer]


class Caller:
    """Makes calls to one endpoint. The first failure that concerns all calls is put into `stopped` and stops all of them."""

    def __init__(self, endpoint: Endpoint, key: str, budget: Budget) -> None:
        self.endpoint = endpoint
        self.budget = budget
        self.stopped: ModelError | None = None
        self._key = key
        self._concurrency = Concurrency(endpoint.at_once)
        self._requests, self._tokens = Pace(endpoint.requests_per_minute), Pace(endpoint.tokens_per_minute)
        self._successes = 0
        self._answered_last: tuple[Request, dict[str, Any], str] | None = None
        self._connection: Any = None
        self._interface = interface_of(endpoint)

    @property
    def connection(self) -> Any:
        """Return the client of the interface's package. It does not retry: this class decides that, because it knows the limits."""
        if self._connection is None:
            self._connection = self._interface.connect(self.endpoint, self._key)
        return self._connection

    async def close(self) -> None:
        """Close the connections."""
        if self._connection is not None:
            await self._connection.close()

    async def call(self, request: Request, body: dict[str, Any], named: tuple[str, str], write: Write, allowance: Allowance) -> Answer:
        """Return the answer, or an answer with the status `failed`. `write` keeps the answer and the line of the ledger.

        `named` holds the id of the call and its purpose. A ModelError stops the run. RequestFailed is raised if no call has succeeded
        yet and the request itself can be the cause.
        """
        successes = self._successes
        failure: Failure | None = None
        for attempt in range(1, self.endpoint.patience.attempts + 1):
            async with self._concurrency.turn(again=attempt > 1):
                if self.stopped is not None:
                    raise self.stopped
                outcome = await self._try(request, body, (*named, attempt), write, allowance)
            if isinstance(outcome, Answer):
                return outcome
            failure = outcome
            if failure.kind != "again":
                break
            if attempt < self.endpoint.patience.attempts:
                async with allowance.running():
                    await asyncio.sleep(self._pause(attempt, failure))
        assert failure is not None
        alone = self._successes == successes if failure.unreachable else self._successes == 0
        if alone and not failure.is_of_endpoint:
            raise RequestFailed(failure.words, is_its_own=failure.excess is not None or failure.timed_out, excess=failure.excess)
        if failure.kind == "stop" or alone:
            self.stopped = self.stopped or ModelError(failure.words)
            raise self.stopped
        return Answer("", "failed", call_id=named[0], failure=failure)

    async def answers_again(self, purpose: str, note: Callable[[Call], None]) -> bool:
        """Send the last answered request once more, and tell whether it is answered again. Return False if no request was answered yet."""
        if self._answered_last is None:
            return False
        request, body, call_id = self._answered_last

        def write(answer: Answer | None, call: Call) -> Answer:
            note(call)
            return answer or Answer("", "failed", call_id=call_id)

        async with self._concurrency.turn():
            return isinstance(await self._try(request, body, (call_id, purpose, 1), write, Allowance(None)), Answer)

    async def _try(self, request: Request, body: dict[str, Any], named: tuple[str, str, int], write: Write, allowance: Allowance) -> Answer | Failure:
        """Make one attempt."""
        await self._requests.wait()
        await self._tokens.wait(request.estimated_tokens)
        written = tokens = request.estimated_tokens  # the highest price: all input is new, and put into the server's cache
        most = self.endpoint.cost(tokens, 0, request.max_tokens + self.endpoint.reasoning_tokens, written)
        try:
            await self.budget.reserve(most)
        except ModelError as error:
            self.stopped = self.stopped or error
            raise
        cost, started_at, started = 0.0, now(), time.perf_counter()
        try:
            async with allowance.running():
                content = await self._posted(body)
            answer = self._interface.read(read_json(content), 1000 * (time.perf_counter() - started), self.endpoint)
            cost = answer.cost_usd
        except (self._interface.PACKAGE.APIError, OSError, ValueError, OutOfTime) as error:
            write(None, ledger_line(self.endpoint, named, started_at, Answer("", "failed", latency_ms=1000 * (time.perf_counter() - started))))
            if isinstance(error, OutOfTime):
                raise
            failure = classify(error, self.endpoint)
            self._learn(failure)
            return failure
        finally:
            self.budget.settle(most, cost)
        self._concurrency.succeeded(answer.latency_ms / 1000)
        self._tokens.correct(request.estimated_tokens, answer.input_tokens + answer.output_tokens)
        self._successes += 1
        self._answered_last = request, body, named[0]
        return write(answer, ledger_line(self.endpoint, named, started_at, answer))

    def _learn(self, failure: Failure) -> None:
        if failure.overloaded:
            self._concurrency.overloaded()
        if failure.retry_after:
            self._requests.pause(min(failure.retry_after, self.endpoint.patience.longest_pause))

    def _pause(self, attempt: int, failure: Failure) -> float:
        """Return the seconds before the next attempt. They double, with jitter, so that calls that failed together do not return together."""
        patience = self.endpoint.patience
        pause = min(patience.first_pause * 2.0 ** (attempt - 1), patience.longest_pause) * random.uniform(0.5, 1.0)
        return max(pause, min(failure.retry_after or 0.0, patience.longest_pause))

    async def _posted(self, body: dict[str, Any]) -> bytes:
        """Return the raw body of the server's answer. The general `post` sends our body as it is. `create` would walk through the body again
        and build models of the answer, which takes a third of the time of a call.
        """
        response: httpx2.Response = await self.connection.post(self._interface.PATH, cast_to=httpx2.Response, body=body)
        return response.content


def now() -> str:
    """Return the current time as the ledger writes it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def ledger_line(endpoint: Endpoint, named: tuple[str, str, int], started_at: str, answer: Answer) -> Call:
    """Return the line of a call in the ledger. `named` holds its id, its purpose and the number of the attempt."""
    call_id, purpose, attempt = named
    return Call(
        call_id=call_id,
        purpose=purpose,
        model=endpoint.model,
        endpoint=endpoint.where,
        started_at=started_at,
        status=answer.status,
        attempt=attempt,
        input_tokens=answer.input_tokens,
        cached_tokens=answer.cached_tokens,
        output_tokens=answer.output_tokens,
        cost_usd=answer.cost_usd,
        latency_ms=round(answer.latency_ms, 1),
    )
