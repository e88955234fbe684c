"""Files of the guest: fetching, uploading, listing, and the predicates of Windows Agent Arena. It only ever reads regular files."""

import itertools
import os
import stat
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from machines.guest.platform import ActionError, Platform
from machines.guest.web import Answer, Application, Request

if TYPE_CHECKING:
    from machines.guest.server import Guest

Json = dict[str, Any]
_LARGEST = 256 * 2**20  # bytes of the largest file that is fetched
_MOST_ENTRIES, _DEEPEST = 20_000, 100  # of a listing; JSON that is nested more deeply than Python calls can be neither written nor read
_READ = sum(getattr(os, name, 0) for name in ("O_RDONLY", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY", "O_NOINHERIT"))  # each system has some of them


def add_files(app: Application, guest: "Guest") -> None:
    """Add the endpoints."""
    home = guest.platform.home
    _add_transfer(app, home)
    _add_changes(app, guest.platform)

    @app.post("/list_directory")
    def list_directory(request: Request) -> Json | Answer:
        place = _place(home, _given(request, "path"))
        try:
            return {"directory_tree": _listing(place)}
        except (FileNotFoundError, NotADirectoryError):
            raise ActionError(f"there is no folder {place}") from None
        except OSError as error:  # what an agent made of a folder is no fault of the machine
            return Answer.error(403, f"{place} cannot be listed: {error}")

    @app.post("/desktop_path")
    def desktop_path(_: Request) -> Json:
        return {"desktop_path": str(home / "Desktop")}

    @app.post("/documents_path")
    def documents_path(_: Request) -> Json:
        return {"documents_path": str(home / "Documents")}

    @app.post("/wallpaper")
    def wallpaper(_: Request) -> Answer:
        return Answer.error(404, "this desktop has no wallpaper")

    for name, test in (("folder_exists", os.path.isdir), ("file_exists", os.path.isfile)):

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
    """Return a folder with what is in it, nested; OSError if it cannot be listed, or holds too much.

    What is nearest is listed first, without recursion. A folder below has no children where it cannot be read, or where all would be too much.
    """
    top = _entry(place, is_folder=True)
    top["children"], below = _children(place, _MOST_ENTRIES)
    left = _MOST_ENTRIES - len(top["children"])
    if left < 0:
        raise OSError(f"it holds more than {_MOST_ENTRIES} files and folders")
    waiting = deque((*one, 1) for one in below)
    while waiting and left > 0:
        path, entry, depth = waiting.popleft()
        try:
            found, below = _children(path, left)
        except OSError:
            continue
        left -= len(found)
        entry["children"] = found
        waiting += [(*one, depth + 1) for one in below] if depth < _DEEPEST else []
    return top


def _children(place: Path, most: int) -> tuple[list[Json], list[tuple[Path, Json]]]:
    """Return the entries of a folder by name, at most one more than `most`, and those of its folders with their paths."""
    with os.scandir(place) as entries:
        found = sorted(itertools.islice(entries, most + 1), key=lambda one: one.name)
    children = [(place / one.name, _entry(place / one.name, _is_folder(one))) for one in found]
    return [entry for _, entry in children], [(path, entry) for path, entry in children if "children" in entry]


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _entry(path: Path, is_folder: bool) -> Json:
    if is_folder:
        return {"type": "directory", "name": path.name, **_kept_of(path), "children": []}
    return {"type": "file", "name": path.name, **_kept_of(path)}


def _kept_of(path: Path) -> Json:
    """Return the permissions as octal digits and the target of a symbolic link; an empty object if the file has just been deleted."""
    try:
        found = path.lstat()
        return {"mode": f"{stat.S_IMODE(found.st_mode):04o}", **({"target": str(path.readlink())} if stat.S_ISLNK(found.st_mode) else {})}
    except OSError:
        return {}
