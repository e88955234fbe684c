"""Protects connections that lead through the guest server to a port of the machine."""

import contextlib
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from machines.client import GuestClient
from machines.errors import MachineError
from machines.gateway.forwarding import forward
from machines.remote.network import client_of
from tests.machines.gateway.counted import Counted, place_of
from tests.machines.guest.fake import app_of, guest, serving


@pytest.fixture
def echo() -> Iterator[int]:
    """The port of a program that sends back what it gets, twice."""
    listening = socket.create_server(("127.0.0.1", 0))

    def answer() -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            with connection, contextlib.suppress(OSError):
                while came := connection.recv(65536):
                    connection.sendall(came * 2)

    threading.Thread(target=answer, daemon=True).start()
    yield listening.getsockname()[1]
    listening.shutdown(socket.SHUT_RDWR)
    listening.close()


def test_a_connection_leads_through_the_guest_server_to_a_port_of_the_machine(echo: int, tmp_path: Path) -> None:
    with serving(app_of(guest(tmp_path)[1])) as address, client_of(address, "secret") as http:
        client = GuestClient(http)
        with client.connection(echo) as there:
            sent = bytes(range(256)) * 400
            threading.Thread(target=there.sendall, args=(sent,), daemon=True).start()
            came = b""
            while len(came) < 2 * len(sent):
                came += there.recv(65536)
        assert sorted(came) == sorted(sent * 2)
        with pytest.raises(MachineError, match="nothing answers at port 1"), client.connection(1):
            pass
        machine = Counted()
        machine.guest = cast("Any", client)
        place = place_of(machine)
        place._is_started = True
        with socket.create_server(("127.0.0.1", 0)) as listening:
            forward(listening, place, (1, echo))
            with socket.create_connection(listening.getsockname()) as connection:
                connection.sendall(b"once ")
                assert connection.recv(100) == b"once once ", "the second port is tried where nothing answers at the first"
            listening.shutdown(socket.SHUT_RDWR)


def test_nobody_is_led_anywhere_without_the_token(echo: int, tmp_path: Path) -> None:
    with serving(app_of(guest(tmp_path)[1])) as address, client_of(address, "wrong") as http:
        connection = GuestClient(http).connection(echo)
        with pytest.raises(MachineError, match="401"), connection:
            pass
