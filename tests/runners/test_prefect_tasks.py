"""Protects how a map is cut into tasks of Prefect: every item once and in order, few tasks, enough of them for all workers; and what tasks take.

Tasks are begun as on a cluster, and an error of its engine is told as without Prefect.
"""

import contextlib
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from pathlib import Path
from typing import Any, Self
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prefect.cache_policies import NO_CACHE
from prefect.futures import PrefectConcurrentFuture
from prefect.task_runners import TaskRunner

from runners import on_dask, prefect_tasks, waiting
from runners.errors import RunnerError
from runners.prefect_tasks import _TASKS_EACH, Parts, in_tasks, shared_out
from runners.runner import Opened, RunnerChoice
from runners.waiting import until_ended
from tests.runners.work import Piece, made, wrong


@given(items=st.integers(0, 3000), workers=st.integers(1, 50))
def test_each_item_is_in_one_part_and_each_worker_has_parts(items: int, workers: int) -> None:
    cut = Parts(range(items), lambda number: shared_out(number, workers))
    parts = [cut[number] for number in range(len(cut))]
    assert [item for part in parts for item in part.items] == list(range(items))
    assert len(parts) >= min(items, _TASKS_EACH * workers)
    assert len(parts) <= 2 * _TASKS_EACH * workers + 1 or all(len(part.items) == 1 for part in parts)


@given(grown=st.lists(st.integers(0, 7), min_size=1, max_size=5), size=st.integers(1, 4))
def test_items_that_are_appended_get_parts_of_their_own(grown: list[int], size: int) -> None:
    items: list[int] = []
    cut = Parts(items, lambda number: size)
    before: list[list[int]] = []
    for more in grown:
        items += range(len(items), len(items) + more)
        found = [list(cut[number].items) for number in range(len(cut))]
        assert found[: len(before)] == before and [item for part in found for item in part] == items
        before = found


def test_a_part_is_told_by_its_items() -> None:
    cut = Parts(["a", "b", "c"], lambda number: 2)
    assert [str(cut[number]) for number in range(len(cut))] == ["a, b", "c"]


class Engine:
    """A runner and a task runner of Prefect without a server: a task is a call of its function in a thread, with Prefect's own future.

    `submitted` has every task, and whether it was submitted in the context `taking`.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.submitted: list[tuple[Any, bool]] = []
        self.breaks = False  # the next task finds that a worker was killed
        self.never = False  # tasks are kept, as by a cluster without workers
        self._is_taking = False
        self.opened = Opened(lambda *_: pytest.fail("no tasks"), self._task_runner, lambda: 2, lambda error: False, taking=self._taking)
        monkeypatch.setattr(prefect_tasks, "open_runner", lambda choice: contextlib.nullcontext(self.opened))

    def _task_runner(self) -> TaskRunner[Any]:
        return self  # type: ignore[return-value]  # as much of one as is used

    def __enter__(self) -> Self:
        self._threads = ThreadPoolExecutor(1)
        return self

    def __exit__(self, *_: object) -> None:
        self._threads.shutdown()

    @contextlib.contextmanager
    def _taking(self) -> Iterator[None]:
        self._is_taking = True
        yield
        self._is_taking = False

    def submit(self, task: Any, parameters: dict[str, Any]) -> PrefectConcurrentFuture[Any]:
        if self.breaks:
            self.breaks = False
            raise BrokenProcessPool("a worker was killed")
        self.submitted.append((task, self._is_taking))
        future: Future[Any] = Future() if self.never else self._threads.submit(task.fn, **parameters)
        return PrefectConcurrentFuture(uuid4(), future)


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Engine:
    return Engine(monkeypatch)


def squares(choice: RunnerChoice, folder: Path, function: Callable[[Piece], int] = made) -> list[int]:
    with in_tasks(choice) as opened:
        return sorted(opened.map(function, [Piece(number, folder) for number in range(5)]))


@pytest.mark.parametrize(("resource", "retries"), [("machine", 0), (None, 2)])
def test_a_task_takes_the_resource_and_is_tried_again_by_one_only(resource: str | None, retries: int, engine: Engine, tmp_path: Path) -> None:
    """An episode has tries of its own. Those of Prefect were counted as lost hosts; and what Prefect kept would answer for the second try."""
    assert squares(RunnerChoice(resource=resource), tmp_path) == [0, 1, 4, 9, 16]
    assert len(engine.submitted) == 5
    for task, is_taking in engine.submitted:
        assert is_taking and task.retries == retries and task.cache_policy == NO_CACHE


def test_a_pool_that_is_found_broken_when_a_task_begins_is_replaced(engine: Engine, tmp_path: Path) -> None:
    """A worker may be killed between two results: no result has told it yet."""
    engine.breaks = True
    assert squares(RunnerChoice(), tmp_path) == [0, 1, 4, 9, 16] and len(engine.submitted) == 5


def test_a_map_that_ended_early_leaves_nothing_to_the_next(engine: Engine, tmp_path: Path) -> None:
    with in_tasks(RunnerChoice()) as opened:
        with pytest.raises(LookupError, match="no piece"):
            list(opened.map(wrong, [Piece(number, tmp_path) for number in range(5)]))
        assert sorted(opened.map(made, [Piece(number, tmp_path) for number in range(5)])) == [0, 1, 4, 9, 16]


def test_tasks_of_a_cluster_that_lost_all_workers_wait_for_a_while_only(engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Prefect waits for ever for what an engine keeps."""
    monkeypatch.setattr(waiting, "LOOKED_AGAIN", 0.01)
    monkeypatch.setattr(waiting, "BACK_WITHIN", 0.05)
    engine.never = True
    engine.opened = replace(engine.opened, until_ended=lambda look: until_ended(look, lambda: 0, "Dask", "machine"))
    with pytest.raises(RunnerError, match="^all workers of Dask that have the resource 'machine' are gone: start some"):
        squares(RunnerChoice(resource="machine"), tmp_path)


def test_an_error_of_the_engine_is_told_as_without_prefect(engine: Engine, tmp_path: Path) -> None:
    def given_up(piece: Piece) -> int:
        raise CancelledError

    engine.opened = replace(engine.opened, told=on_dask.told)
    with pytest.raises(RunnerError, match="the scheduler of Dask is gone: start it again"):
        squares(RunnerChoice(), tmp_path, given_up)
    with pytest.raises(LookupError, match="no piece"):
        squares(RunnerChoice(), tmp_path, wrong)


@pytest.mark.whole
@pytest.mark.parametrize("runner", ["dask", "ray"])
def test_an_item_that_takes_a_resource_is_a_task_of_its_own_and_done_again_when_its_worker_is_killed(
    runner: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PREFECT_SERVER_ANALYTICS_ENABLED", "false")
    from prefect import flow, get_client
    from prefect.testing.utilities import prefect_test_harness

    @flow
    def mapped() -> list[int]:
        pieces = [Piece(number, tmp_path, deadly=number == 5) for number in range(40)]
        with in_tasks(RunnerChoice(runner, workers=1, resource="machine")) as opened:
            return sorted(opened.map(made, pieces))

    with prefect_test_harness(server_startup_timeout=240):
        assert mapped() == [number**2 for number in range(40)]
        with get_client(sync_client=True) as client:
            names = [run.name for run in client.read_task_runs(limit=100)]
    assert sorted(names) == sorted(f"piece {number}" for number in range(40))
