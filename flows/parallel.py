"""The maps that run the shards of a pipeline from the command line."""

import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import forkserver
from typing import Protocol, TypeVar

_PRELOADED = ["flows.worker"]
Item = TypeVar("Item")
Made = TypeVar("Made")


class Map(Protocol):
    """Applies a function to every item, in any order and place; Prefect's mapped tasks and process pools are such maps."""

    def __call__(self, function: Callable[[Item], Made], items: Sequence[Item], /) -> Iterable[Made]:
        """Yield the results, in any order."""
        ...


def process_pool_map(workers: int | None = None, soon: bool = False) -> Map:
    """Return a map over a pool of processes (default: one for each processor); one worker, or a single item, needs no pool.

    `soon` says that the pool will be needed: its imports begin now, while the caller does other work.
    """
    size = workers or len(os.sched_getaffinity(0))
    if soon and size > 1:
        forkserver.set_forkserver_preload(_PRELOADED)
        forkserver.ensure_running()

    def run(function: Callable[[Item], Made], items: Sequence[Item], /) -> Iterator[Made]:
        if size == 1 or len(items) < 2:
            yield from map(function, items)
            return
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(_PRELOADED)
        with ProcessPoolExecutor(min(size, len(items)), mp_context=context) as pool:
            for done in as_completed([pool.submit(function, item) for item in items]):
                yield done.result()

    return run
