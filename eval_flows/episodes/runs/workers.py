"""Workers: each is a process with one job at a time, watched from outside by the wall clock.

A worker that dies, or does not end in time, is a fault of the infrastructure: it is killed with its machine, and a new worker replaces it. The
job is tried a few times before its fault is reported. A job may ask the parent for what only the parent has (a model's answer). The clock
of a job stops while it waits for such an answer.
"""

import contextlib
import multiprocessing
import queue
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import wait
from typing import Any, Generic, TypeVar

from eval_flows.episodes.runs.worker import Ask, Work, Worker

__all__ = ["Ask", "Done", "OnFault", "Reply", "Respond", "Work", "supervised"]
Job = TypeVar("Job")
Reply = Callable[[Any], None]  # from any thread; an exception as the reply ends all jobs, and is raised by `supervised`
Respond = Callable[[Any, Reply], None]  # the parent's side: takes the question and the function that gets the answer, at once or later
OnFault = Callable[[Job, str, float], None]  # takes the job, the fault of a try and the seconds of that try


@dataclass(frozen=True)
class Done(Generic[Job]):
    """The end of a job: its result, or None and the fault of its last try."""

    job: Job
    result: Any
    fault: str | None


@dataclass(eq=False)
class _Worker(Worker):
    job: int | None = None
    begun: float = 0.0  # when the job began, moved later by the time that it waited for answers
    asked: float | None = None  # when it asked the question that is still open

    def worked(self) -> float:
        """Return the seconds of its job, without the time that it waited for answers."""
        return (time.monotonic() if self.asked is None else self.asked) - self.begun


def supervised(
    jobs: Sequence[Job],
    work: Work,
    workers: int,
    seconds: float,
    tries: int = 3,
    respond: Respond | None = None,
    on_fault: OnFault[Job] | None = None,
) -> Iterator[Done[Job]]:
    """Yield each job when it ends. `seconds` limits the wall clock of one try; that clock stops while a job waits for an answer.

    `on_fault` is told of every failed try, before the job is tried again.
    """
    supervisor = _Supervisor(jobs, work, seconds, tries, respond, on_fault)
    try:
        yield from supervisor.run(min(workers, max(1, len(jobs))))
    finally:
        supervisor.close()


class _Supervisor(Generic[Job]):
    def __init__(self, jobs: Sequence[Job], work: Work, seconds: float, tries: int, respond: Respond | None, on_fault: OnFault[Job] | None) -> None:
        self._jobs = jobs
        self._work = work
        self._seconds = seconds
        self._most_tries = tries
        self._respond = respond
        self._on_fault = on_fault
        self._waiting = deque(range(len(jobs)))
        self._failed_tries = [0] * len(jobs)
        self._workers: list[_Worker] = []
        self._replies: queue.SimpleQueue[tuple[_Worker, Any]] = queue.SimpleQueue()
        self._reply_came, self._reply_comes = multiprocessing.Pipe(duplex=False)
        self._context = multiprocessing.get_context("spawn")

    def run(self, workers: int) -> Iterator[Done[Job]]:
        while self._waiting or any(worker.job is not None for worker in self._workers):
            while len(self._workers) < workers and self._waiting:
                self._workers.append(_Worker.start(self._context, self._work))
            for worker in self._workers:
                if worker.job is None and self._waiting:
                    self._give(worker)
            ready = set(wait([self._reply_came, *(worker.pipe for worker in self._workers)], timeout=self._until_next_limit()))
            if self._reply_came in ready:
                self._pass_reply_on()
            for worker in list(self._workers):
                done = self._heard(worker) if worker.pipe in ready else self._overdue(worker)
                if done is not None:
                    yield done

    def close(self) -> None:
        """End every worker; kill one that is at work."""
        for worker in list(self._workers):
            if worker.job is None:
                worker.end()
            else:
                worker.kill()
        self._workers.clear()
        self._reply_came.close()  # nobody waits for a reply that comes later

    def _give(self, worker: _Worker) -> None:
        worker.job = self._waiting.popleft()
        worker.begun, worker.asked = time.monotonic(), None
        worker.send("job", self._jobs[worker.job])

    def _until_next_limit(self) -> float | None:
        """Return the seconds until the next job must have ended; None if all jobs at work wait for answers."""
        left = [self._seconds - worker.worked() for worker in self._workers if worker.job is not None and worker.asked is None]
        return max(0.0, min(left)) if left else None

    def _heard(self, worker: _Worker) -> Done[Job] | None:
        try:
            kind, content = worker.receive()
        except (EOFError, OSError):
            self._workers.remove(worker)
            return self._fault(worker, f"the worker died with exit code {worker.end()}")
        if kind == "ask":
            assert self._respond is not None
            worker.asked = time.monotonic()
            self._respond(content, lambda reply: self._replied(worker, reply))
            return self._overdue(worker)  # a worker that asks all the time is never quiet
        if kind == "fault":
            return self._fault(worker, content)
        return self._ended(worker, content, None)

    def _replied(self, worker: _Worker, reply: Any) -> None:
        """Take a reply, in any thread."""
        self._replies.put((worker, reply))
        with contextlib.suppress(OSError):  # the jobs have ended
            self._reply_comes.send_bytes(b"1")

    def _pass_reply_on(self) -> None:
        """Give a reply to the worker that waits for it, and start its clock again."""
        self._reply_came.recv_bytes()
        worker, reply = self._replies.get()
        if isinstance(reply, BaseException):
            raise reply
        if worker in self._workers and worker.asked is not None:
            worker.begun += time.monotonic() - worker.asked
            worker.asked = None
            worker.send("reply", reply)

    def _overdue(self, worker: _Worker) -> Done[Job] | None:
        if worker.job is None or worker.worked() < self._seconds:
            return None
        self._workers.remove(worker)
        worker.kill()
        return self._fault(worker, f"not done within {self._seconds:.0f} s")

    def _fault(self, worker: _Worker, fault: str) -> Done[Job] | None:
        """Try again, or report the fault."""
        number = worker.job
        if number is None:
            return None
        if self._on_fault is not None:
            self._on_fault(self._jobs[number], fault, worker.worked())
        self._failed_tries[number] += 1
        if self._failed_tries[number] < self._most_tries:
            self._waiting.append(number)
            worker.job = None
            return None
        return self._ended(worker, None, fault)

    def _ended(self, worker: _Worker, result: Any, fault: str | None) -> Done[Job]:
        assert worker.job is not None
        number, worker.job = worker.job, None
        return Done(self._jobs[number], result, fault)
