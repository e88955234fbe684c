"""A runner whose items are done in tasks of the Prefect flow run that opens it, on Prefect's task runner for the workers of a runner.

A task costs Prefect's server and its worker some tenths of a second of a processor, more than a small shard does. So a task has several items where
there are many: enough tasks remain that all workers end at about the same time. An item that takes a resource of its worker, such as a machine, takes
long: it has a task of its own.
"""

import contextlib
import multiprocessing
import os
import queue
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from functools import cache
from multiprocessing.connection import wait
from typing import Any, overload

from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.futures import PrefectFuture
from prefect.task_runners import TaskRunner

from runners.errors import WorkerLost
from runners.runner import Item, Made, Opened, RunnerChoice, open_runner
from runners.same_code import WithCode
from runners.windowed import windowed

_TASKS_EACH = 8  # for each worker, at least, where there are so many items
_NAME_LENGTH = 200  # characters of a task's name


@task(retries=2, retry_delay_seconds=5, task_run_name="{part}", cache_policy=NO_CACHE)
def apply(function: Callable[[Any], Any], part: "Part") -> list[Any]:
    """Apply the function to the items of a part of a map: to shards, or to an episode.

    Prefect keeps no result: one that it keeps would answer for an item that is done again.
    """
    _end_with_parent()
    return [function(item) for item in part.items]


@cache
def _end_with_parent() -> None:
    """Let this process end as soon as the one that started it is gone: workers would wait for the next task of a killed flow for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=lambda: os._exit(wait([parent.sentinel]) != []), daemon=True).start()


class Part:
    """The items of one task. It is no collection, since Prefect would look for its own futures in it."""

    def __init__(self, items: Sequence[Any]) -> None:
        """Take the items."""
        self.items = items

    def __str__(self) -> str:
        return ", ".join(map(str, self.items))[:_NAME_LENGTH]


class Parts(Sequence[Part]):
    """The parts of items, in their order; items that are appended later get parts of their own."""

    def __init__(self, items: Sequence[Any], size_of: Callable[[int], int]) -> None:
        """Take the items, and what tells from the number of items how many of them a part has."""
        self._items = items
        self._size_of = size_of
        self._cut = 0  # so many of the items are in parts
        self._parts: list[Part] = []

    def __len__(self) -> int:
        begun, self._cut = self._cut, len(self._items)
        size = self._size_of(self._cut - begun)
        self._parts += [Part(self._items[one : min(one + size, self._cut)]) for one in range(begun, self._cut, size)]
        return len(self._parts)

    @overload
    def __getitem__(self, number: int) -> Part: ...

    @overload
    def __getitem__(self, number: slice) -> list[Part]: ...

    def __getitem__(self, number: int | slice) -> Part | list[Part]:
        return self._parts[number]


def shared_out(items: int, workers: int) -> int:
    """Return how many items a part has: one, or so many that each worker has at least eight parts."""
    return max(1, items // (workers * _TASKS_EACH))


@contextlib.contextmanager
def in_tasks(choice: RunnerChoice) -> Iterator[Opened]:
    """Give the runner of a choice, with the map in tasks; `RunnerError` or `PluginError` if it cannot be started or reached."""
    with open_runner(choice) as opened, contextlib.closing(_Tasks(opened, tries_again=choice.resource is None)) as tasks:

        def run(function: Callable[[Item], Made], items: Sequence[Item], lost: Callable[[Item, str], Made] | None = None, /) -> Iterator[Made]:
            def all_lost(part: Part, what: str) -> list[Made]:
                assert lost is not None
                return [lost(item, what) for item in part.items]

            parts = Parts(items, lambda number: 1 if choice.resource else shared_out(number, opened.room()))
            for made in windowed(tasks, WithCode(function), parts, None if lost is None else all_lost):
                yield from made

        yield replace(opened, map=run)


class _Tasks:
    """Tasks of Prefect, as `windowed` uses them.

    `tries_again`: Prefect tries a task again after an error. An item that takes a resource has tries of its own, and a try that nobody counts would
    look like the loss of a host.
    """

    def __init__(self, opened: Opened, tries_again: bool) -> None:
        self.retries = opened.retries
        self._opened = opened
        self._apply = apply if tries_again else apply.with_options(retries=0)
        self._ended: queue.SimpleQueue[PrefectFuture[Any]] = queue.SimpleQueue()
        self._task_runner = opened.task_runner().__enter__()
        self._begun_on: dict[PrefectFuture[Any], TaskRunner[Any]] = {}

    @property
    def room(self) -> int:
        return self._opened.room()

    def begin(self, function: Callable[[Any], Any], item: Any) -> PrefectFuture[Any]:
        try:
            future = self._submitted(function, item)
        except BrokenProcessPool:  # a worker was killed, and no result has told it yet
            self._renew()
            future = self._submitted(function, item)
        self._begun_on[future] = self._task_runner
        future.add_done_callback(self._ended.put)
        return future

    def _submitted(self, function: Callable[[Any], Any], item: Any) -> PrefectFuture[Any]:
        with self._opened.taking():
            future: PrefectFuture[Any] = self._task_runner.submit(self._apply, {"function": function, "part": item})
        return future

    def _renew(self) -> None:
        """Replace Prefect's pool: it is broken as a whole, and what else was begun on it ends with the same error."""
        self.close()
        self._task_runner = self._opened.task_runner().__enter__()

    def ended(self, begun: Collection[PrefectFuture[Any]]) -> Collection[PrefectFuture[Any]]:
        def look(seconds: float | None) -> Collection[PrefectFuture[Any]]:
            with contextlib.suppress(queue.Empty):
                while (future := self._ended.get(timeout=seconds)) not in begun:  # it is of a map that ended early
                    pass
                return [future]
            return []

        return self._opened.until_ended(look)

    def result(self, handle: PrefectFuture[Any]) -> Any:
        begun_on = self._begun_on.pop(handle)
        try:
            return handle.result()
        except Exception as error:
            if isinstance(error, BrokenProcessPool) and begun_on is self._task_runner:
                self._renew()
            if self._opened.is_loss(error):
                raise WorkerLost(f"{type(error).__name__} under Prefect") from error
            if (told := self._opened.told(error)) is not error:
                raise told from error
            raise

    def close(self) -> None:
        """End the task runner."""
        self._task_runner.__exit__(None, None, None)
