"""Paths of task files that would lead out of where they belong. Both benchmarks join them to folders of this host without a look."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from atomic_tasks.problems import Place

_ON_HOST = {"dest", "stdout", "stderr"}  # names in the folder that a task has on this host
_LONGEST_NAME = 255  # bytes
_IN_GUEST = {"path", "ppt_file_path"}  # paths on the machine, or addresses


def climbing(place: Place, given: Mapping[str, Any]) -> Iterator[tuple[Place, str]]:
    """Yield the place and the reason of each path in the fields of a step or a getter that climbs out."""
    is_cached = given.get("type") == "cache_file"
    for name, value in given.items():
        for inner, path in _texts(value):
            if (name in _ON_HOST or (is_cached and name == "path")) and not is_inside(path):
                yield (*place, name, *inner), f"'{path}' leads out of the task's own folder: name a file in it, such as 'result.txt'"
            elif name in _IN_GUEST | {"files"} and "://" not in path and ".." in path.replace("\\", "/").split("/"):
                yield (*place, name, *inner), f"'{path}' has '..' in it: write the path that is meant"


def is_inside(path: str) -> bool:
    """Tell whether a relative path stays in its folder, and names a file there."""
    parts = path.replace("\\", "/").split("/")
    is_absolute = path.startswith(("/", "~", "\\")) or re.match("[A-Za-z]:", path) is not None
    names_a_file = any(part not in ("", ".") for part in parts) and all(len(part.encode()) <= _LONGEST_NAME for part in parts)
    return names_a_file and not is_absolute and ".." not in parts and "\0" not in path


def _texts(value: Any) -> Iterator[tuple[Place, str]]:
    """Yield the texts in a value, each with its place in it; of files that are fetched, only where they go to."""
    if isinstance(value, str):
        yield (), value
    elif isinstance(value, list):
        for number, one in enumerate(value):
            found = _texts(one["path"]) if isinstance(one, dict) and "path" in one else _texts(one)
            yield from (((number, "path", *inner) if isinstance(one, dict) else (number, *inner), text) for inner, text in found)
