"""A session of the server: the server's side of a process that plays for one client."""

import secrets
import threading
import time
from contextlib import suppress
from typing import Any

from eval_flows.episodes.environment.stage import Start
from eval_flows.episodes.runs.fork_server import fork_server
from eval_flows.episodes.runs.worker import Worker
from eval_flows.episodes.serving.messages import Pictures, StateMessage
from eval_flows.episodes.serving.session_process import Raised, SessionWork
from eval_flows.episodes.serving.suite_environment import Deed
from eval_flows.episodes.tasks.task import Task
from machines.errors import MachineError
from machines.machine import MachineChoice

_CALL_SECONDS = 280.0  # a client waits for 300; a reset of a virtual machine takes long on a busy host
_STOP_SECONDS = 60.0  # for a machine to stop, before its process is ended all the same


class UnknownSession(LookupError):
    """There is no such session, or it was closed."""


class Session:
    """An environment that one client drives, in a process of its own. Its calls are carried out one after another.

    The process starts with the first call. Each call raises the errors of the environment, `UnknownSession` if the session was closed meanwhile,
    and `MachineError` if the process dies or the call takes too long; then the session is closed.
    """

    def __init__(self, suite: str, machine: MachineChoice, pictures: Pictures = "base64", most_steps: int | None = None) -> None:
        """Take the suite, the choice of machine, how screenshots travel, and the most steps of an episode."""
        self.suite = suite
        self.identity = secrets.token_hex(8)
        self.used = time.monotonic()
        self.is_closed = False
        self._work = SessionWork(self.identity, suite, machine, pictures, most_steps)
        self._worker: Worker | None = None
        self._turn = threading.Lock()

    def reset(self, task: Task, start: Start = "preloaded") -> bytes:
        """Set an episode up, and return the observation as JSON."""
        observed: bytes = self._call("reset", task, start)
        return observed

    def step(self, deed: Deed) -> bytes:
        """Carry out a step, and return the observation as JSON."""
        observed: bytes = self._call("step", deed)
        return observed

    def look(self) -> bytes:
        """Return elements and windows, observed again, as JSON; it is no step."""
        observed: bytes = self._call("look")
        return observed

    def screenshot(self) -> bytes | None:
        """Return the screenshot of the last reset or step, as PNG; None if the session has none."""
        picture: bytes | None = self._call("screenshot")
        return picture

    def evaluate(self) -> dict[str, Any]:
        """Return the reward for the state of the machine, ready for JSON."""
        reward: dict[str, Any] = self._call("evaluate")
        return reward

    @property
    def state(self) -> StateMessage:
        """Return what it plays, and how far it is."""
        state: StateMessage = self._call("state")
        return state

    @property
    def is_at_work(self) -> bool:
        """Tell whether a call is under way."""
        return self._turn.locked()

    @property
    def holds_place(self) -> bool:
        """Tell whether it counts as a session: it is not closed, and its process has not died."""
        worker = self._worker
        return not self.is_closed and (worker is None or not worker.has_died)

    def close(self, seconds: float = -1) -> None:
        """Stop the machine and end the process, after the call that is under way. After so many seconds, end that call too."""
        if not self._turn.acquire(timeout=seconds):
            worker = self._worker
            if worker is not None:
                with suppress(ValueError):  # it has just ended and was given back
                    worker.process.kill()  # the call ends with it
            self._turn.acquire()
        try:
            if self._worker is not None:
                with suppress(_ProcessDied):
                    self._asked(_STOP_SECONDS, "close")
        finally:
            self._give_up()
            self._turn.release()

    def _call(self, name: str, *arguments: Any) -> Any:
        """Carry out a call after those that came before it."""
        with self._turn:
            if self.is_closed:
                raise UnknownSession(f"the session '{self.identity}' was closed")
            try:
                return self._asked(_CALL_SECONDS, name, *arguments)
            finally:
                self.used = time.monotonic()

    def _asked(self, seconds: float, name: str, *arguments: Any) -> Any:
        """Return the answer of the process, which is started if there is none."""
        if self._worker is None:
            self._worker = _started(self._work)
        self._worker.send("job", content=(name, arguments))
        try:
            if not self._worker.pipe.poll(seconds):
                raise TimeoutError
            kind, _, answer = self._worker.receive()
        except TimeoutError:
            self._worker.process.kill()
            self._give_up()
            raise _ProcessDied(f"'{name}' was not done within {seconds:.0f} s, so the session was closed: open another one") from None
        except (EOFError, OSError):
            code = self._give_up()
            raise _ProcessDied(f"the session's process died with exit code {code} during '{name}': open another session") from None
        if kind == "fault":  # the answer cannot be sent
            raise RuntimeError(answer)
        if isinstance(answer, Raised):
            raise answer.error
        return answer

    def _give_up(self) -> int | None:
        """Close the session, end its process with its machine, and return the exit code."""
        self.is_closed = True
        worker, self._worker = self._worker, None
        return None if worker is None else worker.end()


class _ProcessDied(MachineError):
    """The process of a session has died, or a call took too long."""


def _started(work: SessionWork) -> Worker:
    try:
        return Worker.start(fork_server(), work)
    except OSError as error:
        raise MachineError(f"no process can be started for the session: {error}") from error
