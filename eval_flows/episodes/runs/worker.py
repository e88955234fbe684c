"""A worker: a process that does jobs for its parent, each in a thread, over a pipe. It never outlives its parent."""

import fcntl
import multiprocessing
import os
import queue
import signal
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from typing import Any, Self

from eval_flows.episodes import main_thread

Ask = Callable[[Any], Any]
Work = Callable[[Any, Ask], Any]  # makes a result from a job and a way to ask the parent; job and result travel between processes
Message = tuple[str, int, Any]
"""Its kind, the number of the job, the content. To a worker: `job`, `reply` (to what a job asked), `end`. From one: `result`, `fault`, `ask`."""
_KINDLY = 5.0  # seconds for a worker to end by itself
_processes = threading.Lock()  # a start polls every process, and of two threads that poll one, the later does not learn its exit code


@dataclass(eq=False)
class Worker:
    """A process with its end of the pipe."""

    process: BaseProcess
    pipe: "Connection[Message, Message]"

    @classmethod
    def start(cls, context: BaseContext, work: Work) -> Self:
        """Start a process that does its jobs by `work`."""
        ours, theirs = context.Pipe()
        with _processes:
            process: BaseProcess = context.Process(target=_serve, args=(theirs, work), daemon=True)  # type: ignore[attr-defined]
            process.start()
        theirs.close()
        return cls(process, ours)

    @property
    def has_died(self) -> bool:
        """Tell whether the process has ended; any thread may ask."""
        try:
            return bool(wait([self.process.sentinel], 0))
        except ValueError:  # it was given back meanwhile
            return True

    def send(self, kind: str, number: int = 0, content: Any = None) -> None:
        """Send a message. If the process has died, nothing is sent: `receive` tells it."""
        try:
            self.pipe.send((kind, number, content))
        except (BrokenPipeError, OSError):
            return

    def receive(self) -> Message:
        """Wait for a message and return it; `EOFError` or `OSError` if the process has died."""
        return self.pipe.recv()

    def end(self) -> int | None:
        """End the process, which has no job any more, and return the exit code; kill it if it does not end soon."""
        self.send("end")
        wait([self.process.sentinel], _KINDLY)
        return self.kill()

    def kill(self) -> int | None:
        """End the process and its machines in any state, give back what the parent held for it, and return the exit code."""
        with _processes:
            self.process.kill()
            self.process.join()
            code = self.process.exitcode
            self.process.close()
        self.pipe.close()
        return code


def _serve(pipe: "Connection[Message, Message]", work: Work) -> None:
    """Serve jobs until the parent says to end, or is gone. The main thread does what jobs have to do there."""
    _end_with_parent()
    signal.signal(signal.SIGINT, lambda *_: None)  # Ctrl-C reaches all processes of a terminal: the parent decides what ends
    main_thread.serve(threading.Thread(target=_Jobs(pipe, work).begin_all, name="jobs", daemon=True).start)


class _Jobs:
    """The jobs of this process, each in a thread of its own."""

    def __init__(self, pipe: "Connection[Message, Message]", work: Work) -> None:
        self._pipe = pipe
        self._work = work
        self._replies: dict[int, queue.SimpleQueue[Any]] = {}
        self._one_at_a_time = threading.Lock()

    def begin_all(self) -> None:
        """Begin what the parent gives, and pass its replies on, until it says to end or is gone."""
        kind = ""
        while kind != "end":
            try:
                kind, number, content = self._pipe.recv()
            except (EOFError, OSError):
                break
            if kind == "job":
                self._replies[number] = queue.SimpleQueue()
                threading.Thread(target=self._do, args=(number, content), name=f"job {number}", daemon=True).start()
            elif kind == "reply":
                self._replies[number].put(content)
        os._exit(0)  # at once: with a thread that never ends, libraries warn about what the interpreter leaves behind

    def _do(self, number: int, job: Any) -> None:
        try:
            self._send("result", number, self._work(job, lambda question: self._ask(number, question)))
        except BaseException as error:  # of whatever kind: else nobody would learn that the job has ended
            self._send("fault", number, f"{type(error).__name__}: {error}\n{traceback.format_exc(limit=-3)}")

    def _ask(self, number: int, question: Any) -> Any:
        self._send("ask", number, question)
        return self._replies[number].get()

    def _send(self, kind: str, number: int, content: Any) -> None:
        with self._one_at_a_time:
            self._pipe.send((kind, number, content))


def _end_with_parent() -> None:
    """Let the kernel kill this process, and its machines with it, when the parent is gone, even if Python is held up by a library.

    A killed parent cannot end its workers, and the next run would begin the same work again. The pipe between the two closes with the parent.
    """
    parent = multiprocessing.parent_process()
    assert parent is not None
    fcntl.fcntl(parent.sentinel, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(parent.sentinel, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(parent.sentinel, fcntl.F_SETFL, os.O_ASYNC)
    if wait([parent.sentinel], 0):  # it was gone before the kernel was asked
        os._exit(1)
