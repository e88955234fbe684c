"""The runner `processes`: workers on this host, each a pool of one process, so that a worker that is killed takes only its own item along."""

import contextlib
import multiprocessing
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import forkserver
from typing import TYPE_CHECKING, Any

from runners.errors import RunnerError, WorkerLost
from runners.runner import RETRIES, Item, Made, Map, Opened, RunnerChoice
from runners.windowed import windowed

if TYPE_CHECKING:
    from prefect.task_runners import TaskRunner


@contextlib.contextmanager
def processes(choice: RunnerChoice) -> Iterator[Opened]:
    """Give processes of this host."""
    if choice.address:
        raise RunnerError(
            f"the runner '{choice.name}' has no address: its workers are processes of this host. Leave the address out, or choose dask or ray"
        )

    def task_runner() -> "TaskRunner[Any]":
        from prefect.task_runners import ProcessPoolTaskRunner

        return ProcessPoolTaskRunner(max_workers=size)

    size = choice.workers or processors()
    yield Opened(process_pool_map(size, choice.preload), task_runner, lambda: size, _is_loss, retries=RETRIES)


def _is_loss(error: BaseException) -> bool:
    return isinstance(error, BrokenProcessPool)


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0))


def process_pool_map(workers: int | None = None, preload: Sequence[str] = ()) -> Map:
    """Return a map over a pool of processes (default: one for each processor); one worker, or a single item, needs no pool.

    The modules of `preload` begin to be imported now, once for all workers, while the caller does other work.
    """
    size = workers or processors()
    if preload and size > 1:
        forkserver.set_forkserver_preload(list(preload))
        forkserver.ensure_running()

    def run(function: Callable[[Item], Made], items: Sequence[Item], lost: Callable[[Item, str], Made] | None = None, /) -> Iterator[Made]:
        if size == 1 or len(items) < 2:
            yield from map(function, items)
            return
        with contextlib.closing(_Processes(min(size, len(items)))) as pool:
            yield from windowed(pool, function, items, lost)

    return run


class _Processes:
    """So many workers, each with one item at a time."""

    retries = RETRIES

    def __init__(self, size: int) -> None:
        self.room = size
        self._idle = [self._started() for _ in range(size)]
        self._busy: dict[Future[Any], ProcessPoolExecutor] = {}

    def begin(self, function: Callable[[Any], Any], item: Any) -> Future[Any]:
        worker = self._idle.pop()
        try:
            future = worker.submit(function, item)
        except BrokenProcessPool:  # it was killed while it had nothing to do
            worker.shutdown()
            worker = self._started()
            future = worker.submit(function, item)
        self._busy[future] = worker
        return future

    def ended(self, begun: Collection[Future[Any]]) -> Collection[Future[Any]]:
        return wait(begun, return_when=FIRST_COMPLETED).done

    def result(self, handle: Future[Any]) -> Any:
        worker = self._busy.pop(handle)
        try:
            return handle.result()
        except BrokenProcessPool as error:
            worker.shutdown()
            worker = self._started()
            raise WorkerLost("a process of this host") from error
        finally:
            self._idle.append(worker)

    def close(self) -> None:
        """Wait for the items that are being done, and end the workers."""
        for worker in [*self._idle, *self._busy.values()]:
            worker.shutdown(cancel_futures=True)

    def _started(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("forkserver"))
