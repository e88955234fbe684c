"""Ports of this host that lead to ports of a machine: the harness asks Chrome and VLC there itself."""

import contextlib
import socket
import threading
from collections.abc import Sequence

from machines.client import GuestClient
from machines.errors import MachineError
from machines.gateway.place import Place
from machines.guest.relay import relay


def forward(listening: socket.socket, place: Place, ports: Sequence[int]) -> None:
    """Carry each connection that comes to the first of some ports of the machine where anything answers; close it if none does."""

    def accept() -> None:
        with contextlib.suppress(OSError):  # it was closed
            while True:
                connection, _ = listening.accept()
                threading.Thread(target=_carry, args=(connection, place, ports), name="forwarded", daemon=True).start()

    threading.Thread(target=accept, name="forwarding", daemon=True).start()


def _carry(connection: socket.socket, place: Place, ports: Sequence[int]) -> None:
    with connection:
        for port in ports:
            with contextlib.suppress(MachineError, OSError):
                client = place.client
                if not isinstance(client, GuestClient):
                    return
                with client.connection(port) as there:
                    relay(connection, there)
                    return
