"""Workers: each is a process that does some jobs at once, watched from outside by the wall clock.

A worker that dies is a fault of the infrastructure, and so is a job that does not end in time: only the end of its worker ends it. A new worker
replaces that one. A job is tried a few times before its fault is reported, and after the first time in a worker of its own, so that it harms no
other. Jobs that only lose their worker to another's delay begin again, and that counts for nothing. A job may ask the parent for what only the parent
has (a model's answer). The clock of a job stops while it waits for such an answer.
"""

import contextlib
import multiprocessing
import os
import queue
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from typing import Any, Generic, TypeVar

from eval_flows.episodes.runs.fork_server import fork_server
from eval_flows.episodes.runs.worker import Ask, Work, Worker

__all__ = ["Ask", "Done", "OnFault", "Reply", "Respond", "Work", "supervised"]
Job = TypeVar("Job")
Reply = Callable[[Any], None]  # from any thread; an exception as the reply ends all jobs, and is raised by `supervised`
Respond = Callable[[Any, Reply], None]  # the parent's side: takes the question and the function that gets the answer, at once or later
OnFault = Callable[[Job, str, float], None]  # takes the job, the fault of a try and the seconds of that try
TOGETHER = 8  # jobs that one worker does at once: what it holds itself is 4 to 6 MB for each then, and if it is killed, so many begin again


@dataclass(frozen=True)
class Done(Generic[Job]):
    """The end of a job: its result, or None and the fault of its last try."""

    job: Job
    result: Any
    fault: str | None


@dataclass(eq=False)
class _Try:
    """A try of a job: its number, when it began, moved later by the time that it waited for answers, and when it asked what is still open."""

    number: int
    begun: float = field(default_factory=time.monotonic)
    asked: float | None = None

    def worked(self) -> float:
        """Return its seconds, without the time that it waited for answers."""
        return (time.monotonic() if self.asked is None else self.asked) - self.begun


@dataclass(eq=False)
class _Worker(Worker):
    tries: dict[int, _Try] = field(default_factory=dict)


def supervised(
    jobs: Sequence[Job],
    work: Work,
    at_once: int,
    seconds: float,
    tries: int = 3,
    respond: Respond | None = None,
    on_fault: OnFault[Job] | None = None,
    together: int = TOGETHER,
) -> Iterator[Done[Job]]:
    """Yield each job when it ends. `seconds` limits the wall clock of one try; that clock stops while a job waits for an answer.

    There are `at_once` jobs at once: in as many workers as there are processors, and in more if that were more than `together` in one.
    `on_fault` is told of every failed try, before the job is tried again.
    """
    supervisor = _Supervisor(jobs, work, at_once, seconds, tries, respond, on_fault, together)
    try:
        yield from supervisor.run()
    finally:
        supervisor.close()


