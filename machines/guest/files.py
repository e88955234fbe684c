"""Files of the guest: fetching, uploading, listing, and the predicates of Windows Agent Arena. It only ever reads regular files."""

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flask import Flask, Response, jsonify, request

from machines.guest.platform import ActionError, Platform

if TYPE_CHECKING:
    from machines.guest.server import Guest

Json = dict[str, Any]
_LARGEST = 256 * 2**20  # bytes of the largest file that is fetched
_MOST_ENTRIES = 20_000
_READ = sum(getattr(os, name, 0) for name in ("O_RDONLY", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY", "O_NOINHERIT"))  # each system has some of them


def add_files(app: Flask, guest: "Guest") -> None:
    """Add the endpoints."""
    home = guest.platform.home
    _add_transfer(app, home)
    _add_changes(app, guest.platform)

    @app.post("/list_directory")
    def list_directory() -> Json:
        place = _place(home, _given("path"))
        if not place.is_dir():
            raise ActionError(f"there is no folder {place}")
        return {"directory_tree": _listing(place)}

    for name, folder in (("desktop_path", "Desktop"), ("documents_path", "Documents")):
        app.post(f"/{name}", endpoint=name)(lambda name=name, folder=folder: {name: str(home / folder)})

    @app.post("/wallpaper")
    def wallpaper() -> tuple[Response, int]:
        return jsonify(status="error", message="this desktop has no wallpaper"), 404

    for name, test in (("folder_exists", Path.is_dir), ("file_exists", Path.is_file)):

        def predicate(test: Any = test) -> tuple[Response, int]:
            holds = test(_place(home, _given("path", "folder_path", "file_path", "folder_name", "file_name")))
            return jsonify(status="success" if holds else "error", message=str(holds)), 200 if holds else 400

        app.route(f"/{name}", methods=["GET", "POST"], endpoint=name)(predicate)


def _add_transfer(app: Flask, home: Path) -> None:
    @app.post("/file")
    def file() -> Response | tuple[Response, int]:
        given = request.form.get("file_path")
        if not given:
            return jsonify(error="file_path is required"), 400
        try:
            return Response(_content(_place(home, given)), mimetype="application/octet-stream")
        except FileNotFoundError:
            return jsonify(error="File not found"), 404
        except (OSError, ActionError) as error:  # what an agent put in the place of a file is no fault of the machine
            return jsonify(error=str(error)), 404

    @app.post("/setup/upload")
    def upload() -> str:
        place = _place(home, request.form["file_path"])
        place.parent.mkdir(parents=True, exist_ok=True)
        request.files["file_data"].save(place)
        return "File Uploaded"

    @app.post("/setup/download_file")
    def download_file() -> tuple[Response, int]:
        return jsonify(status="error", message="this guest fetches nothing from the network: upload the file instead"), 501


def _add_changes(app: Flask, platform: Platform) -> None:
    home = platform.home

    @app.post("/setup/create_folder")
    def create_folder() -> Json:
        _place(home, _given("path", "folder_path")).mkdir(parents=True, exist_ok=True)
        return {"status": "success"}

    @app.post("/setup/create_file")
    def create_file() -> Json:
        place = _place(home, _given("path", "file_path"))
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(str((request.get_json(silent=True) or {}).get("content", "")))
        return {"status": "success"}

    @app.post("/setup/recycle_file")
    def recycle_file() -> Json:
        place = _place(home, _given("path", "file_path"))
        if not place.exists():
            raise ActionError(f"there is no file {place}")
        platform.recycle(place)
        return {"status": "success"}


def _given(*names: str) -> str:
    sources = (request.get_json(silent=True) or {}, request.form, request.args)
    found = next((str(source[name]) for source in sources for name in names if isinstance(source, dict) and name in source), None)
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
