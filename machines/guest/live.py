"""The live screen: a connection to the guest server becomes a connection to a VNC server of the screen, as long as a person looks.

The VNC server gets the connection itself, so nothing listens for viewers inside the machine, and without viewers nothing runs.
"""

from collections.abc import Callable

from machines.guest.web import Application, Request

_SWITCHED = b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: rfb\r\n\r\n"


def add_live(app: Application, show: Callable[[int], None]) -> None:
    """Add the endpoint; `show` serves the screen on the file descriptor of a connection until the viewer has gone."""

    @app.post("/live")
    def live(request: Request) -> None:
        request.connection.sendall(_SWITCHED)
        show(request.connection.fileno())
