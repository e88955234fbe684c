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

from flask import Flask, Response, jsonify, request

from machines.guest import files
from machines.guest.platform import ActionError, Window
from machines.guest.server import Guest

Json = dict[str, Any]
Answer = Json | Response | tuple[Response, int]
_COMMAND_SECONDS, _PYTHON_SECONDS, _WINDOW_SECONDS = 120.0, 30.0, 30.0
_NO_RECORDER = "this machine has no recorder: every step has its screenshot"


def add_protocol(app: Flask, guest: Guest) -> None:
    """Add the endpoints."""
    _add_commands(app, guest)
    _add_looking(app, guest)
    _add_windows(app, guest)
    files.add_files(app, guest)


def _asked() -> Json:
    found = request.get_json(silent=True)
    return found if isinstance(found, dict) else {}


def _add_commands(app: Flask, guest: Guest) -> None:
    platform = guest.platform

    def asked_command() -> list[str] | str:
        asked = _asked()
        return platform.command(asked.get("command", ""), bool(asked.get("shell", False)))

    def execute() -> Answer:
        command = asked_command()
        try:
            done = platform.run(command, _COMMAND_SECONDS)
        except (OSError, subprocess.TimeoutExpired) as error:
            return jsonify(status="error", message=str(error)), 500
        return {"status": "success", "output": _text(done.stdout), "error": _text(done.stderr), "returncode": done.returncode}

    app.post("/execute", endpoint="execute")(execute)
    app.post("/setup/execute", endpoint="setup_execute")(execute)

    @app.post("/setup/launch")
    def launch() -> str:
        command = asked_command()
        guest.actions.launch(command)
        return f"{command if isinstance(command, str) else ' '.join(command)} launched successfully"

    @app.post("/run_python")
    def run_python() -> Answer:
        try:
            done = platform.run([sys.executable, "-c", str(_asked().get("code", ""))], _PYTHON_SECONDS)
        except subprocess.TimeoutExpired as error:
            return jsonify(status="error", message=str(error), need_more=False, output="", error=str(error), return_code=-1), 500
        status = "success" if done.returncode == 0 else "error"
        said = {"output": _text(done.stdout), "error": _text(done.stderr), "return_code": done.returncode}
        return {"status": status, "message": said["output"] or said["error"], "need_more": False, **said}

    @app.post("/shutdown")
    def shutdown() -> Json:
        raise ActionError("the machine is stopped from outside")


def _add_looking(app: Flask, guest: Guest) -> None:
    @app.get("/screenshot")
    def screenshot() -> Response:
        return Response(guest.png(), mimetype="image/png")

    @app.get("/accessibility")
    def accessibility() -> Json:
        return {"AT": guest.tree()}

    @app.get("/obs_winagent")
    def obs_winagent() -> Json:
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
    def screen_size() -> Json:
        return {"width": guest.platform.screen.width, "height": guest.platform.screen.height}

    @app.get("/platform")
    def platform() -> str:
        return guest.platform.name

    @app.get("/cursor_position")
    def cursor_position() -> Response:
        return jsonify(guest.platform.input.position())

    def no_recorder() -> Answer:
        return jsonify(status="error", message=_NO_RECORDER), 501

    app.post("/start_recording", endpoint="start_recording")(no_recorder)
    app.post("/end_recording", endpoint="end_recording")(no_recorder)


def _add_windows(app: Flask, guest: Guest) -> None:
    @app.post("/window_size")
    def window_size() -> Answer:
        window = guest.actions.window(request.form["app_class_name"], by_class=True)
        return {"width": window.width, "height": window.height}

    @app.post("/setup/activate_window")
    def activate_window() -> str:
        guest.platform.activate(_named(guest))
        return "Window activated successfully"

    @app.post("/setup/close_window")
    def close_window() -> str:
        guest.platform.close(_named(guest))
        return "Window closed successfully"

    @app.post("/setup/close_all")
    def close_all() -> str:
        for window in guest.platform.windows():
            guest.platform.close(window)
        return "All windows were asked to close"

    @app.post("/setup/open_file")
    def open_file() -> Answer:
        place = Path(str(_asked().get("path", "")))
        if not place.is_file():
            raise ActionError(f"there is no file {place}")
        guest.platform.open_file(place)
        until = time.monotonic() + _WINDOW_SECONDS
        while time.monotonic() < until:
            if any(place.name in window.title for window in guest.platform.windows()):
                return {"status": "success"}
            time.sleep(0.05)
        return jsonify(status="error", message=f"no window with '{place.name}' in its title came within {_WINDOW_SECONDS:.0f} s"), 500


def _named(guest: Guest) -> Window:
    asked = _asked()
    return guest.actions.window(str(asked.get("window_name", "")), bool(asked.get("strict", False)), bool(asked.get("by_class", False)))


def _text(said: bytes) -> str:
    return said.decode(errors="replace")
