"""The sessions of a server: there is a largest number of them, and a session that is idle too long is closed."""

import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass

from eval_flows.episodes.environment.stage import Start
from eval_flows.episodes.runs.pipeline import ready_machine
from eval_flows.episodes.serving.messages import Pictures
from eval_flows.episodes.serving.session import Session, UnknownSession
from eval_flows.episodes.serving.suite_environment import find_task
from eval_flows.episodes.tasks.suite import tasks_of
from eval_flows.episodes.tasks.task import Task
from machines.errors import MachineError
from machines.machine import KINDS, MachineChoice
from warehouse.layout import DataFolder

_CLOSING_SECONDS = 10.0  # that the end of a server waits for a call that is under way


class SessionsUsedUp(RuntimeError):
    """All sessions are in use; `retry_after` is in seconds."""

    retry_after = 5


@dataclass(frozen=True)
class Limits:
    """The limits of a server: sessions at once, seconds without a call after which a session is closed, and steps of an episode.

    Without `steps`, an episode has the budget of its task.
    """

    sessions: int = 16
    idle_seconds: float = 600.0
    steps: int | None = None


class Sessions:
    """The sessions of a server, by their ids, on machines of one kind."""

    def __init__(self, data: DataFolder, limits: Limits, machine: str = "sandbox", machine_options: Mapping[str, str] | None = None) -> None:
        """Take the folder of images, the limits and the kind of machine; `PluginError` if there is no such kind."""
        KINDS.plugin(machine).load()
        self.limits = limits
        self._data = data
        self._machine = machine
        self._machine_options = machine_options or {}
        self._suites: dict[str, Sequence[Task]] = {}
        self._choices: dict[str, MachineChoice] = {}
        self._sessions: dict[str, Session] = {}
        self._lock = threading.Lock()
        self._has_ended = False

    def tasks(self, suite: str) -> Sequence[Task]:
        """Return the tasks of a suite, which are made once; `BadInput` lists the suites if there is none of that name."""
        if suite not in self._suites:
            self._suites[suite] = tasks_of(suite)
        return self._suites[suite]

    def open(self, suite: str, episode: int | str, start: Start, pictures: Pictures) -> tuple[Session, bytes]:
        """Start a session with an episode, and return it with its first observation as JSON.

        `SessionsUsedUp` if there are too many. A session that does not come up is closed again.
        """
        task = find_task(self.tasks(suite), episode)
        session = self.add(suite, pictures)
        try:
            return session, session.reset(task, start)
        except BaseException:
            self._drop(session)
            session.close()
            raise

    def add(self, suite: str, pictures: Pictures) -> Session:
        """Return a new session, whose process and machine start with its first reset; `SessionsUsedUp` if there are too many."""
        choice = self._choice(suite)
        with self._lock:
            if self._has_ended:
                raise SessionsUsedUp("the server is ending")
            if sum(one.holds_place for one in self._sessions.values()) >= self.limits.sessions:
                raise SessionsUsedUp(f"all {self.limits.sessions} sessions are in use: close one, or try again later")
            session = Session(suite, choice, pictures, self.limits.steps)
            self._sessions[session.identity] = session
        return session

    def __getitem__(self, identity: str) -> Session:
        """Return a session; `UnknownSession` lists the others if there is none of that id."""
        with self._lock:
            self._sessions = {one.identity: one for one in self._sessions.values() if not one.is_closed}
            if identity in self._sessions:
                return self._sessions[identity]
            there = ", ".join(self._sessions) or "none"
        idle = f"a session is closed after {self.limits.idle_seconds:g} seconds without a call"
        raise UnknownSession(f"there is no session '{identity}' ({idle}); there are: {there}")

    @property
    def identities(self) -> list[str]:
        """Return the ids of the sessions."""
        with self._lock:
            return [one.identity for one in self._sessions.values() if one.holds_place]

    def close(self, identity: str) -> None:
        """Close a session, after the call that is under way."""
        session = self[identity]
        self._drop(session)
        session.close()

    def close_idle(self) -> list[str]:
        """Close the sessions that were idle too long, and return their ids."""
        until = time.monotonic() - self.limits.idle_seconds
        with self._lock:
            idle = [one for one in self._sessions.values() if one.used < until and not one.is_at_work]
            for session in idle:
                del self._sessions[session.identity]
        for session in idle:
            _close_in_any_case(session)
        return [session.identity for session in idle]

    def end(self) -> None:
        """Close every session, and start no other."""
        with self._lock:
            self._has_ended = True
            there = list(self._sessions.values())
            self._sessions.clear()
        with ThreadPoolExecutor(max(1, len(there))) as pool:
            list(pool.map(lambda session: _close_in_any_case(session, _CLOSING_SECONDS), there))

    def _drop(self, session: Session) -> None:
        with self._lock:
            self._sessions.pop(session.identity, None)

    def _choice(self, suite: str) -> MachineChoice:
        if suite not in self._choices:
            self._choices[suite] = ready_machine(suite, self.tasks(suite), self._data, self._machine, self._machine_options)
        return self._choices[suite]


def _close_in_any_case(session: Session, seconds: float = -1) -> None:
    """Close a session that no client waits for: the end of its process is enough if its machine does not stop as it should."""
    with suppress(MachineError):
        session.close(seconds)
