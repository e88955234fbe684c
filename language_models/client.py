"""Ask models at an endpoint: many requests at once, each paid for once.

A client holds the global objects of a run: one event loop, the cache, the caller with its limits, and the budget.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, TypeVar

from language_models.cache import Cache, Call, request_key
from language_models.caller import Caller
from language_models.chat import Answer, Request, Status, read_answer
from language_models.endpoint import Endpoint, Patience, Prices
from language_models.errors import ModelError, RequestFailed
from language_models.failures import SHORTER
from language_models.interface import interface_of
from language_models.limits import Allowance, Budget

__all__ = ["Answer", "Client", "Deferred", "Endpoint", "Estimate", "Mode", "Patience", "Prices", "Progress", "Request", "Status", "ask_all"]

Mode = Literal["ask", "replay"]
Progress = Callable[[int, int], None]
Item = TypeVar("Item")
Made = TypeVar("Made")
Take = Callable[[str, Request, dict[str, Any]], None]
CALL_ID = 16  # characters of a request's key that name its call
_AHEAD = 256  # at least this many items are started beyond the item that is waited for
_NOT_KEPT = {"call_id", "from_cache", "failure"}
_NONE: Any = object()


class Deferred(Exception):
    """The answer is not in the cache. The request was collected instead of sent."""


@dataclass(frozen=True)
class Estimate:
    """An estimate of calls: their number and their tokens."""

    calls: int = 0
    input_tokens: int = 0
    most_output_tokens: int = 0

    def with_call(self, input_tokens: int, most_output_tokens: int) -> "Estimate":
        """Return the estimate with one more call."""
        return Estimate(self.calls + 1, self.input_tokens + input_tokens, self.most_output_tokens + most_output_tokens)

    def times(self, number: int) -> "Estimate":
        """Return the estimate of `number` times as many calls."""
        return Estimate(number * self.calls, number * self.input_tokens, number * self.most_output_tokens)


class Client:
    """Gets answers of one model from the cache or from its endpoint. Use it as a context manager.

    The mode `ask` sends requests that are not in the cache. The mode `replay` never sends a request and needs no key; a missing
    answer is a ModelError. In both modes, `collect` and `estimate` find the requests that would be sent, and send nothing.
    """

    def __init__(self, endpoint: Endpoint, store: Path, purpose: str, *, budget: float | None = None, mode: Mode = "ask") -> None:
        if budget is not None and endpoint.prices is None:
            raise ModelError(f"a budget needs prices, but model '{endpoint.model}' has none: declare them in models.yaml")
        self.endpoint = endpoint
        self.purpose = purpose
        self.mode = mode
        self.budget = Budget(budget)
        self.failed: set[str] = set()
        self._take: Take | None = None
        self._caller = Caller(endpoint, endpoint.key() if mode == "ask" else "none", self.budget)
        self._asked: dict[str, asyncio.Future[Answer]] = {}
        self.cache = Cache(store)
        self._runner = asyncio.Runner()

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._runner.run(self._caller.close())
        self._runner.close()
        self.cache.close()

    @property
    def connection(self) -> Any:
        """Return the client of the interface's package, for requests that ask no model."""
        return self._caller.connection

    def run(self, work: Coroutine[Any, Any, Made]) -> Made:
        """Run one coroutine on the client's loop."""
        return self._runner.run(work)

    def each(self, items: Iterable[Item], work: Callable[[Item], Awaitable[Made]]) -> Iterator[Made]:
        """Yield the result of `work` for each item, in the order of the items. Many items are worked on at once.

        If a call stops the run, or the caller stops reading, the calls in flight are still waited for and kept, because they
        are paid for.
        """
        loop = self._runner.get_loop()
        begun: deque[asyncio.Task[Made]] = deque()
        ahead = max(_AHEAD, 4 * self.endpoint.at_once)
        waiting = iter(items)
        try:
            while True:
                while len(begun) < ahead and (item := next(waiting, _NONE)) is not _NONE:
                    begun.append(loop.create_task(_awaited(work(item))))
                if not begun:
                    return
                if not begun[0].done():
                    self._runner.run(_ended(begun[0]))
                yield begun.popleft().result()
        finally:
            if begun:
                self.end()
                self._runner.run(_ended(*begun))

    def end(self) -> None:
        """Start no more calls. Calls in flight continue, because they are paid for."""
        self._caller.stopped = self._caller.stopped or ModelError("the run was ended")

    def collect(self, items: Iterable[Item], work: Callable[[Item], Awaitable[object]], take: Take) -> None:
        """Run `work` over the items without sending requests. Call `take` once for each request that is not in the cache.

        `take` gets the cache key, the request, and the content that the key is made from.
        """
        taken: set[str] = set()

        def take_once(key: str, request: Request, addressed: dict[str, Any]) -> None:
            if key not in taken:
                taken.add(key)
                take(key, request, addressed)

        async def tried(item: Item) -> None:
            with contextlib.suppress(Deferred):
                await work(item)

        self._take = take_once
        try:
            for _ in self.each(items, tried):
                pass
        finally:
            self._take = None

    def estimate(self, items: Iterable[Item], work: Callable[[Item], Awaitable[object]]) -> Estimate:
        """Return an estimate of the calls that `work` would make over the items and that are not in the cache."""
        estimate = Estimate()

        def count(key: str, request: Request, addressed: dict[str, Any]) -> None:
            nonlocal estimate
            estimate = estimate.with_call(request.estimated_tokens, request.max_tokens + self.endpoint.reasoning_tokens)

        self.collect(items, work, count)
        return estimate

    async def ask(self, request: Request, allowance: Allowance | None = None) -> Answer:
        """Return the answer to a request. If the same request comes several times at once, it is sent once. A ModelError stops the run.

        With an `allowance`, raise OutOfTime if the model takes longer.
        """
        body = interface_of(self.endpoint).body(request, self.endpoint)
        addressed = {"base_url": self.endpoint.base_url, **body}
        if self.endpoint.edition is not None:
            addressed["edition"] = self.endpoint.edition  # only for the cache key; `body` is sent to the server
        key = request_key(addressed, request.sample)
        kept = self.cache.get(key)
        if kept is not None:
            return read_answer(kept, key[:CALL_ID])
        if key in self.failed:
            return Answer("", "failed", call_id=key[:CALL_ID])
        if self._take is not None:
            self._take(key, request, addressed)
            raise Deferred
        if self.mode == "replay":
            raise ModelError(f"an answer of model '{self.endpoint.model}' is not in the cache: run the same command without --replay to ask for it")
        if key in self._asked:
            return await self._asked[key]
        self._refuse_too_long(request)
        future = self._asked[key] = asyncio.get_running_loop().create_future()

        def write(answer: Answer | None, call: Call) -> Answer:
            return self.keep(key, addressed, request.sample, answer, call)

        try:
            answer = await self._caller.call(request, body, (key[:CALL_ID], self.purpose), write, allowance or Allowance(None))
            future.set_result(answer)
        except BaseException as error:
            future.set_exception(error)
            future.exception()  # marks it as seen; it is raised here too
            raise
        finally:
            del self._asked[key]
        return answer

    async def still_answers(self) -> bool:
        """Tell whether the endpoint answers its last answered request again. After a failure, this tells a bad request from a dead endpoint."""
        return await self._caller.answers_again(self.purpose, self.cache.note)

    def keep(self, key: str, addressed: dict[str, Any], sample: int, answer: Answer | None, call: Call) -> Answer:
        """Keep a call and its answer, if it has one. Return the answer with the id of the call."""
        if answer is None:
            self.cache.note(call)
            return Answer("", "failed", call_id=call.call_id)
        kept = {name: value for name, value in asdict(answer).items() if name not in _NOT_KEPT}
        self.cache.put(key, addressed, sample, kept, call)
        return replace(answer, call_id=call.call_id)

    def _refuse_too_long(self, request: Request) -> None:
        """Raise RequestFailed before money is spent on a request that cannot fit, even by a low count of its tokens."""
        context = self.endpoint.context_tokens
        if context is not None and request.fewest_tokens > context:
            raise RequestFailed(
                f"a request of about {request.estimated_tokens:,} tokens is too long for the {context:,} of model '{self.endpoint.model}': {SHORTER}",
                is_its_own=True,
                excess="request",
            )


async def _awaited(work: Awaitable[Made]) -> Made:
    return await work


async def _ended(*tasks: "asyncio.Task[Any]") -> None:
    await asyncio.wait(tasks)
    for task in tasks:
        if not task.cancelled():
            task.exception()  # marks it as seen; the first error is raised by `result()`


def ask_all(
    endpoint: Endpoint, requests: Sequence[Request], store: Path, progress: Progress = lambda done, total: None, purpose: str = ""
) -> list[Answer]:
    """Return the answers in the order of the requests. Answers in the cache are not asked again. Raise ModelError if the endpoint cannot answer."""
    answers: list[Answer] = []
    with Client(endpoint, store, purpose) as client:
        for answer in client.each(requests, client.ask):
            answers.append(answer)
            progress(len(answers), len(requests))
    return answers
