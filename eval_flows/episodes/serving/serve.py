"""Running the server until it is told to end: its token, its socket, and its end."""

import os
import secrets
from collections.abc import Callable

import uvicorn

from eval_flows.episodes.listening import TOKEN_VARIABLE, listening_at
from eval_flows.episodes.runs.fork_server import fork_server
from eval_flows.episodes.serving.server import create_server
from eval_flows.episodes.serving.sessions import Sessions

_GRACE_SECONDS = 5  # for calls that are under way when the server is told to end


def serve_sessions(sessions: Sessions, host: str, port: int, say: Callable[[str], None]) -> None:
    """Serve until SIGTERM or SIGINT; then every session ends. If the server is killed, its processes and machines end with it.

    The token is in the environment variable DESKMILL_TOKEN; without it, one is made and said. `BadInput` if nobody can listen there.
    """
    token = os.environ.get(TOKEN_VARIABLE) or secrets.token_urlsafe(24)
    with listening_at(host, port) as listening:
        fork_server()
        say(f"http://{host}:{listening.getsockname()[1]}")
        if not os.environ.get(TOKEN_VARIABLE):
            say(f"{TOKEN_VARIABLE}={token}")
        config = uvicorn.Config(create_server(sessions, token), log_level="warning", timeout_graceful_shutdown=_GRACE_SECONDS)
        uvicorn.Server(config).run(sockets=[listening])
