"""The sessions of a server: each is an environment of its own; there is a largest number, and a session that is idle too long is closed."""

import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field

from eval_flows.episodes.environment import Observation
from eval_flows.episodes.environment.environment import Start
from eval_flows.episodes.runs.pipeline import ready_machine
from eval_flows.episodes.serving.messages import Pictures, Sent, StateMessage
from eval_flows.episodes.serving.suite_environment import SuiteEnvironment
from eval_flows.episodes.tasks.suite import tasks_of
from eval_flows.episodes.tasks.task import Task
from machines.machine import KINDS, MachineChoice
from warehouse.layout import DataFolder

_CLOSING_SECONDS = 10.0  # that the end of a server waits for a step that is under way


class SessionsUsedUp(RuntimeError):
    """All sessions are in use; `retry_after` is in seconds."""

    retry_after = 5


class UnknownSession(LookupError):
    """There is no such session, or it was closed."""


@dataclass(frozen=True)
class Limits:
    """The limits of a server: sessions at once, seconds without a call after which a session is closed, and steps of an episode.

    Without `steps`, an episode has the budget of its task.
    """

    sessions: int = 16
    idle_seconds: float = 600.0
    steps: int | None = None


@dataclass
class Session:
    """An environment that one client drives; its calls are carried out one after another."""

    suite: str
    environment: SuiteEnvironment
    pictures: Pictures = "base64"
    identity: str = field(default_factory=lambda: secrets.token_hex(8))
    screenshot: bytes | None = None
    used: float = field(default_factory=time.monotonic)
    lock: threading.Lock = field(default_factory=threading.Lock)
    is_closed: bool = False

    @contextmanager
    def turn(self) -> Iterator[SuiteEnvironment]:
        """Give the environment to one call at a time; `UnknownSession` if it was closed meanwhile. The session is not idle during a call."""
        with self.lock:
            if self.is_closed:
                raise UnknownSession(f"the session '{self.identity}' was closed")
            try:
                yield self.environment
            finally:
                self.used = time.monotonic()

    def observed(self, observe: Callable[[SuiteEnvironment], Observation]) -> Sent:
        """Reset, step or look in a turn of its own, and return the session's state after it."""
        with self.turn() as environment:
            observation = observe(environment)
            self.screenshot = observation.screenshot or self.screenshot
            return Sent(self._state(), observation)

    @property
    def state(self) -> StateMessage:
        """Return what it plays, and how far it is."""
        with self.turn():
            return self._state()

    def close(self, seconds: float = -1) -> None:
        """Stop the machine, after the call that is under way or after so many seconds."""
        has_turn = self.lock.acquire(timeout=seconds)
        self.is_closed = True
        try:
            self.environment.close()
        finally:
            if has_turn:
                self.lock.release()

    def _state(self) -> StateMessage:
        played = self.environment
        return StateMessage(
            session=self.identity,
            suite=self.suite,
            episode=played.task.episode_id,
            instruction=played.task.instruction,
            step=played.steps,
            steps=played.budget,
            end=played.end,
            screen=played.screen,
        )


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

    def open(self, suite: str, episode: int | str, start: Start, pictures: Pictures) -> tuple[Session, Sent]:
        """Start a session with an episode; `SessionsUsedUp` if there are too many. A session that does not come up is closed again."""
        session = self.add(suite, pictures)
        try:
            return session, session.observed(lambda environment: environment.reset(episode, start))
        except BaseException:
            self.close(session.identity)
            raise

    def add(self, suite: str, pictures: Pictures) -> Session:
        """Return a new session, whose machine starts with its first reset; `SessionsUsedUp` if there are too many."""
        tasks, choice = self.tasks(suite), self._choice(suite)
        sees = {"clipboard"} if pictures == "none" else {"clipboard", "screenshot"}
        with self._lock:
            if self._has_ended:
                raise SessionsUsedUp("the server is ending")
            if len(self._sessions) >= self.limits.sessions:
                raise SessionsUsedUp(f"all {self.limits.sessions} sessions are in use: close one, or try again later")
            session = Session(suite, SuiteEnvironment(tasks, choice, sees, self.limits.steps), pictures)
            self._sessions[session.identity] = session
        return session

    def __getitem__(self, identity: str) -> Session:
        """Return a session; `UnknownSession` lists the others if there is none of that id."""
        with self._lock:
            if identity in self._sessions:
                return self._sessions[identity]
            there = ", ".join(self._sessions) or "none"
        idle = f"a session is closed after {self.limits.idle_seconds:g} seconds without a call"
        raise UnknownSession(f"there is no session '{identity}' ({idle}); there are: {there}")

    @property
    def identities(self) -> list[str]:
        """Return the ids of the sessions."""
        with self._lock:
            return list(self._sessions)

    def close(self, identity: str) -> None:
        """Close a session, after the call that is under way."""
        session = self[identity]
        with self._lock:
            self._sessions.pop(identity, None)
        session.close()

    def close_idle(self) -> list[str]:
        """Close the sessions that were idle too long, and return their ids."""
        until = time.monotonic() - self.limits.idle_seconds
        with self._lock:
            idle = [one for one in self._sessions.values() if one.used < until and not one.lock.locked()]
            for session in idle:
                del self._sessions[session.identity]
        for session in idle:
            session.close()
        return [session.identity for session in idle]

    def end(self) -> None:
        """Close every session, and start no other."""
        with self._lock:
            self._has_ended = True
            there = list(self._sessions.values())
            self._sessions.clear()
        with ThreadPoolExecutor(max(1, len(there))) as pool:
            list(pool.map(lambda session: session.close(_CLOSING_SECONDS), there))

    def _choice(self, suite: str) -> MachineChoice:
        if suite not in self._choices:
            self._choices[suite] = ready_machine(suite, tasks_of(suite), self._data, self._machine, self._machine_options)
        return self._choices[suite]
