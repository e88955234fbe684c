"""The protocol of OSWorld's guest server for one machine, as its harness asks (`desktop_env/server/main.py` and `desktop_env/controllers/`).

Answers have the forms of theirs. Where theirs succeeds in silence (no window has the name, a command does not exist), this answers with a status of
400 or more and says why. What no machine here can do is refused in words: it fetches nothing from a network but from the machine itself.
"""

import re
import time
from collections.abc import Callable
from typing import Annotated, Any
from urllib.parse import urlsplit

from fastapi import Depends, FastAPI, Request, Response
from fastapi.responses import JSONResponse, PlainTextResponse
from starlette.datastructures import FormData, UploadFile

from machines.client import Json, as_json
from machines.errors import MachineError, MachineNeeds, RefusedAction
from machines.gateway.place import NotStarted, Place
from machines.gateway.terminal import shown_in_terminal
from machines.gateway.wallpaper import change_wallpaper, wallpaper_of

_THE_MACHINE = ("localhost", "127.0.0.1", "::1")  # addresses of servers on the machine itself
_IS_LOCALHOST = re.compile(r"^(\w+://)localhost\b", re.IGNORECASE)  # a machine without /etc/hosts does not know the name
_DOWNLOAD = """
import pathlib, shutil, urllib.request
place = pathlib.Path({path!r}).expanduser()
place.parent.mkdir(parents=True, exist_ok=True)
with urllib.request.urlopen({address!r}, timeout=20) as answer, place.open("wb") as file:
    shutil.copyfileobj(answer, file)
"""
_PYTHON_SECONDS, _SCRIPT_SECONDS = 30.0, 100.0
_STATUS: dict[type[Exception], int] = {RefusedAction: 400, ValueError: 400, NotStarted: 503, MachineNeeds: 501, MachineError: 500}
_NO_NETWORK = "this machine fetches nothing from a network: the harness fetches the file, and sends it to /setup/upload"
_NO_WALLPAPER = "the desktop of this machine has no wallpaper: /setup/change_wallpaper sets one"