class _Supervisor(Generic[Job]):
    def __init__(
        self,
        jobs: Sequence[Job],
        work: Work,
        at_once: int,
        seconds: float,
        tries: int,
        respond: Respond | None,
        on_fault: OnFault[Job] | None,
        together: int,
    ) -> None:
        self._jobs = jobs
        self._work = work
        self._at_once = min(at_once, len(jobs))
        self._together = together
        self._usual = max(-(-self._at_once // together), min(self._at_once, os.cpu_count() or 1))  # workers, if no job needs one of its own
        self._seconds = seconds
        self._most_tries = tries
        self._respond = respond
        self._on_fault = on_fault
        self._waiting = deque(range(len(jobs)))
        self._failed_tries = [0] * len(jobs)
        self._alone: set[int] = set()
        self._workers: list[_Worker] = []
        self._replies: queue.SimpleQueue[tuple[_Worker, _Try, Any]] = queue.SimpleQueue()
        self._reply_came, self._reply_comes = multiprocessing.Pipe(duplex=False)
        self._context = fork_server()

    def run(self) -> Iterator[Done[Job]]:
        while self._waiting or self._at_work():
            while self._waiting and self._at_work() < self._at_once:
                self._give(self._waiting.popleft())
            ready = set(wait([self._reply_came, *(worker.pipe for worker in self._workers)], timeout=self._until_next_limit()))
            if self._reply_came in ready:
                self._pass_reply_on()
            for worker in list(self._workers):
                if worker.pipe in ready:
                    yield from self._heard(worker)
                yield from self._overdue(worker)

    def close(self) -> None:
        """End every worker; kill one that is at work."""
        for worker in list(self._workers):
            if worker.tries:
                worker.kill()
            else:
                worker.end()
        self._workers.clear()
        self._reply_came.close()  # nobody waits for a reply that comes later

    def _at_work(self) -> int:
        return sum(len(worker.tries) for worker in self._workers)

    def _give(self, number: int) -> None:
        worker = self._with_room(number)
        worker.tries[number] = _Try(number)
        worker.send("job", number, self._jobs[number])

    def _with_room(self, number: int) -> _Worker:
        """Return the worker for a job: one without jobs, or the one with the fewest if there are enough workers."""
        if idle := [worker for worker in self._workers if not worker.tries]:
            return idle[0]
        shared = [worker for worker in self._workers if len(worker.tries) < self._together and not self._alone & {number, *worker.tries}]
        if shared and len(self._workers) >= self._usual:
            return min(shared, key=lambda worker: len(worker.tries))
        self._workers.append(_Worker.start(self._context, self._work))
        return self._workers[-1]

    def _until_next_limit(self) -> float | None:
        """Return the seconds until the next job must have ended; None if all jobs at work wait for answers."""
        left = [self._seconds - one.worked() for worker in self._workers for one in worker.tries.values() if one.asked is None]
        return max(0.0, min(left)) if left else None

    def _heard(self, worker: _Worker) -> Iterator[Done[Job]]:
        try:
            kind, number, content = worker.receive()
        except (EOFError, OSError):
            self._workers.remove(worker)
            code = worker.end()
            for one in worker.tries.values():  # whichever of them ended it
                yield from self._fault(one, f"the worker died with exit code {code}")
            return
        one = worker.tries[number]
        if kind == "ask":
            assert self._respond is not None
            one.asked = time.monotonic()
            self._respond(content, lambda reply: self._replied(worker, one, reply))
            return
        del worker.tries[number]
        if kind == "fault":
            yield from self._fault(one, content)
        else:
            yield Done(self._jobs[number], content, None)

    def _replied(self, worker: _Worker, one: _Try, reply: Any) -> None:
        """Take a reply, in any thread."""
        self._replies.put((worker, one, reply))
        with contextlib.suppress(OSError):  # the jobs have ended
            self._reply_comes.send_bytes(b"1")

    def _pass_reply_on(self) -> None:
        """Give a reply to the job that waits for it, and start its clock again."""
        self._reply_came.recv_bytes()
        worker, one, reply = self._replies.get()
        if isinstance(reply, BaseException):
            raise reply
        if worker in self._workers and worker.tries.get(one.number) is one and one.asked is not None:
            one.begun += time.monotonic() - one.asked
            one.asked = None
            worker.send("reply", one.number, reply)

    def _overdue(self, worker: _Worker) -> Iterator[Done[Job]]:
        """End a worker that has a job which did not end in time."""
        late = [one for one in worker.tries.values() if one.worked() >= self._seconds]
        if not late or worker not in self._workers:
            return
        self._workers.remove(worker)
        worker.kill()
        others = worker.tries.keys() - {one.number for one in late}
        self._alone |= others  # one of them may have held the late one up
        self._waiting.extend(sorted(others))
        for one in late:
            yield from self._fault(one, f"not done within {self._seconds:.0f} s")

    def _fault(self, one: _Try, fault: str) -> Iterator[Done[Job]]:
        """Try again, or report the fault."""
        if self._on_fault is not None:
            self._on_fault(self._jobs[one.number], fault, one.worked())
        self._failed_tries[one.number] += 1
        if self._failed_tries[one.number] < self._most_tries:
            self._alone.add(one.number)
            self._waiting.append(one.number)
        else:
            yield Done(self._jobs[one.number], None, fault)
