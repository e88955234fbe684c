"""The client of the server: an environment on another host, with the methods of an environment here."""

from contextlib import suppress
from types import TracebackType
from typing import Any

import httpx
from pydantic import TypeAdapter

from atomic_tasks.problems import BadInput
from eval_flows.episodes.environment import Observation, Reward
from eval_flows.episodes.environment.stage import Start
from eval_flows.episodes.serving.messages import (
    EpisodeMessage,
    Pictures,
    ResetMessage,
    SessionMessage,
    StateMessage,
    StepMessage,
    read_reward,
    read_sent,
)
from eval_flows.episodes.serving.session import UnknownSession
from eval_flows.episodes.serving.sessions import SessionsUsedUp
from eval_flows.episodes.serving.suite_environment import Deed, EpisodeOver
from machines.errors import MachineError, MachineNeeds, PluginError

_CALL_SECONDS = 300.0  # a reset of a virtual machine, or a step that opens a large application, takes long on a busy host
_EPISODES = TypeAdapter(list[EpisodeMessage])
_ERRORS = (EpisodeOver, MachineError, MachineNeeds, PluginError, SessionsUsedUp, UnknownSession)


class Server:
    """A server that `deskmill serve` runs, by its address and its token."""

    def __init__(self, address: str, token: str) -> None:
        self._http = httpx.Client(base_url=address, headers={"Authorization": f"Bearer {token}"}, timeout=_CALL_SECONDS)

    def suites(self) -> list[str]:
        """Return the names of the suites."""
        return [str(name) for name in self.call("GET", "/suites").json()]

    def episodes(self, suite: str) -> list[EpisodeMessage]:
        """Return the episodes of a suite; `BadInput` if there is none of that name."""
        return _EPISODES.validate_python(self.call("GET", f"/suites/{suite}").json())

    def environment(self, suite: str, pictures: Pictures = "base64") -> "ServedEnvironment":
        """Return an environment for a suite; its session begins with the first reset."""
        return ServedEnvironment(self, suite, pictures)

    def close(self) -> None:
        """Close the connections; sessions that are open stay open."""
        self._http.close()

    def call(self, method: str, path: str, body: Any = None) -> httpx.Response:
        """Return the answer of the server; its errors are raised as those of an environment here. Nothing is sent twice."""
        try:
            answer = self._http.request(method, path, json=body)
        except httpx.RequestError as error:
            raise MachineError(f"the server {self._http.base_url} cannot be reached: {type(error).__name__}: {error}") from error
        if answer.is_success:
            return answer
        raise _error_of(answer)


class ServedEnvironment:
    """A session on a server. As a context manager it is always closed."""

    def __init__(self, server: Server, suite: str, pictures: Pictures) -> None:
        self._server = server
        self._suite = suite
        self._pictures: Pictures = pictures
        self._state: StateMessage | None = None

    def __enter__(self) -> "ServedEnvironment":
        """Return the environment."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Close it."""
        self.close()

    def reset(self, episode: int | str = 0, start: Start = "preloaded") -> Observation:
        """Set an episode up, by number or id, and observe; `SessionsUsedUp` if the server has no session left.

        If the server has closed the session because it was idle, another one begins.
        """
        if self._state is not None:
            with suppress(UnknownSession):
                return self._observed("POST", f"{self._path}/reset", ResetMessage(episode=episode, start=start).model_dump())
            self._state = None
        asked = SessionMessage(suite=self._suite, episode=episode, start=start, pictures=self._pictures)
        return self._observed("POST", "/sessions", asked.model_dump())

    def step(self, deed: Deed) -> Observation:
        """Carry out a step and observe; `EpisodeOver` if the episode has ended, `UnknownSession` if the server has closed the session."""
        return self._observed("POST", f"{self._path}/step", StepMessage.of(deed).model_dump())

    def look(self) -> Observation:
        """Observe elements and windows again without acting; it is no step."""
        return self._observed("GET", f"{self._path}/observation")

    def screenshot(self) -> bytes:
        """Return the screenshot of the last reset or step, as PNG."""
        return self._server.call("GET", f"{self._path}/screenshot.png").content

    def evaluate(self) -> Reward:
        """Judge the state of the machine. What a check got is told as text."""
        return read_reward(self._server.call("POST", f"{self._path}/evaluate").json())

    def close(self) -> None:
        """End the session with its machine."""
        if self._state is not None:
            path, self._state = self._path, None
            with suppress(UnknownSession):
                self._server.call("DELETE", path)

    @property
    def state(self) -> StateMessage:
        """Return what is played, and how far it is."""
        if self._state is None:
            raise EpisodeOver("no episode is set up: reset the environment")
        return self._state

    @property
    def _path(self) -> str:
        return f"/sessions/{self.state.session}"

    def _observed(self, method: str, path: str, body: Any = None) -> Observation:
        answer = self._server.call(method, path, body)
        try:
            sent = read_sent(answer.json())
        except (ValueError, KeyError, TypeError) as error:
            raise MachineError(f"the server answered what is no observation: {error}") from error
        self._state = sent.state
        return sent.observation


def _error_of(answer: httpx.Response) -> Exception:
    """Return the error of an answer as an environment here raises it."""
    try:
        said, kind = str(answer.json()["error"]), answer.json()["kind"]
    except (ValueError, KeyError, TypeError):
        return MachineError(f"the server answered {answer.status_code}: {answer.text[:200]}")
    if answer.status_code == 500:
        return MachineError(f"the server failed: {kind}: {said}")
    return next((one(said) for one in _ERRORS if one.__name__ == kind), BadInput(said))
