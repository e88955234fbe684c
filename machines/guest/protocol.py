"""The endpoints of OSWorld and of Windows Agent Arena, so that their harnesses can drive this machine.

Where the two differ, OSWorld's form is used. A failure has a status of 400 or more: a failed launch, or a missing window, is never
answered with success. The guest fetches nothing from the network and records nothing: endpoints that would say so.
"""

import base64
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from machines.guest import files
from machines.guest.platform import ActionError, Window
from machines.guest.server import Guest
from machines.guest.web import Answer, Application, Request

Json = dict[str, Any]
_COMMAND_SECONDS, _PYTHON_SECONDS, _WINDOW_SECONDS = 120.0, 30.0, 30.0
_NO_RECORDER = "this machine has no recorder: every step has its screenshot"


def add_protocol(app: Application, guest: Guest) -> None:
    """Add the endpoints."""
    _add_commands(app, guest)
    _add_looking(app, guest)
    _add_windows(app, guest)
    files.add_files(app, guest)


def _add_commands(app: Application, guest: Guest) -> None:
    platform = guest.platform

    def asked_command(request: Request) -> list[str] | str:
        asked = request.json_if_any
        return platform.command(asked.get("command", ""), bool(asked.get("shell", False)))

    def execute(request: Request) -> Json | Answer:
        command = asked_command(request)
        try:
            done = platform.run(command, _COMMAND_SECONDS)
        except (OSError, subprocess.TimeoutExpired) as error:
            return Answer.error(500, str(error))
        return {"status": "success", "output": _text(done.stdout), "error": _text(done.stderr), "returncode": done.returncode}

    app.post("/execute")(execute)
    app.post("/setup/execute")(execute)

    @app.post("/setup/launch")
    def launch(request: Request) -> str:
        command = asked_command(request)
        guest.actions.launch(command)
        return f"{command if isinstance(command, str) else ' '.join(command)} launched successfully"

    @app.post("/run_python")
    def run_python(request: Request) -> Json | Answer:
        try:
            done = platform.run([sys.executable, "-c", str(request.json_if_any.get("code", ""))], _PYTHON_SECONDS)
        except subprocess.TimeoutExpired as error:
            return Answer.of(500, status="error", message=str(error), need_more=False, output="", error=str(error), return_code=-1)
        status = "success" if done.returncode == 0 else "error"
        said = {"output": _text(done.stdout), "error": _text(done.stderr), "return_code": done.returncode}
        return {"status": status, "message": said["output"] or said["error"], "need_more": False, **said}

    @app.post("/shutdown")
    def shutdown(_: Request) -> Json:
        raise ActionError("the machine is stopped from outside")


def _add_looking(app: Application, guest: Guest) -> None:
    @app.get("/screenshot")
    def screenshot(_: Request) -> Answer:
        return Answer(200, guest.png(), "image/png")

    @app.get("/accessibility")
    def accessibility(_: Request) -> Json:
        return {"AT": guest.tree(guest.platform.windows())}

    @app.get("/obs_winagent")
    def obs_winagent(_: Request) -> Json:
        windows = guest.platform.windows()
        front = next((window for window in windows if window.is_active), None)
        return {
            "image": base64.b64encode(guest.png()).decode(),
            "window_title": front.title if front else "",
            "rect": [front.x, front.y, front.x + front.width, front.y + front.height] if front else [0, 0, 0, 0],
            "window_names_str": "\n".join(window.title for window in windows),
            "computer_clipboard": guest.platform.copied(),
            "human_input": "",
            "status": "success",
        }

    @app.post("/screen_size")
    def screen_size(_: Request) -> Json:
        return {"width": guest.platform.screen.width, "height": guest.platform.screen.height}

    @app.get("/platform")
    def platform(_: Request) -> str:
        return guest.platform.name

    @app.get("/cursor_position")
    def cursor_position(_: Request) -> list[int]:
        return list(guest.platform.input.position())

    def no_recorder(_: Request) -> Answer:
        return Answer.error(501, _NO_RECORDER)

    app.post("/start_recording")(no_recorder)
    app.post("/end_recording")(no_recorder)


def _add_windows(app: Application, guest: Guest) -> None:
    @app.post("/window_size")
    def window_size(request: Request) -> Json:
        window = guest.actions.window(request.field("app_class_name"), by_class=True)
        return {"width": window.width, "height": window.height}

    @app.post("/setup/activate_window")
    def activate_window(request: Request) -> str:
        guest.platform.activate(_named(guest, request))
        return "Window activated successfully"

    @app.post("/setup/close_window")
    def close_window(request: Request) -> str:
        guest.platform.close(_named(guest, request))
        return "Window closed successfully"

    @app.post("/setup/close_all")
    def close_all(_: Request) -> str:
        for window in guest.platform.windows():
            guest.platform.close(window)
        return "All windows were asked to close"

    @app.post("/setup/open_file")
    def open_file(request: Request) -> Json | Answer:
        place = Path(str(request.json_if_any.get("path", "")))
        if not place.is_file():
            raise ActionError(f"there is no file {place}")
        guest.platform.open_file(place)
        until = time.monotonic() + _WINDOW_SECONDS
        while time.monotonic() < until:
            if any(place.name in window.title for window in guest.platform.windows()):
                return {"status": "success"}
            time.sleep(0.05)
        return Answer.error(500, f"no window with '{place.name}' in its title came within {_WINDOW_SECONDS:.0f} s")


def _named(guest: Guest, request: Request) -> Window:
    asked = request.json_if_any
    return guest.actions.window(str(asked.get("window_name", "")), bool(asked.get("strict", False)), bool(asked.get("by_class", False)))


def _text(said: bytes) -> str:
    return said.decode(errors="replace")
