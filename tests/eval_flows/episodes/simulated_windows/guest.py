"""Serves the simulated guest, with a hook that resets it, and declares it as a remote machine."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import yaml

from machines.guest import files
from machines.guest.protocol import add_protocol
from machines.guest.server import Guest, create_app
from machines.guest.web import Request, serve
from tests.eval_flows.episodes.simulated_windows.disk import HOME
from tests.eval_flows.episodes.simulated_windows.platform import SimulatedWindows

TOKEN, VARIABLE = "of the simulated guest", "SIMULATED_WINDOWS_TOKEN"
PROGRAMS = yaml.safe_load(
    """
notepad: {command: [notepad.exe], window_class: Notepad}
calculator: {command: [calc.exe], window_class: ApplicationFrameWindow}
paint: {command: [mspaint.exe], window_class: MSPaintApp}
file_explorer: {command: [explorer.exe], window_class: CabinetWClass}
windows_settings: {command: [explorer.exe, "ms-settings:"], window_class: ApplicationFrameWindow}
microsoft_edge: {command: [msedge.exe], window_class: Chrome_WidgetWin_1}
"""
)


@contextmanager
def served(folder: Path) -> Iterator[tuple[SimulatedWindows, Path]]:
    """Serve it over HTTP; the platform, and the file that declares it as a remote machine. `VARIABLE` must hold `TOKEN`."""
    platform = SimulatedWindows(folder / "home")
    guest = Guest(platform, {})
    app = create_app(guest, TOKEN)
    with mock.patch.object(files, "_place", lambda _, given: platform.disk.local(given)):
        add_protocol(app, guest)

        @app.post("/reset")
        def reset(_: Request) -> str:
            platform.reset()
            return "done"

        listening = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=serve, args=(app, listening), daemon=True).start()
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        declared = {
            "address": address,
            "token_variable": VARIABLE,
            "dialect": "deskmill",
            "platform": "windows",
            "screen": {"width": 1280, "height": 800},
            "user": "Docker",
            "home": HOME,
            "snapshot": "simulated",
            "programs": PROGRAMS,
            "reset": {"url": f"{address}/reset", "token_variable": VARIABLE, "seconds": 10},
        }
        path = folder / "simulated.yaml"
        path.write_text(yaml.safe_dump(declared))
        yield platform, path
