"""Jobs on the workers of a runner: each is an item of its map. On the worker's host, a process of its own does it, watched by the wall clock.

A host that dies costs its job one more try: the engine of the runner gives it to another host at once. A job that ended two hosts is a fault, and the
others go on. A fault that a worker tells is tried again, as on this host, while the map goes on.
"""

import multiprocessing
import platform
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from eval_flows.episodes.runs.answer_server import AnswerServer, Place, asking
from eval_flows.episodes.runs.workers import Ask, Done, Job, OnFault, Reply, Respond, Work, supervised
from machines.errors import MachineError, MachineNeeds, PluginError
from runners.errors import RunnerError
from runners.runner import Opened

Prepare = Callable[[Any], Any]  # makes a host ready for a job, in a process of its own, and returns the job as it is done there
_MOST_HOSTS = 2  # that a job may end
_READY_WITHIN = 3600.0  # seconds, for what prepares a host: an image may have to be unpacked from far away


@dataclass(frozen=True)
class _Item:
    """A job for a worker: its number, what prepares the host for it, what does it, the seconds of a try, and where to ask."""

    number: int
    job: Any
    prepare: Prepare
    work: Work
    seconds: float
    place: Place

    def __str__(self) -> str:
        return str(self.job)


@dataclass(frozen=True)
class _Begins:
    """What a worker tells before it begins an item: its number, and the name of the host."""

    number: int
    host: str


@dataclass(frozen=True)
class _Outcome:
    """What became of an item: a result, or a fault after so many seconds. `is_last` if it shall not be tried again."""

    number: int
    result: Any
    fault: str | None
    seconds: float
    is_last: bool = False


class _Hosts:
    """The hosts that began an item and told no outcome. The engine of a runner begins an item again by itself, as often as it is set to."""

    def __init__(self, respond: Respond | None) -> None:
        """Take what answers the questions of jobs."""
        self._respond = respond
        self._begun: defaultdict[int, list[str]] = defaultdict(list)
        self._lock = threading.Lock()

    def answer(self, question: Any, reply: Reply) -> None:
        """Answer a worker, in any thread: the hosts that had an item before, if that are too many, or what a job asks."""
        if not isinstance(question, _Begins):
            assert self._respond is not None
            self._respond(question, reply)
            return
        with self._lock:
            hosts = self._begun[question.number]
            lost = list(hosts) if len(hosts) >= _MOST_HOSTS else []
            hosts.append(question.host)
        reply(lost)

    def told(self, number: int) -> None:
        """An outcome of an item has come."""
        with self._lock:
            self._begun.pop(number, None)


def done_away(
    runner: Opened,
    jobs: Sequence[Job],
    work: Work,
    seconds: float,
    prepare: Prepare,
    tries: int = 3,
    respond: Respond | None = None,
    on_fault: OnFault[Job] | None = None,
) -> Iterator[Done[Job]]:
    """Yield each job when it ends, as `workers.supervised` does, from workers of a runner.

    `prepare` makes a host ready for a job before the job's clock starts, within an hour. What it raises is a fault of the job.
    `RunnerError` if the runner's map ends before all jobs have.
    """
    failed, ended = [0] * len(jobs), 0
    hosts = _Hosts(respond)
    with AnswerServer(hosts.answer, runner.here()) as server:
        items = [_Item(number, job, prepare, work, seconds, server.place) for number, job in enumerate(jobs)]
        for outcome in runner.map(_carried_out, items, _lost):
            if server.ended_by:
                raise server.ended_by
            hosts.told(outcome.number)
            job = jobs[outcome.number]
            if outcome.fault is None:
                ended += 1
                yield Done(job, outcome.result, None)
                continue
            if on_fault is not None:
                on_fault(job, outcome.fault, outcome.seconds)
            failed[outcome.number] += 1
            if failed[outcome.number] < tries and not outcome.is_last:
                items.append(items[outcome.number])
            else:
                ended += 1
                yield Done(job, None, outcome.fault)
    if ended < len(jobs):
        raise RunnerError(
            f"the runner ended with {len(jobs) - ended} of {len(jobs)} jobs not done: its map has to do the items that are appended too"
        )


def _lost(item: _Item, what: str) -> _Outcome:
    """Return the outcome of an item that the engine gives up. More tries would cost more hosts."""
    return _Outcome(item.number, None, what, 0.0, is_last=True)


def _carried_out(item: _Item) -> _Outcome:
    """Do an item on this host, in a process of its own: a worker of a runner does its items in threads, where nothing can end them."""
    multiprocessing.current_process()._config["daemon"] = False  # type: ignore[attr-defined]  # a worker of Dask may start no process otherwise
    begun = time.monotonic()
    try:
        with asking(item.place) as respond:
            if lost := _hosts_before(item, respond):
                return _lost(item, f"{len(lost)} workers that began it were lost, on {' and '.join(lost)}: see the logs of these hosts")
            job = _made_ready(item)
            begun = time.monotonic()
            (done,) = supervised([job], item.work, 1, item.seconds, tries=1, respond=respond)
    except (MachineError, OSError) as error:
        return _Outcome(item.number, None, str(error), time.monotonic() - begun)
    return _Outcome(item.number, done.result, done.fault, time.monotonic() - begun)


def _made_ready(item: _Item) -> Any:
    """Make this host ready for an item, and return the job as it is done here.

    A process of its own does it, which the clock can end: on a file system that stalls it would wait for ever, and hold the item and its resource.
    """
    (done,) = supervised([(item.prepare, item.job)], _prepare, 1, _READY_WITHIN, tries=1)
    if done.fault is not None:
        raise MachineError(f"the host {platform.node()} was not made ready: {done.fault}")
    job, fault = done.result
    if fault is not None:
        raise MachineError(fault)
    return job


def _prepare(asked: tuple[Prepare, Any], ask: Ask) -> tuple[Any, str | None]:
    """Prepare the host for a job: give the job as it is done here, or what this host lacks for it."""
    prepare, job = asked
    try:
        return prepare(job), None
    except (MachineError, MachineNeeds, PluginError, OSError) as error:
        return None, str(error)


def _hosts_before(item: _Item, respond: Respond) -> list[str]:
    """Tell the process of the run that this host begins an item, and return the hosts that were lost with it, if it may not."""
    replies: list[Any] = []
    respond(_Begins(item.number, platform.node()), replies.append)
    if isinstance(replies[0], MachineError):
        raise replies[0]
    found: list[str] = replies[0]
    return found
