"""The runner `dask`: a cluster of Dask, on this host or at the address of its scheduler, by a client of the command line's own."""

import contextlib
import logging
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from runners.errors import RunnerError, WorkerLost
from runners.needed import needed
from runners.own_address import own_address
from runners.processes import processors
from runners.runner import RETRIES, Item, Made, Opened, RunnerChoice
from runners.same_code import WithCode, own_code, refuse_other
from runners.waiting import LOOKED_AGAIN, Look, until_ended
from runners.windowed import windowed

if TYPE_CHECKING:
    from distributed import Client, Future
    from prefect.task_runners import TaskRunner

_ANSWERS_WITHIN = 5  # seconds, of a scheduler
_WORKER_WITHIN = 15  # seconds, until a scheduler has one worker
LOCAL: dict[str, Any] = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0", "scheduler_kwargs": {"dashboard": False}}
"""What opens no port to others, and none that has a fixed number."""
_SCHEDULER_GONE = "the scheduler of Dask is gone: start it again, and run the same command again. What is made stays"


@contextlib.contextmanager
def dask(choice: RunnerChoice) -> Iterator[Opened]:
    """Give the cluster. A worker that is killed is replaced, and its items are done again, by Dask."""
    needed("distributed", "dask")
    with reached(choice) if choice.address else started(choice) as client:
        workers = _Cluster(client, choice.resource)

        def run(function: Callable[[Item], Made], items: Sequence[Item], lost: Callable[[Item, str], Made] | None = None, /) -> Iterator[Made]:
            yield from windowed(workers, WithCode(function), items, lost)

        def task_runner() -> "TaskRunner[Any]":
            from prefect_dask import DaskTaskRunner

            runner: TaskRunner[Any] = DaskTaskRunner(address=client.scheduler.address)
            return runner

        yield Opened(
            run,
            task_runner,
            lambda: workers.room,
            is_loss,
            lambda: own_address(choice.address),
            workers.taking,
            until_ended=workers.until_ended,
            told=told,
        )


@contextlib.contextmanager
def started(choice: RunnerChoice) -> Iterator["Client"]:
    """Start a cluster on this host: a scheduler in this process, and workers of one thread each, which are started again when they are killed."""
    import dask
    from distributed import Client, LocalCluster

    settings = {
        "distributed.scheduler.allowed-failures": RETRIES,
        "distributed.worker.preload": list(choice.preload),
        "distributed.deploy.lost-worker-timeout": "1 day",  # on a busy host the next worker takes longer than the 15 s that it has by default
    }
    size = {"n_workers": choice.workers or processors(), "threads_per_worker": 1, "memory_limit": 0}
    quiet = logging.CRITICAL  # an error is told where the result is taken
    with (
        dask.config.set(settings),
        LocalCluster(**size, silence_logs=quiet, resources={choice.resource: 1} if choice.resource else None, **LOCAL) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


@contextlib.contextmanager
def reached(choice: RunnerChoice) -> Iterator["Client"]:
    """Reach the scheduler at the address; `RunnerError` within seconds if none answers there, or it has no worker."""
    from distributed import Client

    if choice.workers:
        raise RunnerError(f"the cluster at {choice.address} has the workers that were started for it: leave the number of workers out")
    try:
        client = Client(choice.address, timeout=_ANSWERS_WITHIN, set_as_default=False)
    except (OSError, ValueError) as error:
        raise RunnerError(
            f"no scheduler of Dask answers at {choice.address} ({error}). Start one (dask scheduler), or correct the address"
        ) from error
    with client:
        try:
            client.wait_for_workers(1, timeout=_WORKER_WITHIN)
        except TimeoutError as error:
            raise RunnerError(f"the scheduler at {choice.address} has no worker. Start some: dask worker {choice.address} --nthreads 1") from error
        _refuse_other_code(client)
        if choice.resource and not _held(client, choice.resource):
            raise RunnerError(
                f"no worker at {choice.address} has the resource '{choice.resource}'. Start workers that have room for one each, here four: "
                f"dask worker {choice.address} --nworkers 4 --nthreads 1 --resources {choice.resource}=1"
            )
        yield client


def _held(client: "Client", resource: str) -> int:
    """Return how many of a resource the workers have together."""
    found = client.scheduler_info(n_workers=-1)["workers"].values()
    return int(sum(worker["resources"].get(resource, 0) for worker in found))


def _refuse_other_code(client: "Client") -> None:
    """Raise `RunnerError` that names a worker with other code of Deskmill, or without it. Those that come later refuse their first item."""
    for worker, theirs in client.run(own_code, on_error="return").items():
        if isinstance(theirs, BaseException):
            raise RunnerError(f"the worker {worker} has no Deskmill, or another version ({theirs}): install the same version on all hosts")
        refuse_other(theirs, worker)


class _Cluster:
    """The workers of a cluster, as `windowed` uses them."""

    retries = 0  # Dask's scheduler gives an item to other workers itself

    def __init__(self, client: "Client", resource: str | None) -> None:
        self._client = client
        self._resource = resource
        self._taken = {resource: 1} if resource else None
        self._room = 1
        self._look_again = 0.0

    @property
    def room(self) -> int:
        """As many as there are threads: a second item on a worker would be blamed for the loss of the worker too."""
        if time.monotonic() >= self._look_again:
            self._room = max(1, self._threads)
            self._look_again = time.monotonic() + LOOKED_AGAIN
        return self._room

    @property
    def _threads(self) -> int:
        """The threads that may do items: with a resource, as many as the workers have of it."""
        return _held(self._client, self._resource) if self._resource else sum(self._client.nthreads().values())

    def begin(self, function: Callable[[Any], Any], item: Any) -> "Future[Any]":
        return self._client.submit(function, item, key=f"deskmill-{uuid4().hex}", resources=self._taken)

    def taking(self) -> contextlib.AbstractContextManager[Any]:
        """Return the context in which what is submitted takes the resource."""
        import dask

        return dask.annotate(resources=self._taken) if self._taken else contextlib.nullcontext()

    def ended(self, begun: Collection["Future[Any]"]) -> Collection["Future[Any]"]:
        from distributed import wait

        def look(seconds: float | None) -> Collection["Future[Any]"]:
            with self._client.as_current(), contextlib.suppress(TimeoutError):
                ended: Collection[Future[Any]] = wait(list(begun), timeout=seconds, return_when="FIRST_COMPLETED").done
                return ended
            return []

        return self.until_ended(look)

    def until_ended(self, look: Look) -> Collection[Any]:
        """Look until something has ended; `RunnerError` if all workers are gone for long, or the scheduler is."""
        try:
            return until_ended(look, lambda: self._threads, "Dask", self._resource)
        except (CancelledError, OSError) as error:  # the second from counting the workers
            raise RunnerError(_SCHEDULER_GONE) from error

    def result(self, handle: "Future[Any]") -> Any:
        try:
            return handle.result()
        except CancelledError as error:
            raise told(error) from error
        except Exception as error:
            if is_loss(error):
                raise WorkerLost(f"the last was {error.last_worker.address}") from error  # type: ignore[attr-defined]
            raise


def told(error: Exception) -> Exception:
    """Return the error that says what to do, if Dask gave an item up since its scheduler is gone; the error itself otherwise."""
    return RunnerError(_SCHEDULER_GONE) if isinstance(error, CancelledError) else error


def is_loss(error: BaseException) -> bool:
    """Tell whether an item ended since all workers that Dask gave it to were lost."""
    from distributed import KilledWorker

    return isinstance(error, KilledWorker)
