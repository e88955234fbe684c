"""Serving machines until it is told to end: the ports, and one server that answers at all of them."""

import contextlib
import socket
from collections.abc import Callable
from dataclasses import dataclass

import uvicorn
from fastapi import FastAPI
from starlette.types import ASGIApp, Receive, Scope, Send

from machines.errors import MachineNeeds
from machines.gateway.forwarding import forward
from machines.gateway.place import Place, Ports
from machines.gateway.places import Places, create_control
from machines.gateway.protocol import create_gateway
from machines.machine import Machine, MachineChoice

_CHROMIUM, _VLC = (9222, 1337), (8080,)  # where these listen on the machine: of Chrome a forwarder's port, and its own
_PORTS = 3  # of a machine
_GRACE_SECONDS = 5  # for requests that are under way when the server is told to end
_LOOPBACK = ("127.0.0.1", "localhost")


@dataclass(frozen=True)
class Served:
    """What is served: machines of a choice, `machines` at most, at a host and from a port on; 0 takes free ports."""

    choice: MachineChoice
    machines: int = 1
    host: str = "127.0.0.1"
    port: int = 0
    idle_seconds: float = 1800.0


def serve_machines(served: Served, say: Callable[[str], None]) -> None:
    """Serve until SIGTERM or SIGINT; then every machine is stopped. `MachineNeeds` if the machines cannot be served here."""
    machines = [served.choice.make() for _ in range(served.machines)]
    _refuse(machines)
    with contextlib.ExitStack() as opened:
        listening = _listening(served, opened)
        places = []
        apps: dict[int, ASGIApp] = {}
        for number, machine in enumerate(machines, 1):
            server, chromium, vlc = listening[1 + (number - 1) * _PORTS :][:_PORTS]
            place = Place(str(number), machine, Ports(_port(server), _port(chromium), _port(vlc)))
            apps[_port(server)] = create_gateway(place)
            forward(chromium, place, _CHROMIUM)
            forward(vlc, place, _VLC)
            places.append(place)
        control = create_control(Places(places, served.idle_seconds))
        say(f"http://{served.host}:{_port(listening[0])}")
        for place in places:
            say(f"machine {place.name}: http://{served.host}:{place.ports.server}, Chrome at {place.ports.chromium}, VLC at {place.ports.vlc}")
        if served.host not in _LOOPBACK:
            say("these ports ask for no token, as OSWorld's protocol has none: whoever reaches them has the machines")
        sockets = [listening[0], *listening[1::_PORTS]]
        config = uvicorn.Config(_ByPort(control, apps), log_level="warning", timeout_graceful_shutdown=_GRACE_SECONDS)
        uvicorn.Server(config).run(sockets=sockets)


class _ByPort:
    """Gives a request to the server of the port where it came."""

    def __init__(self, control: FastAPI, apps: dict[int, ASGIApp]) -> None:
        self._control = control
        self._apps = apps

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        port = 0 if scope["type"] == "lifespan" else int(scope["server"][1])
        await self._apps.get(port, self._control)(scope, receive, send)


def _refuse(machines: list[Machine]) -> None:
    """Raise `MachineNeeds` if these machines cannot be served."""
    first = machines[0]
    if first.offers.platform != "linux":
        raise MachineNeeds("only machines with Linux are served: one with Windows speaks the protocol of its own guest server")
    if first.exists_once:
        raise MachineNeeds("a machine that others run is not served again: let the harness ask its guest server itself")
    first.check()


def _listening(served: Served, opened: contextlib.ExitStack) -> list[socket.socket]:
    """Return the listening sockets: of the control, then those of each machine."""
    count = 1 + served.machines * _PORTS
    found = []
    for number in range(count):
        port = served.port + number if served.port else 0
        try:
            found.append(opened.enter_context(socket.create_server((served.host, port))))
        except (OSError, OverflowError) as error:
            ports = f"ports {served.port} to {served.port + count - 1}"
            raise MachineNeeds(f"cannot listen on {served.host}:{port} ({error}); {ports} are wanted: choose another --host or --port") from None
    return found


def _port(listening: socket.socket) -> int:
    return int(listening.getsockname()[1])
