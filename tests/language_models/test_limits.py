"""Protects the limits: never above the cap, down under overload and up again, calls spaced as stated, and money never overspent."""

import asyncio
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from language_models.errors import BudgetReached, OutOfTime
from language_models.limits import Allowance, Budget, Concurrency, Pace

EVENTS = st.lists(st.one_of(st.floats(0.001, 10), st.none()), max_size=300)


@given(st.integers(1, 64), EVENTS)
def test_concurrency_stays_between_one_and_its_cap(cap: int, events: list[float | None]) -> None:
    limit = Concurrency(cap)
    for seconds in events:
        limit.overloaded() if seconds is None else limit.succeeded(seconds)
        assert 1 <= limit.allowed <= cap


def test_concurrency_grows_to_its_cap_while_the_server_keeps_pace() -> None:
    limit = Concurrency(64)
    for _ in range(100):
        limit.succeeded(0.1)
    assert limit.allowed == 64


def test_one_burst_of_refusals_is_one_sign() -> None:
    limit = Concurrency(64)
    for _ in range(100):
        limit.succeeded(0.1)
    for _ in range(20):
        limit.overloaded()
    assert limit.allowed == 32
    for _ in range(5000):
        limit.succeeded(0.1)
    assert limit.allowed == 64


def test_a_server_that_slows_down_gets_fewer_calls() -> None:
    limit = Concurrency(64)
    for _ in range(200):
        limit.succeeded(0.1)
    for _ in range(60):
        limit.succeeded(1.0)
    assert limit.allowed < 64


def test_no_more_are_in_flight_than_allowed() -> None:
    async def run() -> int:
        limit, random, most, now = Concurrency(7), Random(1), 0, 0

        async def one() -> None:
            nonlocal most, now
            async with limit.turn():
                now += 1
                most = max(most, now)
                assert now <= int(max(limit.allowed, 7))
                await asyncio.sleep(random.random() / 1000)
                now -= 1
            limit.succeeded(0.001)

        await asyncio.gather(*(one() for _ in range(300)))
        return most

    assert asyncio.run(run()) == 7


def test_a_call_that_is_tried_again_comes_first() -> None:
    async def run() -> list[str]:
        limit, order = Concurrency(1), []

        async def one(name: str, again: bool) -> None:
            async with limit.turn(again):
                order.append(name)
                await asyncio.sleep(0)

        await asyncio.gather(one("first", False), one("second", False), one("third", False), one("again", True))
        return order

    assert asyncio.run(run()) == ["first", "again", "second", "third"]


class Clock:
    """A loop's time that passes only by sleeping."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        monkeypatch.setattr("language_models.limits.asyncio.get_running_loop", lambda: self)
        monkeypatch.setattr("language_models.limits.asyncio.sleep", self.sleep)

    def time(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


def test_calls_are_spaced_over_the_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    starts: list[float] = []

    async def run() -> None:
        pace = Pace(120)
        for amount in (1, 1, 4, 1):
            await pace.wait(amount)
            starts.append(clock.now)
        pace.correct(4, 2)
        pace.pause(10)
        await pace.wait()
        starts.append(clock.now)

    coroutine = run()
    with pytest.raises(StopIteration):
        coroutine.send(None)
    assert starts == [0, 0.5, 1.0, 3.0, 13.0]


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=40), st.floats(0, 5))
def test_money_is_never_overspent(calls: list[tuple[float, float]], dollars: float) -> None:
    async def run() -> float:
        budget = Budget(dollars)
        for most, share in calls:
            try:
                await budget.reserve(most)
            except BudgetReached:
                return budget.spent
            budget.settle(most, most * share)
        return budget.spent

    assert asyncio.run(run()) <= dollars + 1e-9


def test_a_call_waits_for_what_others_may_leave() -> None:
    async def run() -> list[str]:
        budget, order = Budget(10), []
        await budget.reserve(9)

        async def second() -> None:
            await budget.reserve(5)
            order.append("second")

        task = asyncio.create_task(second())
        await asyncio.sleep(0)
        order.append("settled")
        budget.settle(9, 1)
        await task
        return order

    assert asyncio.run(run()) == ["settled", "second"]


def test_an_allowance_counts_what_runs_and_nothing_between_and_ends_what_takes_too_long() -> None:
    allowance, ended = Allowance(0.2), []

    async def work() -> None:
        async with allowance.running():
            await asyncio.sleep(0.05)
        used = allowance.used
        await asyncio.sleep(0.3)  # a wait for a turn
        assert allowance.used == used < 0.2
        async with allowance.running():
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                ended.append("given up")
                raise

    with pytest.raises(OutOfTime, match="the model took more than its 0 s"):
        asyncio.run(work())
    assert ended == ["given up"] and allowance.used >= 0.2


def test_another_time_out_inside_is_not_taken_for_the_allowance() -> None:
    async def work() -> None:
        async with Allowance(60).running():
            raise TimeoutError("of something else")

    with pytest.raises(TimeoutError, match="of something else"):
        asyncio.run(work())
