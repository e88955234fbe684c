"""Protects waiting for a cluster: workers that come back are waited for, and when none comes, the command ends and says so."""

from collections.abc import Iterator
from itertools import chain, repeat
from types import SimpleNamespace

import pytest

from runners import waiting
from runners.errors import RunnerError
from runners.waiting import until_ended


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that goes on by 25 s with each look at it."""
    seconds = iter(range(25, 10**6, 25))
    monkeypatch.setattr(waiting, "time", SimpleNamespace(monotonic=lambda: next(seconds)))


def test_what_has_ended_is_given_whether_there_are_workers_or_not() -> None:
    looks: Iterator[list[str]] = iter([[], ["an item"]])
    assert until_ended(lambda seconds: next(looks), lambda: 0, "Dask", None) == ["an item"]


def test_workers_that_come_back_are_waited_for() -> None:
    looks: Iterator[list[str]] = chain(repeat([], 20), [["an item"]])
    workers = iter([0, 1] * 10)
    assert until_ended(lambda seconds: next(looks), lambda: next(workers), "Dask", None) == ["an item"]


@pytest.mark.parametrize(("resource", "said"), [(None, "^all workers of Ray are gone: start"), ("machine", "that have the resource 'machine' are")])
def test_no_worker_for_long_is_an_error(resource: str | None, said: str) -> None:
    workers = chain([1, 1, 0, 0], repeat(0, 10))
    with pytest.raises(RunnerError, match=said):
        until_ended(lambda seconds: [], lambda: next(workers), "Ray", resource)
