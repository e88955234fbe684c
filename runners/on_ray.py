"""The runner `ray`: a cluster of Ray, on this host or at an address."""

import contextlib
import logging
import os
import socket
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from runners.errors import RunnerError, WorkerLost
from runners.needed import needed
from runners.own_address import own_address
from runners.processes import processors
from runners.runner import RETRIES, Item, Made, Opened, RunnerChoice
from runners.same_code import WithCode, own_code, refuse_other
from runners.waiting import LOOKED_AGAIN, Look, until_ended
from runners.windowed import windowed

if TYPE_CHECKING:
    from prefect.task_runners import TaskRunner

_ANSWERS_WITHIN = 5  # seconds, of the head of a cluster
_WORKER_WITHIN = 120  # seconds, until a worker has started and imported what it needs
_EACH = 2  # items begun for each processor, so that it has the next one when one ends


@contextlib.contextmanager
def ray(choice: RunnerChoice) -> Iterator[Opened]:
    """Give the cluster. A worker that is killed is replaced, and its item is done again, by Ray."""
    needed("ray", "ray")
    import ray

    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_IGNORE_UNHANDLED_ERRORS", "1")  # of items that nobody waits for, since another failed
    _connect(choice)
    try:
        if choice.address:
            _refuse_other_code(choice)
            _refuse_without_resource(choice)
        workers = _Cluster(choice.resource)

        def run(function: Callable[[Item], Made], items: Sequence[Item], lost: Callable[[Item, str], Made] | None = None, /) -> Iterator[Made]:
            yield from windowed(workers, WithCode(function), items, lost)

        def task_runner() -> "TaskRunner[Any]":
            from prefect_ray import RayTaskRunner

            runner: TaskRunner[Any] = RayTaskRunner()  # it uses the cluster that this process is connected to
            return runner

        yield Opened(
            run,
            task_runner,
            lambda: workers.room,
            is_loss,
            lambda: own_address(choice.address),
            workers.taking,
            until_ended=workers.until_ended,
        )
    finally:
        ray.shutdown()


def _connect(choice: RunnerChoice) -> None:
    """Start a cluster on this host, or connect to the one at the address."""
    import ray

    quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
    if not choice.address:
        size = choice.workers or processors()
        ray.init("local", num_cpus=size, resources={choice.resource: size} if choice.resource else None, include_dashboard=False, **quiet)
        return
    _refuse_deaf(choice)
    try:
        ray.init(choice.address, **quiet)
    except (ConnectionError, RuntimeError) as error:
        raise RunnerError(f"the cluster of Ray at {choice.address} cannot be used from here: {error.__cause__ or error}") from error


def _refuse_deaf(choice: RunnerChoice) -> None:
    """Raise `RunnerError` if nothing listens at the address: Ray itself would wait for minutes."""
    if choice.workers:
        raise RunnerError(f"the cluster at {choice.address} has the workers that were started for it: leave the number of workers out")
    host, _, port = str(choice.address).removeprefix("ray://").rpartition(":")
    try:
        socket.create_connection((host, int(port)), timeout=_ANSWERS_WITHIN).close()
    except (OSError, ValueError) as error:
        raise RunnerError(
            f"no head of a cluster of Ray answers at {choice.address} ({error}). Start one (ray start --head), or correct the address"
        ) from error


def _refuse_without_resource(choice: RunnerChoice) -> None:
    """Raise `RunnerError` if items take a resource that no host of the cluster has."""
    import ray

    if choice.resource and not ray.cluster_resources().get(choice.resource):
        raise RunnerError(
            f"no host of the cluster at {choice.address} has the resource '{choice.resource}'. Start hosts that say how many they have room for: "
            f"ray start --address {choice.address} --resources '{{\"{choice.resource}\": 4}}'"
        )


def _refuse_other_code(choice: RunnerChoice) -> None:
    """Raise `RunnerError` if a worker has other code of Deskmill, or none. Only one is asked; the others refuse their first item."""
    import ray

    try:
        theirs = ray.get(ray.remote(_code_of_worker).remote(), timeout=_WORKER_WITHIN)
    except ray.exceptions.GetTimeoutError as error:
        raise RunnerError(f"the cluster at {choice.address} has no free worker within {_WORKER_WITHIN} s: give it processors") from error
    except ray.exceptions.RayError as error:
        raise RunnerError(
            f"a worker at {choice.address} has no Deskmill, or another version ({error}): install the same version on all hosts"
        ) from error
    refuse_other(theirs, f"at {choice.address}")


class _Cluster:
    """The workers of a cluster, as `windowed` uses them."""

    retries = 0  # Ray gives an item to other workers itself

    def __init__(self, resource: str | None) -> None:
        import ray

        self._ray = ray
        self._resource = resource
        self._taken: dict[str, Any] = {"num_cpus": 0, "resources": {resource: 1}} if resource else {"num_cpus": 1}
        self._taken |= {"max_retries": RETRIES}
        self._apply = ray.remote(**self._taken)(_apply)
        self._room = 1
        self._look_again = 0.0

    @property
    def room(self) -> int:
        if time.monotonic() >= self._look_again:
            self._room = max(1, self._places if self._resource else _EACH * self._places)
            self._look_again = time.monotonic() + LOOKED_AGAIN
        return self._room

    @property
    def _places(self) -> int:
        """How many items the hosts may do at once: as many as they have of the resource, or processors."""
        return int(self._ray.cluster_resources().get(self._resource or "CPU", 0))

    def begin(self, function: Callable[[Any], Any], item: Any) -> Any:
        return self._apply.remote(function, item)

    def taking(self) -> contextlib.AbstractContextManager[Any]:
        """Return the context in which a task of Prefect takes what an item takes."""
        from prefect_ray.context import remote_options

        context: contextlib.AbstractContextManager[Any] = remote_options(**self._taken)
        return context

    def ended(self, begun: Collection[Any]) -> Collection[Any]:
        return self.until_ended(lambda seconds: self._ray.wait(list(begun), num_returns=1, timeout=seconds)[0])

    def until_ended(self, look: Look) -> Collection[Any]:
        """Look until something has ended; `RunnerError` if all hosts are gone for long that have room for items."""
        return until_ended(look, lambda: self._places, "Ray", self._resource)

    def result(self, handle: Any) -> Any:
        try:
            return self._ray.get(handle)
        except self._ray.exceptions.RayTaskError as error:
            raise error.cause from error
        except self._ray.exceptions.RayError as error:
            if is_loss(error):
                raise WorkerLost("workers of Ray") from error
            raise


def is_loss(error: BaseException) -> bool:
    """Tell whether an item ended since all workers that Ray gave it to were lost."""
    from ray.exceptions import NodeDiedError, OutOfMemoryError, WorkerCrashedError

    return isinstance(error, WorkerCrashedError | NodeDiedError | OutOfMemoryError)


def _apply(function: Callable[[Any], Any], item: Any) -> Any:
    return function(item)


def _code_of_worker() -> dict[str, str]:
    return own_code()
