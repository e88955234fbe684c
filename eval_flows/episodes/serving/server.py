"""The server: sessions of the environment over HTTP, for clients that hold its token.

Every call needs `Authorization: Bearer TOKEN`, except `/health`. Errors are JSON, `{"error": TEXT, "kind": NAME}`: 401 without the token, 404 for an
unknown name (it lists what there is), 409 when no step is possible, 422 for a malformed request, 502 for a fault of a machine or
of a session's process, 503 when all sessions
are in use.
Each call waits in a thread for the process of its session: what a session does never holds up another one.
"""

import asyncio
import contextlib
import hmac
from collections.abc import AsyncIterator
from typing import Any

from anyio import to_thread
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from atomic_tasks.problems import BadInput
from eval_flows.episodes.serving import openenv
from eval_flows.episodes.serving.messages import EpisodeMessage, ResetMessage, SessionMessage, StateMessage, StepMessage
from eval_flows.episodes.serving.session import UnknownSession
from eval_flows.episodes.serving.sessions import Sessions, SessionsUsedUp
from eval_flows.episodes.serving.suite_environment import EpisodeOver, find_task
from eval_flows.episodes.tasks.suite import suite_names
from machines.actions import MalformedAction
from machines.errors import MachineError, MachineNeeds, PluginError

Json = dict[str, Any]
_SPARE_THREADS = 8  # beside one for each session: for lists, and for calls that wait for their turn
_STATUS: dict[type[Exception], int] = {
    BadInput: 404,
    UnknownSession: 404,
    EpisodeOver: 409,
    RequestValidationError: 422,
    MalformedAction: 422,
    MachineError: 502,
    MachineNeeds: 502,
    PluginError: 502,
    SessionsUsedUp: 503,
}


def create_server(sessions: Sessions, token: str) -> FastAPI:
    """Return the server of these sessions. When it ends, every session ends."""

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        to_thread.current_default_thread_limiter().total_tokens = sessions.limits.sessions + _SPARE_THREADS
        closing = asyncio.create_task(_close_idle(sessions))
        yield
        closing.cancel()
        await to_thread.run_sync(sessions.end)

    app = FastAPI(title="Deskmill", lifespan=lifespan)
    app.add_middleware(_Guarded, token=token)
    for error in (*_STATUS, Exception):
        app.add_exception_handler(error, _told)
    _add_lists(app, sessions)
    _add_sessions(app, sessions)
    openenv.add(app, sessions)
    return app


def _add_lists(app: FastAPI, sessions: Sessions) -> None:
    @app.get("/health")
    def health() -> Json:
        return {"status": "healthy"}

    @app.get("/suites")
    def suites() -> list[str]:
        return suite_names()

    @app.get("/suites/{suite}")
    def episodes(suite: str) -> list[EpisodeMessage]:
        return [
            EpisodeMessage(
                number=number,
                episode=task.episode_id,
                level=task.level,
                instruction=task.instruction,
                applications=task.applications,
                steps=min(task.budget, sessions.limits.steps or task.budget),
            )
            for number, task in enumerate(sessions.tasks(suite))
        ]


def _add_sessions(app: FastAPI, sessions: Sessions) -> None:
    @app.post("/sessions", status_code=201)
    def create(asked: SessionMessage) -> Response:
        _, observed = sessions.open(asked.suite, asked.episode, asked.start, asked.pictures)
        return _as_it_is(observed, 201)

    @app.get("/sessions")
    def listed() -> list[str]:
        return sessions.identities

    @app.get("/sessions/{session}")
    def state(session: str) -> StateMessage:
        return sessions[session].state

    @app.get("/sessions/{session}/observation")
    def look(session: str) -> Response:
        """Observe elements and windows again; it is no step."""
        return _as_it_is(sessions[session].look())

    @app.get("/sessions/{session}/screenshot.png")
    def screenshot(session: str) -> Response:
        """Return the screenshot of the last reset or step."""
        picture = sessions[session].screenshot()
        if picture is None:
            raise BadInput("the session has no screenshot: it was opened with the pictures 'none'")
        return Response(picture, media_type="image/png")

    @app.post("/sessions/{session}/reset")
    def reset(session: str, asked: ResetMessage) -> Response:
        found = sessions[session]
        return _as_it_is(found.reset(find_task(sessions.tasks(found.suite), asked.episode), asked.start))

    @app.post("/sessions/{session}/step")
    def step(session: str, asked: StepMessage) -> Response:
        return _as_it_is(sessions[session].step(asked.deed))

    @app.post("/sessions/{session}/evaluate")
    def evaluate(session: str) -> Json:
        return sessions[session].evaluate()

    @app.delete("/sessions/{session}", status_code=204)
    def close(session: str) -> None:
        sessions.close(session)


def _as_it_is(observed: bytes, status: int = 200) -> Response:
    """Return an observation as the process of the session wrote it."""
    return Response(observed, status, media_type="application/json")


class _Guarded:
    """Refuses every call without the token, before anything of it is read."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._wanted = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan" or scope["path"] == "/health":
            await self._app(scope, receive, send)
            return
        given = dict(scope["headers"]).get(b"authorization", b"")
        if hmac.compare_digest(given, self._wanted):
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})  # before it is accepted: the client is told 403
        else:
            told = {"error": "give the server's token as 'Authorization: Bearer TOKEN'", "kind": "WrongToken"}
            await JSONResponse(told, 401, {"WWW-Authenticate": "Bearer"})(scope, receive, send)


def _told(_: Request, error: Exception) -> JSONResponse:
    kind = next((kind for kind in type(error).__mro__ if kind in _STATUS), type(error))
    text = str(error)
    if isinstance(error, RequestValidationError):
        text = "; ".join(f"{'.'.join(map(str, one['loc'][1:]))}: {one['msg']}" for one in error.errors())
    headers = {"Retry-After": str(error.retry_after)} if isinstance(error, SessionsUsedUp) else {}
    return JSONResponse({"error": text, "kind": kind.__name__}, _STATUS.get(kind, 500), headers)


async def _close_idle(sessions: Sessions) -> None:
    while True:
        await asyncio.sleep(min(5.0, sessions.limits.idle_seconds / 4))
        await to_thread.run_sync(sessions.close_idle)
