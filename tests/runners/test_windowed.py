"""Protects the loop of all runners: it begins no more than there is room for, holds few results, and does again what was lost, so many times."""

from collections.abc import Callable, Collection, Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runners.errors import RunnerError, WorkerLost
from runners.windowed import windowed


class Simulated:
    """Workers that lose the items in `losses` so often, and note the most that was begun and not taken."""

    def __init__(self, room: int, retries: int, losses: dict[int, int]) -> None:
        self.room, self.retries, self._losses = room, retries, dict(losses)
        self._items: dict[int, tuple[Callable[[Any], Any], int]] = {}
        self.begun = 0

    def begin(self, function: Callable[[Any], Any], item: Any) -> int:
        self.begun += 1
        self._items[self.begun] = (function, item)
        assert len(self._items) <= self.room
        return self.begun

    def ended(self, begun: Collection[int]) -> Collection[int]:
        assert set(begun) == set(self._items)
        return [max(begun)]

    def result(self, handle: int) -> Any:
        function, item = self._items.pop(handle)
        self._losses[item] = self._losses.get(item, 0) - 1
        if self._losses[item] >= 0:
            raise WorkerLost("it was killed")
        return function(item)


@given(items=st.integers(0, 30), room=st.integers(1, 5), losses=st.dictionaries(st.integers(0, 29), st.integers(0, 3)))
def test_all_results_come_once_whatever_is_lost(items: int, room: int, losses: dict[int, int]) -> None:
    workers = Simulated(room, retries=3, losses=losses)
    assert sorted(windowed(workers, lambda item: item * 2, range(items))) == [item * 2 for item in range(items)]
    assert workers.begun == items + sum(times for item, times in losses.items() if item < items)


def test_an_item_is_given_up_after_its_retries_and_named() -> None:
    with pytest.raises(RunnerError, match=r"^2: every worker that began it was lost \(it was killed\)"):
        list(windowed(Simulated(2, retries=1, losses={2: 2}), lambda item: item, range(5)))


def test_an_item_that_is_given_up_has_the_result_that_its_caller_makes_and_the_others_go_on() -> None:
    workers = Simulated(2, retries=1, losses={2: 2, 4: 1})
    results: Iterable[object] = windowed(workers, lambda item: item, range(5), lambda item, what: (item, what))
    assert sorted(map(str, results)) == sorted(map(str, [0, 1, (2, "every worker that began it was lost (it was killed)"), 3, 4]))


def test_items_that_are_appended_while_results_are_taken_wait_for_no_other() -> None:
    items, found = [0, 1], []
    for result in windowed(Simulated(2, retries=0, losses={}), lambda item: item, items):  # it ends the item that was begun last
        found.append(result)
        items += [2] if result == 1 else []
    assert found == [1, 2, 0]


@given(items=st.integers(1, 20), room=st.integers(1, 5), again=st.lists(st.integers(0, 19)))
def test_every_item_that_is_appended_is_done(items: int, room: int, again: list[int]) -> None:
    listed, found, more = list(range(items)), [], list(again)
    for result in windowed(Simulated(room, retries=0, losses={}), lambda item: item, listed):
        found.append(result)
        listed += [more.pop()] if more else []
    assert sorted(found) == sorted(listed) and len(listed) == items + len(again) - len(more)
    assert not more


def test_nothing_is_begun_far_ahead_of_who_takes_the_results() -> None:
    workers = Simulated(3, retries=0, losses={})
    results: Iterable[int] = windowed(workers, lambda item: item, range(1000))
    for taken, _ in zip(range(1, 11), results, strict=False):
        assert workers.begun <= taken + 3
