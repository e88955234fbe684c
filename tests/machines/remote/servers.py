"""Small servers that speak as OSWorld's and Windows Agent Arena's guest servers do, and servers that misbehave. Code that they are sent is run."""

import base64
import contextlib
import functools
import io
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from flask import Flask, Response, jsonify, request, send_file
from PIL import Image
from werkzeug.serving import WSGIRequestHandler, make_server

from tests.machines.guest.fake import TREE

SCREEN = (200, 100)
WINDOWS = [
    {"identity": 1, "title": "Desk", "window_class": "Desk", "process": 7, "x": 0, "y": 0, "width": 200, "height": 100, "is_active": False},
    {
        "identity": 2,
        "title": "notes.txt - Editor",
        "window_class": "Editor",
        "process": 8,
        "x": 5,
        "y": 6,
        "width": 90,
        "height": 60,
        "is_active": True,
    },
]
_PYAUTOGUI = """
import json, os
log = os.environ["LOG"]
def _kept(name):
    def call(*places, **named):
        with open(log, "a") as file:
            file.write(json.dumps([name, *places, *([named] if named else [])]) + "\\n")
    return call
for name in ("moveTo", "click", "doubleClick", "rightClick", "tripleClick", "middleClick", "mouseDown", "mouseUp", "keyDown", "keyUp", "dragTo", "scroll", "hscroll", "write", "press", "hotkey"):
    globals()[name] = _kept(name)
position = lambda: (3, 4)
"""
_PYPERCLIP = """
import os, subprocess
def copy(text):
    open(os.environ["LOG"] + ".copied", "w", encoding="utf-8").write(text)
    subprocess.Popen(["sleep", "5"])  # as xclip, which stays behind with what it was given to write to
def paste(): return open(os.environ["LOG"] + ".copied", encoding="utf-8").read() if os.path.exists(os.environ["LOG"] + ".copied") else ""
"""


def png() -> bytes:
    file = io.BytesIO()
    Image.new("RGB", SCREEN, "teal").save(file, "PNG")
    return file.getvalue()


class Published:
    """What both servers do: files, commands, pictures. Its home folder is a folder of the test; a reset empties it."""

    system = "Linux"

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.log = folder / "log"
        self.modules = folder / "modules"
        self.modules.mkdir(parents=True)
        (self.modules / "pyautogui.py").write_text(_PYAUTOGUI)
        (self.modules / "pyperclip.py").write_text(_PYPERCLIP)
        (self.modules / "xclip").write_text('#!/bin/sh\ncp "$6" "$LOG.picture"\nsleep 5 &\n')
        (self.modules / "xclip").chmod(0o755)
        self.asked: list[tuple[str, Any]] = []
        self.tree = TREE
        self.resets = 0
        self.reset()
        self.app = Flask(f"{type(self).__name__}")
        self._add()

    def place(self, path: str) -> Path:
        """The place on this host of a path in the machine."""
        return Path(path)

    def reset(self) -> None:
        self.resets += 1
        self.is_full = False
        shutil.rmtree(self.home, ignore_errors=True)
        self.home.mkdir()

    @property
    def done(self) -> list[Any]:
        """What the code that was run did with mouse and keyboard."""
        return [json.loads(line) for line in self.log.read_text().splitlines()] if self.log.exists() else []

    def execute(self, command: Any) -> dict[str, Any]:
        if isinstance(command, list) and command[:2] == ["python", "-c"]:
            if "_NET_CLIENT_LIST_STACKING" in command[2] or "EnumWindows" in command[2]:
                return {"status": "success", "output": json.dumps(WINDOWS), "error": "", "returncode": 0}
            command = [sys.executable, *command[1:]]
        around = {**os.environ, "PYTHONPATH": str(self.modules), "LOG": str(self.log), "PATH": f"{self.modules}:{os.environ['PATH']}"}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=around, timeout=3)
        return {"status": "success", "output": done.stdout, "error": done.stderr, "returncode": done.returncode}

    def _add(self) -> None:
        app = self.app

        @app.before_request
        def keep() -> None:
            self.asked.append((request.path, request.get_json(silent=True)))

        answers: dict[str, Callable[[], Any]] = {
            "GET /platform": lambda: self.system,
            "GET /screenshot": lambda: Response(png(), mimetype="image/png"),
            "POST /screen_size": lambda: jsonify(width=SCREEN[0], height=SCREEN[1]),
            "GET /accessibility": lambda: jsonify(AT=self.tree),
            "POST /execute": lambda: jsonify(self.execute(request.get_json()["command"])),
            "POST /setup/activate_window": lambda: "Window activated successfully",
            "POST /setup/close_window": lambda: "Window closed successfully",
            "POST /setup/launch": lambda: "launched successfully",
        }
        for place, answer in answers.items():
            app.add_url_rule(place.split()[1], place, answer, methods=[place.split()[0]])

        @app.post("/file")
        def file() -> Any:
            path = self.place(request.form["file_path"])
            return send_file(path) if path.is_file() else (jsonify(error="File not found"), 404)

        @app.post("/setup/upload")
        def upload() -> Any:
            if self.is_full:
                return "No space left on device", 500
            request.files["file_data"].save(self.place(request.form["file_path"]))
            return "File Uploaded"

        @app.post("/list_directory")
        def list_directory() -> Any:
            path = self.place(request.get_json()["path"])
            if not path.is_dir():
                return jsonify(error="The provided path is not a directory"), 400
            return jsonify(
                directory_tree={"type": "directory", "name": path.name, "children": [{"type": "file", "name": one.name} for one in path.iterdir()]}
            )


