"""Carrying bytes between two connections: the host and the guest server both do it for a connection to a port of the machine."""

import contextlib
import select
import socket

_AT_ONCE = 65536
START = b"\0"  # what the host sends first: until then nothing may follow the answer of the guest server, which is read with a buffer


def relay(one: socket.socket, other: socket.socket) -> None:
    """Carry bytes between two connections until one of them ends."""
    way = {one: other, other: one}
    with contextlib.suppress(OSError):
        while True:
            for ready in _ready(one, other):
                came = ready.recv(_AT_ONCE)
                if not came:
                    return
                way[ready].sendall(came)


def _ready(one: socket.socket, other: socket.socket) -> list[socket.socket]:
    try:
        return select.select([one, other], [], [])[0]
    except ValueError:
        if min(one.fileno(), other.fileno()) >= 0:  # more files are open than can be waited for
            raise
        raise ConnectionAbortedError("another thread has closed the connection") from None
