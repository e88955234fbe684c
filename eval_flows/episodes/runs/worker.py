"""A worker: a process that does one job at a time for its parent, over a pipe. It never outlives its parent."""

import fcntl
import multiprocessing
import os
import signal
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from typing import Any, Self

Ask = Callable[[Any], Any]
Work = Callable[[Any, Ask], Any]  # makes a result from a job and a way to ask the parent; job and result travel between processes
Message = tuple[str, Any]
"""To a worker: `job`, `reply` (to what it asked) or `end`. From a worker: `result`, `fault` or `ask`."""
_KINDLY = 5.0  # seconds for a worker to end by itself
_processes = threading.Lock()  # a start polls every process, and of two threads that poll one, the later does not learn its exit code


@dataclass(eq=False)
class Worker:
    """A process with its end of the pipe."""

    process: BaseProcess
    pipe: Connection

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

    def send(self, kind: str, content: Any) -> None:
        """Send a message. If the process has died, nothing is sent: `receive` tells it."""
        try:
            self.pipe.send((kind, content))
        except (BrokenPipeError, OSError):
            return

    def receive(self) -> Message:
        """Wait for a message and return it; `EOFError` or `OSError` if the process has died."""
        kind, content = self.pipe.recv()
        return kind, content

    def end(self) -> int | None:
        """End the process, which has no job, and return the exit code; kill it if it does not end soon."""
        self.send("end", None)
        wait([self.process.sentinel], _KINDLY)
        return self.kill()

    def kill(self) -> int | None:
        """End the process and its machine in any state, give back what the parent held for it, and return the exit code."""
        with _processes:
            self.process.kill()
            self.process.join()
            code = self.process.exitcode
            self.process.close()
        self.pipe.close()
        return code


def _serve(pipe: Connection, work: Work) -> None:
    """Serve jobs until the parent says to end, or is gone."""

    def ask(question: Any) -> Any:
        pipe.send(("ask", question))
        return pipe.recv()[1]

    _end_with_parent()
    signal.signal(signal.SIGINT, lambda *_: None)  # Ctrl-C reaches all processes of a terminal: the parent decides what ends
    while True:
        try:
            kind, job = pipe.recv()
        except (EOFError, OSError):
            return
        if kind == "end":
            os._exit(0)  # at once: with a thread that never ends, libraries warn about what the interpreter leaves behind
        try:
            pipe.send(("result", work(job, ask)))
        except Exception as error:
            pipe.send(("fault", f"{type(error).__name__}: {error}\n{traceback.format_exc(limit=-3)}"))


def _end_with_parent() -> None:
    """Let the kernel kill this process, and the machine with it, when the parent is gone, even if Python is held up by a library.

    A killed parent cannot end its workers, and the next run would begin the same work again. The pipe between the two closes with the parent.
    """
    parent = multiprocessing.parent_process()
    assert parent is not None
    fcntl.fcntl(parent.sentinel, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(parent.sentinel, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(parent.sentinel, fcntl.F_SETFL, os.O_ASYNC)
    if wait([parent.sentinel], 0):  # it was gone before the kernel was asked
        os._exit(1)
