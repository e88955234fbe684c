"""Getters of files: of the machine, of the cache of the task, and within presentations."""

import posixpath
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any
from zipfile import BadZipFile

import pandas as pd

from eval_flows.episodes.osworld.getters.getter import Asked, Getters, Guest, TaskError, asked, cached, fetched, json_from_python, run_python
from eval_flows.episodes.osworld.metrics.reading import parts, xml
from eval_flows.episodes.osworld.vocabulary import is_true

_DATE = "%Y_%m_%d"
_EMBED = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}embed"
_TREE = """
import json, os, sys
def tree(path, deep):
    entry = {"type": "directory" if os.path.isdir(path) else "file", "name": os.path.basename(path.rstrip("/\\\\")) or path}
    if entry["type"] == "directory":
        names = sorted(os.listdir(path))[:2000] if deep and not os.path.islink(path) else []
        entry["children"] = [tree(os.path.join(path, name), deep - 1) for name in names]
    return entry
print(json.dumps(tree(sys.argv[1], 8) if os.path.isdir(sys.argv[1]) else None))
"""


def vm_file(guest: Guest, wanted: Asked) -> Any:
    """A file of the machine (`path`), fetched to `dest`: its path on the host, or None. `multi`: lists of both, of which `gives` (0) are given.

    `time_suffix` puts today's date (`time_format`) before the ends of both names.
    """
    paths, names = _lists(wanted)
    if is_true(wanted.get("time_suffix", False)):
        today = datetime.now().strftime(wanted.get("time_format", _DATE))
        paths, names = ([_dated(name, today) for name in each] for each in (paths, names))
    return _given(wanted, [fetched(guest, path, name) for path, name in zip(paths, names, strict=True)])


def _dated(name: str, date: str) -> str:
    stem, suffix = posixpath.splitext(name)
    return f"{stem}{date}{suffix}"


def _lists(wanted: Asked) -> tuple[list[str], list[str]]:
    path, dest = asked(wanted, "path"), asked(wanted, "dest")
    if not is_true(wanted.get("multi", False)):
        path, dest = [path], [dest]
    if len(path) != len(dest):
        raise TaskError(f"'path' has {len(path)} entries and 'dest' {len(dest)}")
    return list(path), list(dest)


def _given(wanted: Asked, places: Sequence[Path | None]) -> Any:
    chosen = [place for at, place in enumerate(places) if at in set(wanted.get("gives", [0]))]
    return chosen[0] if len(chosen) == 1 else chosen


def cloud_file(guest: Guest, wanted: Asked) -> Any:
    """A file that the cache of the task holds (`dest`), from an address (`path`): its path, or None. `multi` and `gives` are as for `vm_file`."""
    places = [cached(guest, name) for name in _lists(wanted)[1]]
    return _given(wanted, [place if place.is_file() else None for place in places])


def cache_file(guest: Guest, wanted: Asked) -> Path | None:
    """A file (`path`) in the cache of the task, such as what a command printed: its path, or None."""
    place = cached(guest, asked(wanted, "path"))
    return place if place.is_file() else None


def content_from_vm_file(guest: Guest, wanted: Asked) -> list[str] | None:
    """The `last_row` (`file_content`) of a workbook (`file_type` xlsx) of the machine, as texts; None if it cannot be read."""
    if (asked(wanted, "file_type"), asked(wanted, "file_content")) != ("xlsx", "last_row"):
        raise TaskError("only the 'last_row' of an 'xlsx' file can be got")
    path = asked(wanted, "path")
    place = fetched(guest, path, PurePosixPath(path).name)
    try:
        return None if place is None else [str(value) for value in pd.read_excel(place).iloc[-1].astype(str)]
    except Exception:  # a dozen kinds of errors for what is no workbook, or has no row
        return None


def vm_file_exists_in_vm_folder(guest: Guest, wanted: Asked) -> float:
    """1 if a folder of the machine (`folder_name`) has a file (`file_name`) that is not empty, else 0."""
    kind = PureWindowsPath if guest.platform == "Windows" else PurePosixPath
    return float(bool(guest.file(str(kind(asked(wanted, "folder_name"), asked(wanted, "file_name"))))))


def list_directory(guest: Guest, wanted: Asked) -> Any:
    """A folder (`path`) of the machine, as a tree of `type`, `name` and `children`; None if there is none."""
    return directory(guest, asked(wanted, "path"))


def directory(guest: Guest, path: str) -> Any:
    """Return a folder of the machine as a tree, at most eight deep; None if there is none."""
    return json_from_python(guest, _TREE, path)


def is_folder(guest: Guest, path: str) -> bool:
    """Tell whether the machine has a folder."""
    return (run_python(guest, "import os, sys; print(os.path.isdir(sys.argv[1]))", path) or "").strip() == "True"


# --- within presentations


def background_image_in_slide(guest: Guest, wanted: Asked) -> Path | None:
    """The picture behind a slide (`slide_index`, from 0) of a presentation (`ppt_file_path`), in the file or linked: its path, or None."""
    return _in_slide(guest, wanted, "image", of_background=True)


def audio_in_slide(guest: Guest, wanted: Asked) -> Path | None:
    """The sound in a slide (`slide_index`, from 0) of a presentation (`ppt_file_path`), in the file or linked: its path, or None."""
    return _in_slide(guest, wanted, "audio", of_background=False)


def _in_slide(guest: Guest, wanted: Asked, kind: str, of_background: bool) -> Path | None:
    path, name = asked(wanted, "ppt_file_path"), f"ppt/slides/slide{int(asked(wanted, 'slide_index')) + 1}.xml"
    place = fetched(guest, path, PurePosixPath(path).name)
    try:
        held = {} if place is None else parts(place)
        relations = xml(held[f"ppt/slides/_rels/{posixpath.basename(name)}.rels"])
        chosen = {one.get(_EMBED) for one in xml(held[name]).iterfind(".//{*}bgPr//{*}blip")} if of_background else None
    except (KeyError, ValueError, SyntaxError, OSError, BadZipFile):  # not that archive, or not that XML
        return None
    targets = [one.get("Target") for one in relations if kind in one.get("Type", "") and (chosen is None or one.get("Id") in chosen)]
    return _saved(guest, held, targets[0], asked(wanted, "dest")) if targets else None


def _saved(guest: Guest, held: Any, target: str, dest: str) -> Path | None:
    if target.startswith("file://"):
        return fetched(guest, target.removeprefix("file://"), dest)
    part = held.get(posixpath.normpath(posixpath.join("ppt/slides", target)).removeprefix("/"))
    if part is None:
        return None
    place = cached(guest, dest)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(part)
    return place


GETTERS: Getters = {
    "vm_file": vm_file,
    "cloud_file": cloud_file,
    "cache_file": cache_file,
    "content_from_vm_file": content_from_vm_file,
    "vm_file_exists_in_vm_folder": vm_file_exists_in_vm_folder,
    "list_directory": list_directory,
    "background_image_in_slide": background_image_in_slide,
    "audio_in_slide": audio_in_slide,
}