class Osworld(Published):
    """OSWorld's server: no probe, and 404 in HTML for what it does not know."""


class Waa(Published):
    """Windows Agent Arena's server: a probe, `computer`, and 500 in JSON for any error."""

    system = "Windows"

    def place(self, path: str) -> Path:
        return self.home / path.removeprefix("C:\\Users\\Docker\\").replace("\\", "/")

    def _add(self) -> None:
        super()._add()
        self.computer: Any = None
        app = self.app
        app.add_url_rule("/probe", "probe", lambda: jsonify(status="Probe successful", message="Service is operational"))
        app.add_url_rule("/setup/close_all", "close_all", lambda: "closed", methods=["POST"])
        app.register_error_handler(Exception, lambda error: (jsonify(status="error", message=str(error)), 500))

        @app.post("/update_computer")
        def update_computer() -> Any:
            asked = request.get_json()
            self.computer = self._made(asked, Image.open(io.BytesIO(base64.b64decode(asked["screenshot"]))))
            return jsonify(success=True)

        @app.post("/execute_windows")
        def execute_windows() -> Any:
            command, said = request.get_json()["command"], io.StringIO()
            with contextlib.redirect_stdout(said):
                exec(command, {"computer": self.computer, "__builtins__": {**vars(__import__("builtins")), "__import__": self._imported}})
            if "error" in said.getvalue().lower():
                raise RuntimeError(said.getvalue())
            return jsonify(status="success")

    def _imported(self, name: str, *_: Any) -> Any:
        if name == "pyautogui":
            calls = ("moveTo", "click", "tripleClick", "middleClick", "mouseDown", "mouseUp", "keyDown", "keyUp", "scroll")
            return SimpleNamespace(**{call: functools.partial(self._keep, call) for call in calls})
        if name == "time":
            return SimpleNamespace(sleep=lambda seconds: None)
        assert name == "pyperclip"
        return SimpleNamespace(copy=lambda text: Path(f"{self.log}.copied").write_text(text, encoding="utf-8"))

    def _keep(self, *what: Any, **named: Any) -> None:
        with self.log.open("a") as file:
            file.write(json.dumps([*what, *([named] if named else [])]) + "\n")

    def _made(self, asked: dict[str, Any], picture: Image.Image) -> Any:
        """`computer`, which keeps what it is told as pyautogui would be told."""

        keep = self._keep
        left, top, right, bottom = asked["window_rect"]

        def place(x: float, y: float) -> tuple[int, int]:
            return left + int(x * (right - left)), top + int(y * (bottom - top))

        mouse = SimpleNamespace(
            move_abs=lambda x, y: keep("moveTo", *place(x, y)), drag=lambda x, y: keep("dragTo", *place(x, y)), single_click=lambda: keep("click"),
            double_click=lambda: keep("doubleClick"), right_click=lambda: keep("rightClick"), scroll=lambda dir="down": keep("scroll", 400 if dir == "up" else -400),
        )  # fmt: skip

        def press(key: str) -> None:
            keep("hotkey", *key.split("+" if "+" in key else "-")) if len(key) > 1 and ("+" in key or "-" in key) else keep("press", key)

        return SimpleNamespace(
            mouse=mouse,
            keyboard=SimpleNamespace(write=lambda text: keep("write", text), press=press),
            clipboard=SimpleNamespace(
                copy_text=print,
                paste=lambda: keep("hotkey", "ctrl", "v"),
                copy_image=lambda id, description="": keep("copy", *picture.crop(asked["rects"][id]).size),
            ),
            window_manager=SimpleNamespace(switch_to_application=lambda name: keep("switch", name)),
        )


class _Quiet(WSGIRequestHandler):
    """Answers over connections that stay open, without a log."""

    protocol_version = "HTTP/1.1"

    def log_request(self, *_: object) -> None:
        """Say nothing."""


@contextlib.contextmanager
def served(app: Flask, port: int = 0) -> Iterator[str]:
    """The address of an application that is served meanwhile."""
    server = make_server("127.0.0.1", port, app, threaded=True, request_handler=_Quiet)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextlib.contextmanager
def hook(reset: Any) -> Iterator[str]:
    """The address of a hook that resets."""
    app = Flask("hook")

    @app.post("/reset")
    def answer() -> Any:
        if os.environ.get("HOOK_TOKEN") and request.headers.get("Authorization") != f"Bearer {os.environ['HOOK_TOKEN']}":
            return "who are you?", 403
        reset()
        return "reverted to clean"

    with served(app) as address:
        yield f"{address}/reset"


@contextlib.contextmanager
def raw(answer: Any) -> Iterator[str]:
    """The address of a server that does with each connection what the test says; `answer` gets the connection and an event of the end."""
    listening, ended = socket.create_server(("127.0.0.1", 0)), threading.Event()

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listening.accept()
                threading.Thread(target=handle, args=(connection,), daemon=True).start()

    def handle(connection: socket.socket) -> None:
        with contextlib.suppress(OSError), connection:
            answer(connection, ended)

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        ended.set()
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
