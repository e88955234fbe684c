"""Limits of a run: calls at once (adapted to the server), calls per minute, and money."""

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator

from language_models.errors import BudgetReached, OutOfTime

_START = 4
_SHORT, _LONG = 0.2, 0.01  # weights of the newest latency in the two moving averages
_SLOWER = 2.0  # the server is slowing down if the short average is this many times the long average


class Concurrency:
    """The number of calls that may be in flight. It grows while the server keeps up, and shrinks when the server is overloaded or slows down.

    Additive increase, multiplicative decrease, as in TCP: the number starts low and grows by one a call until the first sign of
    overload, then by one a round. It shrinks at most once a round, because one burst of refusals is one sign. It never exceeds `cap`.
    """

    def __init__(self, cap: int) -> None:
        self.cap = cap
        self.allowed = float(min(_START, cap))
        self._in_flight = 0
        self._since_decrease = 0
        self._starting = True
        self._short = self._long = 0.0
        self._waiting: deque[asyncio.Future[None]] = deque()

    @contextlib.asynccontextmanager
    async def turn(self, again: bool = False) -> AsyncIterator[None]:
        """Wait for a place in flight, and hold it for one call. A call that is tried again comes before calls that wait for their first turn."""
        while self._in_flight >= int(self.allowed):
            free = asyncio.get_running_loop().create_future()
            self._waiting.appendleft(free) if again else self._waiting.append(free)
            await free
            again = True  # it has waited: if another call took the place, it waits at the front
        self._in_flight += 1
        try:
            yield
        finally:
            self._in_flight -= 1
            for _ in range(int(self.allowed) - self._in_flight):
                if self._waiting and not (free := self._waiting.popleft()).done():
                    free.set_result(None)

    def succeeded(self, seconds: float) -> None:
        """Note that a call was answered after so many seconds."""
        self._since_decrease += 1
        self._short = self._short + _SHORT * (seconds - self._short) if self._short else seconds
        self._long = self._long + _LONG * (seconds - self._long) if self._long else seconds
        if self._short > _SLOWER * self._long:
            self._decrease(0.9)
        else:
            self.allowed = min(self.cap, self.allowed + (1.0 if self._starting else 1.0 / self.allowed))

    def overloaded(self) -> None:
        """Note that a call was refused for overload, or timed out."""
        self._since_decrease += 1
        self._decrease(0.5)

    def _decrease(self, factor: float) -> None:
        if self._starting or self._since_decrease >= self.allowed:
            self.allowed = max(1.0, self.allowed * factor)
            self._since_decrease = 0
            self._starting = False


class Pace:
    """Spaces calls evenly, so that no minute has more calls than allowed. A pause that the server asks for delays all calls."""

    def __init__(self, per_minute: int | None) -> None:
        self._seconds_each = 60 / per_minute if per_minute else 0.0
        self._free_at = 0.0

    async def wait(self, amount: float = 1) -> None:
        """Wait for the turn of a call that uses `amount` of the limit."""
        now = asyncio.get_running_loop().time()
        start = max(self._free_at, now)
        self._free_at = start + amount * self._seconds_each
        if start > now:
            await asyncio.sleep(start - now)

    def correct(self, estimated: float, used: float) -> None:
        """Correct an estimate that was too high or too low."""
        self._free_at += (used - estimated) * self._seconds_each

    def pause(self, seconds: float) -> None:
        """Start no call for so many seconds."""
        self._free_at = max(self._free_at, asyncio.get_running_loop().time() + seconds)


class Allowance:
    """The seconds that a model may take, over all attempts and the pauses between them. Waiting for a turn does not count."""

    def __init__(self, seconds: float | None) -> None:
        self.used = 0.0
        self._seconds = seconds

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Count the time of a block that waits for the model. When the seconds are over, cancel the block and raise OutOfTime."""
        clock = asyncio.get_running_loop().time
        begun, limit = clock(), asyncio.timeout(None if self._seconds is None else max(0.0, self._seconds - self.used))
        try:
            async with limit:
                yield
        except TimeoutError:
            if limit.expired():
                raise OutOfTime(f"the model took more than its {self._seconds:.0f} s") from None
            raise
        finally:
            self.used += clock() - begun


class Budget:
    """The dollars that all calls may cost together. A call starts only if its highest possible cost is left."""

    def __init__(self, dollars: float | None) -> None:
        self.dollars = dollars
        self.spent = 0.0
        self._reserved = 0.0
        self._in_flight = 0
        self._settled = asyncio.Event()

    async def reserve(self, most: float) -> None:
        """Reserve the highest cost of a call. Wait until calls in flight leave enough, and raise BudgetReached if they cannot."""
        while self.dollars is not None and self.spent + self._reserved + most > self.dollars:
            if self._in_flight == 0:
                raise BudgetReached(f"the budget of ${self.dollars:g} is reached: ${self.spent:.4f} spent, and the next call may cost ${most:.4f}")
            self._settled.clear()
            await self._settled.wait()
        self._reserved += most
        self._in_flight += 1

    def settle(self, most: float, cost: float) -> None:
        """Replace the reserved dollars by the real cost of the call."""
        self._reserved -= most
        self._in_flight -= 1
        self.spent += cost
        self._settled.set()
