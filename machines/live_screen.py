"""The host's side of the live screen: a connection on which a VNC server of the machine's screen speaks (RFB, RFC 6143)."""

import socket

from machines.errors import MachineError

_SECONDS = 10.0
_MOST_HEAD = 65_536  # bytes


def connect_live(name: str, token: str) -> socket.socket:
    """Return the connection, made over the Unix socket of a guest server; the VNC server ends when it is closed.

    `MachineError` if the guest does not answer, or shows no live screen.
    """
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(_SECONDS)
        connection.connect(name)
        asked = ["POST /live HTTP/1.1", "Host: guest", f"Authorization: Bearer {token}", "Connection: Upgrade", "Upgrade: rfb", "Content-Length: 0"]
        connection.sendall("".join(f"{line}\r\n" for line in [*asked, ""]).encode())
        status = _head(connection).split("\r\n", 1)[0]
        if " 101 " not in f"{status} ":
            raise MachineError(f"the guest shows no live screen: it answered {status!r}")
        connection.settimeout(None)
    except OSError as error:
        connection.close()
        raise MachineError(f"the live screen cannot be reached: {error}") from error
    except MachineError:
        connection.close()
        raise
    return connection


def _head(connection: socket.socket) -> str:
    """Return the head of the answer, and read not a byte more: what follows is the VNC server's."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        one = connection.recv(1)
        if not one or len(head) > _MOST_HEAD:
            raise MachineError("the guest shows no live screen: it ended the connection")
        head += one
    return head.decode("latin-1")
