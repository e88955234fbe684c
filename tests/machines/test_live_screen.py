"""Protects the live screen of a machine: a VNC server answers as long as somebody looks, and nothing of it runs otherwise."""

import socket
import threading
import time
from collections.abc import Callable

import pytest

from machines.errors import MachineError
from machines.image import Image
from machines.live_screen import connect_live
from machines.machine import MachineChoice
from machines.qemu import VirtualMachine
from machines.sandbox import Sandbox


def viewers(machine: Sandbox) -> int:
    """The VNC servers that run in a machine."""
    return len(str(machine.client.execute("pgrep -x x11vnc || true", shell=True)["output"]).split())


def soon(holds: Callable[[], bool]) -> bool:
    until = time.monotonic() + 60
    while not holds() and time.monotonic() < until:
        time.sleep(0.1)
    return holds()


@pytest.mark.slow(minutes=0.5)
def test_a_viewer_has_a_server_of_their_own_for_as_long_as_they_look(image: Image) -> None:
    with MachineChoice("sandbox", "smoke", image.machines).make() as machine:
        assert isinstance(machine, Sandbox) and machine.offers.shows_live
        assert viewers(machine) == 0
        with machine.live_screen() as one, machine.live_screen() as other:
            one.settimeout(60)
            other.settimeout(60)
            assert one.recv(12) == other.recv(12) == b"RFB 003.008\n"
            assert viewers(machine) == 2
            assert machine.client.settle(0.1, 30.0), "who looks does not keep the screen from being still"
        assert soon(lambda: viewers(machine) == 0)
        assert machine.client.state()["starts"] == 1, "the guest answers as before"


def test_a_machine_that_does_not_run_or_shows_none_says_so(image: Image) -> None:
    with pytest.raises(MachineError, match="not running"):
        Sandbox(image).live_screen()
    with pytest.raises(MachineError, match="no live screen"):
        VirtualMachine(image).live_screen()
    assert not VirtualMachine(image).offers.shows_live


@pytest.mark.parametrize("answer", [b"HTTP/1.1 404 NOT FOUND\r\n\r\n", b""], ids=["an earlier guest", "an end"])
def test_a_guest_that_shows_no_screen_is_told(answer: bytes) -> None:
    name = f"\0deskmill-test-{time.monotonic_ns()}"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(name)
        listening.listen(1)
        listening.settimeout(60)

        def serve() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(1000)
                connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        with pytest.raises(MachineError, match="shows no live screen"):
            connect_live(name, "token")
        thread.join()
