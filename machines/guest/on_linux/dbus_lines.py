"""Connections to the programs that are asked: the accessibility bus, and beside it a line to each program that offers one.

Over the bus, a daemon reads and writes every message once more, which takes as long as all the rest. Programs of GTK, LibreOffice and Chromium also
listen on a socket of their own (`GetApplicationBusAddress` of AT-SPI); those of Qt do not.
"""

import contextlib
import socket
from collections.abc import Collection
from struct import unpack_from

from jeepney.auth import AuthenticationError
from jeepney.io.blocking import DBusConnection, prep_socket

from machines.guest.on_linux.dbus_messages import aligned

_LARGEST, _LARGEST_OF_PROGRAM = 128 * 2**20, 8 * 2**20  # bytes of a message: by the specification, and of what a program sends past the daemon
_AT_ONCE = 2**18  # bytes that are read together
_SIGNS_ON_WITHIN = 0.3  # seconds; of a program that hangs, the bus will tell
_OWN_SOCKET = "unix:path="


class Line:
    """One connection, and what has arrived on it that is no whole message yet."""

    def __init__(self, connected: socket.socket, largest: int = _LARGEST) -> None:
        self._socket = connected
        self._largest = largest
        self._unread = bytearray()

    def fileno(self) -> int:
        """Return the number of its socket, to wait for several lines at once."""
        return self._socket.fileno()

    def send(self, messages: bytes | bytearray, seconds: float) -> None:
        """Send messages within so many seconds; `ConnectionError` otherwise: after a part of a message nothing else can be sent."""
        self._socket.settimeout(max(0.001, seconds))
        try:
            self._socket.sendall(messages)
        except TimeoutError:
            raise ConnectionError("nobody reads on this line") from None

    def received(self) -> list[bytes]:
        """Return the messages that have arrived completely, once something has arrived; `ConnectionError` if the line has ended."""
        more = self._socket.recv(_AT_ONCE)
        if not more:
            raise ConnectionError("the line has ended")
        self._unread += more
        found, start = [], 0
        while len(self._unread) - start >= 16:
            body, _, fields = unpack_from("<III", self._unread, start + 4)
            size = 16 + aligned(fields, 8) + body
            if size > self._largest:
                raise ConnectionError("the messages of this line cannot be read")
            if len(self._unread) - start < size:
                break
            found.append(bytes(self._unread[start : start + size]))
            start += size
        del self._unread[:start]
        return found

    def close(self) -> None:
        """Close it."""
        self._socket.close()


class Lines:
    """All lines that are open, and the numbers of messages on them."""

    def __init__(self, bus: DBusConnection) -> None:
        self.bus = Line(bus.sock)
        self._numbers = bus.outgoing_serial
        self._own: dict[str, Line | None] = {}  # None for a program that has no line

    def number(self) -> int:
        """Return a number for a message that no other message has."""
        number: int = next(self._numbers)
        return number

    def of(self, program: str) -> Line:
        """Return the line on which a program, by its name on the bus, is asked."""
        return self._own.get(program) or self.bus

    def unknown(self, programs: Collection[str]) -> list[str]:
        """Return those of the programs that were not added yet, and close the lines of all others."""
        for gone in set(self._own) - set(programs):
            if line := self._own.pop(gone):
                line.close()
        return [program for program in programs if program not in self._own]

    def add(self, program: str, address: str) -> None:
        """Open the line of a program at the address that it tells; without such a line, or if nobody answers there, it is asked over the bus."""
        self._own[program] = None
        if address.startswith(_OWN_SOCKET):
            with contextlib.suppress(OSError, AuthenticationError):
                connected = prep_socket(address.removeprefix(_OWN_SOCKET).partition(",")[0], timeout=_SIGNS_ON_WITHIN)
                self._own[program] = Line(connected, _LARGEST_OF_PROGRAM)

    def end(self, line: Line) -> None:
        """Close a line that has ended; from then on its program is asked over the bus. `ConnectionError` if it is the bus."""
        if line is self.bus:
            raise ConnectionError("the accessibility bus has ended")
        self._own |= {program: None for program, own in self._own.items() if own is line}
        line.close()

    def close(self) -> None:
        """Close all lines."""
        self.unknown(())
        self.bus.close()
