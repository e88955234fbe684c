"""Files of the guest: fetching, uploading, listing, and the predicates of Windows Agent Arena. It only ever reads regular files."""

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from machines.guest.platform import ActionError, Platform
from machines.guest.web import Answer, Application, Request

if TYPE_CHECKING:
    from machines.guest.server import Guest

Json = dict[str, Any]
_LARGEST = 256 * 2**20  # bytes of the largest file that is fetched
_MOST_ENTRIES = 20_000
_READ = sum(getattr(os, name, 0) for name in ("O_RDONLY", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY", "O_NOINHERIT"))  # each system has some of them


def add_files(app: Application, guest: "Guest") -> None:
    """Add the endpoints."""
    home = guest.platform.home
    _add_transfer(app, home)
    _add_changes(app, guest.platform)

    @app.post("/list_directory")
    def list_directory(request: Request) -> Json:
        place = _place(home, _given(request, "path"))
        if not place.is_dir():
            raise ActionError(f"there is no folder {place}")
        return {"directory_tree": _listing(place)}

    @app.post("/desktop_path")
    def desktop_path(_: Request) -> Json:
        return {"desktop_path": str(home / "Desktop")}

    @app.post("/documents_path")
    def documents_path(_: Request) -> Json:
        return {"documents_path": str(home / "Documents")}

    @app.post("/wallpaper")
    def wallpaper(_: Request) -> Answer:
        return Answer.error(404, "this desktop has no wallpaper")

    for name, test in (("folder_exists", Path.is_dir), ("file_exists", Path.is_file)):

        def predicate(request: Request, test: Any = test) -> Answer:
            holds = test(_place(home, _given(request, "path", "folder_path", "file_path", "folder_name", "file_name")))
            return Answer.of(200 if holds else 400, status="success" if holds else "error", message=str(holds))

        app.get(f"/{name}")(app.post(f"/{name}")(predicate))


def _add_transfer(app: Application, home: Path) -> None:
    @app.post("/file")
    def file(request: Request) -> Answer:
        given = request.form.get("file_path")
        if not given:
            return Answer.of(400, error="file_path is required")
        try:
            return Answer(200, _content(_place(home, given.decode())), "application/octet-stream")
        except FileNotFoundError:
            return Answer.of(404, error="File not found")
        except (OSError, ActionError) as error:  # what an agent put in the place of a file is no fault of the machine
            return Answer.of(404, error=str(error))

    @app.post("/setup/upload")
    def upload(request: Request) -> str:
        form = request.form
        if not {"file_path", "file_data"} <= form.keys():
            raise ActionError("the form wants 'file_path' and 'file_data'")
        place = _place(home, form["file_path"].decode())
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(form["file_data"])
        return "File Uploaded"

    @app.post("/setup/download_file")
    def download_file(_: Request) -> Answer:
        return Answer.error(501, "this guest fetches nothing from the network: upload the file instead")


def _add_changes(app: Application, platform: Platform) -> None:
    home = platform.home

    @app.post("/setup/create_folder")
    def create_folder(request: Request) -> Json:
        _place(home, _given(request, "path", "folder_path")).mkdir(parents=True, exist_ok=True)
        return {"status": "success"}

    @app.post("/setup/create_file")
    def create_file(request: Request) -> Json:
        place = _place(home, _given(request, "path", "file_path"))
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(str(request.json_if_any.get("content", "")))
        return {"status": "success"}

    @app.post("/setup/recycle_file")
    def recycle_file(request: Request) -> Json:
        place = _place(home, _given(request, "path", "file_path"))
        if not place.exists():
            raise ActionError(f"there is no file {place}")
        platform.recycle(place)
        return {"status": "success"}


def _given(request: Request, *names: str) -> str:
    form = {name: value.decode(errors="replace") for name, value in request.form.items()}
    sources: tuple[Mapping[str, Any], ...] = (request.json_if_any, form, request.query)
    found = next((str(source[name]) for source in sources for name in names if name in source), None)
    if found is None:
        raise ActionError(f"'{names[0]}' is missing")
    return found


def _place(home: Path, given: str) -> Path:
    return home / Path(os.path.expandvars(given)).expanduser() if os.name == "nt" else home / Path(given).expanduser()


def _content(place: Path) -> bytes:
    """Return the bytes of a regular file; refuse a pipe, a device or a file that is too large instead of waiting for it."""
    descriptor = os.open(place, _READ)
    with os.fdopen(descriptor, "rb") as stream:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise ActionError(f"{place} is not a regular file")
        if found.st_size > _LARGEST:
            raise ActionError(f"{place} has {found.st_size} bytes; at most {_LARGEST} are fetched")
        return stream.read(_LARGEST)


def _listing(place: Path) -> Json:
    left = [_MOST_ENTRIES]

    def entry(path: Path) -> Json:
        left[0] -= 1
        if path.is_symlink() or not path.is_dir() or left[0] <= 0:
            return {"type": "file", "name": path.name, **_kept_of(path)}
        return {"type": "directory", "name": path.name, **_kept_of(path), "children": [entry(child) for child in sorted(path.iterdir())]}

    return entry(place)


def _kept_of(path: Path) -> Json:
    """Return the permissions as octal digits and the target of a symbolic link; an empty object if the file has just been deleted."""
    try:
        found = path.lstat()
        return {"mode": f"{stat.S_IMODE(found.st_mode):04o}", **({"target": str(path.readlink())} if stat.S_ISLNK(found.st_mode) else {})}
    except OSError:
        return {}
