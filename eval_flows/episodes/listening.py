"""Where a server listens, and the variable with its token: the same for every server of Deskmill."""

import socket

from atomic_tasks.problems import BadInput

TOKEN_VARIABLE = "DESKMILL_TOKEN"


def listening_at(host: str, port: int) -> socket.socket:
    """Return a socket that listens there; port 0 takes a free one. `BadInput` if nobody can listen there."""
    try:
        return socket.create_server((host, port))
    except OSError as error:
        raise BadInput(f"cannot listen on {host}:{port} ({error.strerror or error}): choose another --host or --port") from None
