"""A connection from the host to a port of this machine: the connection that carries the request becomes it."""

import socket

from machines.guest.platform import ActionError
from machines.guest.relay import START, relay
from machines.guest.web import Application, Request

_SECONDS = 5.0
_SWITCHED = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: tcp\r\nConnection: Upgrade\r\n\r\n"


def add_forwarding(app: Application) -> None:
    """Add the endpoint."""

    @app.post("/forward")
    def forward(request: Request) -> None:
        port = int(request.json["port"])
        try:
            there = socket.create_connection(("127.0.0.1", port), timeout=_SECONDS)
        except OSError as error:
            raise ActionError(f"nothing answers at port {port}: {error}") from error
        here = request.connection
        with there:
            there.settimeout(None)
            here.sendall(_SWITCHED)
            if here.recv(1) == START:
                relay(here, there)
