"""Running the server until it is told to end: its token, its socket, and its end."""

import os
import secrets
import socket
from collections.abc import Callable

import uvicorn

from atomic_tasks.problems import BadInput
from eval_flows.episodes.serving.server import create_server
from eval_flows.episodes.serving.session import start_fork_server
from eval_flows.episodes.serving.sessions import Sessions

TOKEN_VARIABLE = "DESKMILL_TOKEN"
_GRACE_SECONDS = 5  # for calls that are under way when the server is told to end


def serve_sessions(sessions: Sessions, host: str, port: int, say: Callable[[str], None]) -> None:
    """Serve until SIGTERM or SIGINT; then every session ends. If the server is killed, its processes and machines end with it.

    The token is in the environment variable DESKMILL_TOKEN; without it, one is made and said. `BadInput` if nobody can listen there.
    """
    token = os.environ.get(TOKEN_VARIABLE) or secrets.token_urlsafe(24)
    try:
        listening = socket.create_server((host, port))
    except OSError as error:
        raise BadInput(f"cannot listen on {host}:{port} ({error.strerror or error}): choose another --host or --port") from None
    with listening:
        start_fork_server()
        say(f"http://{host}:{listening.getsockname()[1]}")
        if not os.environ.get(TOKEN_VARIABLE):
            say(f"{TOKEN_VARIABLE}={token}")
        config = uvicorn.Config(create_server(sessions, token), log_level="warning", timeout_graceful_shutdown=_GRACE_SECONDS)
        uvicorn.Server(config).run(sockets=[listening])
