"""What a runner is, and the registry of runners by name.

A package adds a runner by an entry point of the group `deskmill.runners` (see `machines.plugins`).
"""

import contextlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from machines.plugins import Registry
from runners.waiting import Look

if TYPE_CHECKING:
    from prefect.task_runners import TaskRunner

Item = TypeVar("Item")
Made = TypeVar("Made")
RETRIES = 3  # of an item whose worker was lost


class Map(Protocol):
    """Applies a function to every item, in any order and place.

    The function and the items are pickled. An item whose worker is lost is done again, so a function must bear to be called twice. The items may
    grow while results are taken: what is appended is done too, and does not wait for the others.
    """

    def __call__(self, function: Callable[[Item], Made], items: Sequence[Item], lost: Callable[[Item, str], Made] | None = None, /) -> Iterable[Made]:
        """Yield the results as they come, in any order, and hold only a few of them; an error of the function is raised here.

        If an item lost more workers than a runner bears, `lost` makes its result from the item and from what happened. Without `lost` that is a
        `RunnerError`, which names the item by its `str`.
        """
        ...


@dataclass(frozen=True)
class RunnerChoice:
    """A runner by name, and where it runs.

    `address` is that of a scheduler; without one the runner starts its workers on this host, `workers` of them (default: one for each processor).
    Workers import the modules of `preload` ahead of their first item, where they start on this host. Each item takes one of the `resource` of its
    worker, such as `machine`; without one, it takes a processor.
    """

    name: str = "processes"
    address: str | None = None
    workers: int | None = None
    preload: tuple[str, ...] = ()
    resource: str | None = None

    @contextlib.contextmanager
    def open(self) -> Iterator[Map]:
        """Start or reach the runner, and give its map; `RunnerError` or `PluginError` if that is not possible."""
        with open_runner(self) as opened:
            yield opened.map


@dataclass(frozen=True)
class Opened:
    """A runner that was started or reached: its map, and what runs tasks of Prefect on the same workers.

    `room` says how many tasks to begin at once, now; `is_loss` whether an error that a task ends with says that its worker is gone, and `retries`
    how often such a task is to be begun again: 0 where the engine does that itself. A task that is submitted in the context `taking` takes the
    resource of the choice. `here` gives the address at which workers reach this process; `RunnerError` if there is none.

    `until_ended` takes a look for tasks that have ended, and looks until some have; `RunnerError` if all workers are gone for long. `told` gives
    the error that says what to do, for one that a task ends with.
    """

    map: Map
    task_runner: "Callable[[], TaskRunner[Any]]"
    room: Callable[[], int]
    is_loss: Callable[[BaseException], bool]
    here: Callable[[], str] = lambda: "127.0.0.1"
    taking: Callable[[], AbstractContextManager[Any]] = contextlib.nullcontext
    retries: int = 0
    until_ended: Callable[[Look], Collection[Any]] = lambda look: look(None)
    told: Callable[[Exception], Exception] = lambda error: error


Runner = Callable[[RunnerChoice], AbstractContextManager[Opened]]


def open_runner(choice: RunnerChoice) -> AbstractContextManager[Opened]:
    """Start or reach the runner of a choice; `RunnerError` or `PluginError` if that is not possible. It is a `Runner` that stands for all."""
    return RUNNERS[choice.name](choice)


RUNNERS: Registry[Runner] = Registry(
    "runner",
    "deskmill.runners",
    {
        "processes": "runners.processes:processes",
        "dask": "runners.on_dask:dask",
        "ray": "runners.on_ray:ray",
    },
)
