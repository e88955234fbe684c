"""The protocol of OpenEnv: a session over a WebSocket at `/ws`, for the clients of the package `openenv` (checked with 0.10.0).

A message is `{"type": ..., "data": {...}}`. `reset` takes `suite`, `episode_id` (an id or a number) and `seed`, which draws an episode if none is
named. `step` takes `action`, a text in the language of the action space. Both are answered by `observation`, with `reward` and `done`: the reward is
null before the end. `state` is answered by `state`. An error is answered by `error`, and the session stays open; it ends with the connection.
"""

import json
from contextlib import suppress
from random import Random
from typing import Any, Literal

from anyio import to_thread
from fastapi import FastAPI, WebSocket, WebSocketDisconnect
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from atomic_tasks.problems import BadInput
from eval_flows.episodes.serving.session import Session, UnknownSession
from eval_flows.episodes.serving.sessions import Sessions, SessionsUsedUp
from eval_flows.episodes.serving.suite_environment import EpisodeOver, find_task
from machines.errors import MachineError, MachineNeeds, PluginError

Json = dict[str, Any]
_KNOWN_ERRORS = (BadInput, EpisodeOver, MachineError, MachineNeeds, PluginError, UnknownSession)


class _Asked(BaseModel):
    model_config = ConfigDict(extra="ignore")  # clients of other versions may send more


class _Episode(_Asked):
    suite: str = "smoke"
    episode_id: str | int | None = None
    seed: int | None = None


class _Reset(_Asked):
    type: Literal["reset"]
    data: _Episode = _Episode()


class _Action(_Asked):
    action: str


class _Step(_Asked):
    type: Literal["step"]
    data: _Action


class _State(_Asked):
    type: Literal["state"]


class _Close(_Asked):
    type: Literal["close"]


_Message = _Reset | _Step | _State | _Close
_MESSAGE: TypeAdapter[_Message] = TypeAdapter(_Message)


def add(app: FastAPI, sessions: Sessions) -> None:
    """Add the endpoint `/ws` to the server."""

    @app.websocket("/ws")
    async def play(socket: WebSocket) -> None:
        await socket.accept()
        connection = _Connection(sessions)
        try:
            while True:
                answer = await to_thread.run_sync(connection.answer, await socket.receive_text())
                if answer is None:
                    await socket.close()
                    return
                await socket.send_json(answer)
        except WebSocketDisconnect:
            return
        finally:
            await to_thread.run_sync(connection.close)


class _Connection:
    """One client: it has a session from its first reset on."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions
        self._session: Session | None = None

    def answer(self, text: str) -> Json | None:
        """Return the answer to a message; None if the client ends the connection."""
        try:
            asked = _MESSAGE.validate_json(text)
        except ValidationError as error:
            return _error("VALIDATION_ERROR", f"no message of OpenEnv: {error.errors()[0]['msg']}; send reset, step, state or close")
        try:
            return self._answer(asked)
        except SessionsUsedUp as error:
            return _error("CAPACITY_REACHED", str(error))
        except _KNOWN_ERRORS as error:
            return _error("EXECUTION_ERROR", str(error))

    def close(self) -> None:
        """Close the session, if it is not closed yet."""
        session, self._session = self._session, None
        if session is not None:
            with suppress(UnknownSession):
                self._sessions.close(session.identity)

    def _answer(self, asked: _Message) -> Json | None:
        match asked:
            case _Reset():
                return self._observed(self._reset(asked.data))
            case _Step():
                return self._observed(self._playing.step(asked.data.action))
            case _State():
                state = self._playing.state
                return {"type": "state", "data": {"episode_id": state.episode, "step_count": state.step, **state.model_dump(mode="json")}}
        return None

    @property
    def _playing(self) -> Session:
        if self._session is None:
            raise EpisodeOver("no episode is set up: send reset first")
        return self._session

    def _reset(self, asked: _Episode) -> bytes:
        tasks = self._sessions.tasks(asked.suite)
        episode = Random(asked.seed).randrange(len(tasks)) if asked.episode_id is None else asked.episode_id
        task = find_task(tasks, episode)
        if self._session is None or self._session.is_closed or self._session.suite != asked.suite:
            self.close()
            self._session = self._sessions.add(asked.suite, "base64")
        return self._session.reset(task)

    def _observed(self, observed: bytes) -> Json:
        """Return the observation; at the end of the episode, with the reward for the last state."""
        answer = json.loads(observed)
        told = {"observation": {**answer["session"], **answer["observation"]}}
        if answer["session"]["end"] is None:
            return {"type": "observation", "data": {**told, "reward": None, "done": False}}
        reward = self._playing.evaluate()
        about = {name: reward[name] for name in ("is_success", "by_checks", "side_effects")}
        return {"type": "observation", "data": {**told, "reward": reward["value"], "done": True, "metadata": about}}


def _error(code: str, message: str) -> Json:
    return {"type": "error", "data": {"code": code, "message": message}}