class Refused(Exception):
    """A request that is refused, with its status and the words for it."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


async def _body(request: Request) -> Json:
    """Return the JSON of a request, whatever it says that it is."""
    content = await request.body()
    try:
        found = as_json(content) if content else {}
    except ValueError as error:
        raise Refused(400, f"the body is not JSON: {error}") from None
    if not isinstance(found, dict):
        raise Refused(400, "the body is not an object of JSON")
    return found


async def _form(request: Request) -> FormData:
    return await request.form()


Body = Annotated[Json, Depends(_body)]
Form = Annotated[FormData, Depends(_form)]


def create_gateway(place: Place) -> FastAPI:
    """Return the server of the machine at a place."""
    app = FastAPI(title="A machine of Deskmill", openapi_url=None)
    for error in (*_STATUS, Exception):
        app.add_exception_handler(error, _told)
    app.add_exception_handler(Refused, _told_refused)
    _add_looking(app, place)
    _add_recording(app, place)
    _add_files(app, place)
    _add_commands(app, place)
    _add_scripts(app, place)
    _add_windows(app, place)
    return app


def _add_looking(app: FastAPI, place: Place) -> None:
    @app.get("/platform")
    def platform() -> Response:
        return PlainTextResponse(place.offers.platform.capitalize())

    @app.get("/screenshot")
    def screenshot() -> Response:
        return Response(place.screenshot, media_type="image/png")

    @app.get("/accessibility")
    def accessibility() -> Json:
        return {"AT": _tree(place)}

    @app.get("/terminal")
    def terminal() -> Json:
        return {"output": shown_in_terminal(_tree(place)), "status": "success"}

    @app.get("/cursor_position")
    def cursor_position() -> Any:
        return place.client.state()["cursor"]

    @app.post("/screen_size")
    def screen_size() -> Json:
        return dict(zip(("width", "height"), place.offers.screen, strict=True))

    @app.post("/window_size")
    def window_size(form: Form) -> Json:
        wanted = _field(form, "app_class_name").lower()
        for window in reversed(place.client.observe(["windows"]).windows or ()):
            if window.window_class.lower() == wanted:
                return {"width": window.width, "height": window.height}
        raise Refused(404, f"no window is of the class {wanted}")

    @app.post("/wallpaper")
    def wallpaper() -> Response:
        if (found := wallpaper_of(place.client)) is None:
            raise Refused(404, _NO_WALLPAPER)
        return Response(found, media_type="application/octet-stream")

    @app.post("/setup/change_wallpaper")
    def to_wallpaper(asked: Body) -> Response:
        path = place.commands.here(_text(asked, "path"))
        if place.client.file(path) is None:
            raise Refused(404, f"File not found: {path}")
        change_wallpaper(place.client, path)
        return PlainTextResponse("Wallpaper changed successfully")


def _add_recording(app: FastAPI, place: Place) -> None:
    @app.post("/start_recording")
    def start_recording() -> Json:
        if not place.record():
            raise Refused(400, "Recording is already in progress.")
        return {"status": "success", "message": "Started recording."}

    @app.post("/end_recording")
    def end_recording() -> Response:
        film = place.recorded()
        if film is None:
            raise Refused(400, "No recording in progress to stop.")
        return Response(film, media_type="video/mp4")


def _add_files(app: FastAPI, place: Place) -> None:
    @app.post("/desktop_path")
    def desktop_path() -> Json:
        return {"desktop_path": f"{place.offers.home}/Desktop"}

    @app.post("/list_directory")
    def list_directory(asked: Body) -> Json:
        path = place.commands.here(_text(asked, "path")).rstrip("/")
        children = place.client.listing(path or "/")
        if children is None:
            raise Refused(400, "The provided path is not a directory")
        return {"directory_tree": {"type": "directory", "name": path.rpartition("/")[2], "children": children}}

    @app.post("/file")
    def file(form: Form) -> Response:
        content = place.client.file(place.commands.here(_field(form, "file_path")))
        if content is None:
            return JSONResponse({"error": "File not found"}, 404)
        return Response(content, media_type="application/octet-stream")

    @app.post("/setup/upload")
    def upload(form: Form) -> Response:
        sent = form.get("file_data")
        if not isinstance(sent, UploadFile):
            return JSONResponse({"error": "file_path and file_data are required"}, 400)
        place.client.upload(place.commands.here(_field(form, "file_path")), sent.file.read())
        return PlainTextResponse("File Uploaded")

    @app.post("/setup/download_file")
    def download_file(asked: Body) -> Response:
        address, path = _text(asked, "url"), place.commands.here(_text(asked, "path"))
        if urlsplit(address).hostname not in _THE_MACHINE:
            raise Refused(501, _NO_NETWORK)
        done = place.commands.run_python(_DOWNLOAD.format(address=_IS_LOCALHOST.sub(r"\g<1>127.0.0.1", address), path=path), _PYTHON_SECONDS)
        if done["returncode"]:
            raise Refused(500, f"Failed to download {address}: {str(done['error']).strip().splitlines()[-1:]}")
        return PlainTextResponse("File downloaded successfully")


def _add_commands(app: FastAPI, place: Place) -> None:
    @app.post("/execute")
    @app.post("/setup/execute")
    def execute(asked: Body) -> Json:
        return _done(place.commands.execute(asked.get("command", []), bool(asked.get("shell", False))))

    @app.post("/execute_with_verification")
    @app.post("/setup/execute_with_verification")
    def verified(asked: Body) -> Response:
        done = execute(asked)
        wanted = asked.get("verification") or {}
        begun, seconds = time.monotonic(), float(asked.get("max_wait_time", 10))
        while wanted and not _holds(place, wanted):
            if time.monotonic() - begun > seconds:
                return JSONResponse({**done, "status": "verification_failed", "verification": "failed", "wait_time": seconds}, 500)
            time.sleep(float(asked.get("check_interval", 1)))
        return JSONResponse({**done, "verification": "passed", "wait_time": time.monotonic() - begun} if wanted else done)

    @app.post("/setup/launch")
    def launch(asked: Body) -> Response:
        said = place.commands.launch(asked.get("command", []), bool(asked.get("shell", False)))
        return PlainTextResponse(f"{said} launched successfully")


def _add_scripts(app: FastAPI, place: Place) -> None:
    @app.post("/run_python")
    def run_python(asked: Body) -> Response:
        try:
            done = place.commands.run_python(_text(asked, "code"), _PYTHON_SECONDS)
        except TimeoutError as error:
            told = {"status": "error", "message": f"Execution timeout: {error}", "error": "TimeoutExpired", "need_more": False, "output": None}
            return JSONResponse(told, 500)
        message = "\n".join(part for part in (done["output"], done["error"]) if part)
        said = {"output": done["output"], "error": done["error"], "return_code": done["returncode"]}
        return JSONResponse({"status": "error" if done["returncode"] else "success", "message": message, "need_more": False, **said})

    @app.post("/run_bash_script")
    def run_bash_script(asked: Body) -> Response:
        try:
            done = place.commands.run_script(_text(asked, "script"), float(asked.get("timeout") or _SCRIPT_SECONDS), asked.get("working_dir"))
        except TimeoutError as error:
            return JSONResponse({"status": "error", "output": f"Script execution timed out: {error}", "error": "", "returncode": -1}, 500)
        status = "error" if done["returncode"] else "success"
        return JSONResponse({"status": status, "output": done["output"], "error": "", "returncode": done["returncode"]})


def _add_windows(app: FastAPI, place: Place) -> None:
    def on_window(asked: Json, change: Callable[[str, bool, bool], bool], done: str) -> Response:
        name = _text(asked, "window_name")
        if not change(name, bool(asked.get("strict", False)), bool(asked.get("by_class", False))):
            raise Refused(404, f"Window {name} not found")
        return PlainTextResponse(f"Window {done} successfully")

    @app.post("/setup/activate_window")
    def activate_window(asked: Body) -> Response:
        return on_window(asked, place.client.activate_window, "activated")

    @app.post("/setup/close_window")
    def close_window(asked: Body) -> Response:
        return on_window(asked, place.client.close_window, "closed")

    @app.post("/setup/open_file")
    def open_file(asked: Body) -> Response:
        place.commands.open_file(_text(asked, "path"))
        return PlainTextResponse("File opened and window activated successfully")


def _tree(place: Place) -> str:
    return place.client.observe(["tree"]).tree or ""


def _holds(place: Place, wanted: Json) -> bool:
    """Tell whether what a command was to bring about is there: a window, or the success of another command."""
    if name := wanted.get("window_exists"):
        windows = place.client.observe(["windows"]).windows or ()
        if not any(str(name).lower() in window.title.lower() for window in windows):
            return False
    if command := wanted.get("command_success"):
        return bool(place.commands.execute(command, shell=True)["returncode"] == 0)
    return True


def _done(said: Json) -> Json:
    return {"status": "success", **{name: said[name] for name in ("output", "error", "returncode")}}


def _text(asked: Json, name: str) -> str:
    found = asked.get(name)
    if not isinstance(found, str) or not found:
        raise Refused(400, f"{name} is required")
    return found


def _field(form: FormData, name: str) -> str:
    found = form.get(name)
    if not isinstance(found, str) or not found:
        raise Refused(400, f"{name} is required")
    return found


def _told(_: Request, error: Exception) -> JSONResponse:
    kind = next((kind for kind in type(error).__mro__ if kind in _STATUS), type(error))
    words = str(error) if kind in _STATUS else f"{type(error).__name__}: {error}"
    return JSONResponse({"status": "error", "message": words}, _STATUS.get(kind, 500))


def _told_refused(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, Refused)
    return JSONResponse({"status": "error", "message": str(error), "error": str(error)}, error.status)
