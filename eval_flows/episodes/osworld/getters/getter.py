"""What a getter is, and what getters share: files go into the cache of the task, and code runs in the machine."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from eval_flows.episodes.osworld.guest import Guest
from eval_flows.episodes.osworld.metrics.metric import TaskError, asked
from eval_flows.episodes.osworld.metrics.reading import xml

Asked = Mapping[str, Any]
Getter = Callable[[Guest, Asked], Any]
Getters = Mapping[str, Getter]

_LARGEST = 256 * 2**20  # bytes


def cached(guest: Guest, name: Any) -> Path:
    """Return a place in the cache of the task; TaskError if it would be outside."""
    place = (guest.cache / str(name)).resolve()
    if not place.is_relative_to(guest.cache.resolve()) or place == guest.cache.resolve():
        raise TaskError(f"the file {name!r} would be outside the cache of the task")
    return place


def fetched(guest: Guest, path: str, name: Any) -> Path | None:
    """Fetch a file of the machine into the cache; None if there is none, or if it is too large to look at."""
    content, place = guest.file(path), cached(guest, name)
    if content is None or len(content) > _LARGEST:
        place.unlink(missing_ok=True)  # what an earlier look left is not what is there now
        return None
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content)
    return place


def text_of(guest: Guest, path: str) -> str | None:
    """Return a text file of the machine; None if there is none."""
    content = guest.file(path)
    return None if content is None else content.decode("utf-8-sig", "replace")


def json_of(guest: Guest, path: str) -> Any:
    """Return what a file of the machine in JSON holds; None if there is none, or if it cannot be read."""
    content = guest.file(path)
    try:
        return None if content is None else json.loads(content)
    except (ValueError, RecursionError):
        return None


def at_home(guest: Guest, *parts: str) -> str:
    """Return a path in the home folder, as the machine writes paths."""
    kind = PureWindowsPath if guest.platform == "Windows" else PurePosixPath
    return str(kind(guest.home, *parts))


def run_python(guest: Guest, code: str, *arguments: str) -> str | None:
    """Run Python in the machine, and return what it prints; None if it failed."""
    ended = guest.execute(["python" if guest.platform == "Windows" else "python3", "-c", code, *arguments])
    return None if ended.get("returncode") else str(ended.get("output") or "")


def json_from_python(guest: Guest, code: str, *arguments: str) -> Any:
    """Run Python in the machine, and return the JSON that it prints last; None if it failed."""
    said = (run_python(guest, code, *arguments) or "").strip().splitlines()
    try:
        return json.loads(said[-1]) if said else None
    except ValueError:
        return None


def nodes(guest: Guest, *tags: str) -> list[Any]:
    """Return the nodes of the accessibility tree with one of the tags, or all; none if the tree cannot be read."""
    try:
        return list(xml(guest.tree()).iter(*tags))
    except (SyntaxError, ValueError):
        return []


def only_on(guest: Guest, *platforms: str) -> None:
    """Raise a TaskError if the machine has another operating system."""
    if guest.platform not in platforms:
        raise TaskError(f"this getter is for {' and '.join(platforms)}, and the machine has {guest.platform}")


__all__ = [
    "Asked",
    "Getter",
    "Getters",
    "Guest",
    "TaskError",
    "asked",
    "at_home",
    "cached",
    "fetched",
    "json_from_python",
    "json_of",
    "nodes",
    "only_on",
    "run_python",
    "text_of",
]
