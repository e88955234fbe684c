"""Getters of Windows Agent Arena that are not Windows' own: files, folders, archives and pictures, wherever the machine keeps them."""

from collections.abc import Mapping
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

import numpy as np
from PIL import Image
from scipy.ndimage import binary_fill_holes, label

from eval_flows.episodes.checkers.pictures import opened_picture
from eval_flows.episodes.osworld.getters.files import directory, is_folder
from eval_flows.episodes.osworld.getters.getter import Asked, Getters, Guest, asked, at_home, run_python, text_of

_HIDDEN = """
import os, sys
place = sys.argv[1]
flags = getattr(os.stat(place), "st_file_attributes", 0)
print(os.path.basename(place).startswith(".") or bool(flags & 2))
"""
_LEAST_RING, _LEAST_ROUND = 0.0005, 0.75  # of the picture; of the box
_SEVEN_ZIP = b"7z\xbc\xaf\x27\x1c"


def _within(guest: Guest, folder: str, *parts: str) -> str:
    kind = PureWindowsPath if guest.platform == "Windows" else PurePosixPath
    return str(kind(folder, *parts))


def _desktop(guest: Guest, name: str) -> str:
    return at_home(guest, "Desktop", name)


def vm_folder_exists_in_documents(guest: Guest, wanted: Asked) -> bool:
    """Whether the documents have a folder (`folder_name`)."""
    return is_folder(guest, at_home(guest, "Documents", asked(wanted, "folder_name")))


def vm_file_exists_in_desktop(guest: Guest, wanted: Asked) -> bool:
    """Whether the desktop has a file (`file_name`)."""
    return guest.file(_desktop(guest, asked(wanted, "file_name"))) is not None


def is_file_desktop(guest: Guest, wanted: Asked) -> str:
    """`true` if the desktop has a file (`filename`), else `false`."""
    return _said(guest.file(_desktop(guest, asked(wanted, "filename"))) is not None)


def is_file_saved_desktop(guest: Guest, wanted: Asked) -> str:
    """`true` if a file (`filename`) on the desktop has the `textcontent` in it, or, if `exact`, is it; else `false`."""
    found, text = text_of(guest, _desktop(guest, asked(wanted, "filename"))), str(asked(wanted, "textcontent"))
    if found is None:
        return "false"
    lines = found.replace("\r\n", "\n").strip()
    return _said(lines == text.strip() if wanted.get("exact", False) else text in found)


def desktop_file_content(guest: Guest, wanted: Asked) -> str | None:
    """The text of a file on the desktop (`file_name`, or `filename`); None if there is none."""
    return text_of(guest, _desktop(guest, asked(wanted, "filename" if "filename" in wanted else "file_name")))


def _said(holds: bool) -> str:
    return "true" if holds else "false"


def _children(guest: Guest, path: str) -> list[Mapping[str, Any]]:
    return list((directory(guest, path) or {}).get("children", []))


def _files(guest: Guest, path: str) -> list[str]:
    return [str(one["name"]) for one in _children(guest, path) if one["type"] == "file"]


def is_all_docx_in_archive(guest: Guest, wanted: Asked) -> str:
    """`true` if all documents (.docx) of a folder (`folder_path`), at least one, lie in its folder `Archive`, with nothing else; else `false`."""
    folder = asked(wanted, "folder_path")
    archived = _files(guest, _within(guest, folder, "Archive"))
    left = [name for name in _files(guest, folder) if name.lower().endswith(".docx")]
    return _said(bool(archived) and not left and all(name.lower().endswith(".docx") for name in archived))


def all_png_file_names(guest: Guest, wanted: Asked) -> str:
    """`true` if a text file (`file_path`) has, line by line, the names of the pictures (.png) in a folder (`folder_path`), in any order."""
    said = text_of(guest, asked(wanted, "file_path"))
    names = {name for name in _files(guest, asked(wanted, "folder_path")) if name.lower().endswith(".png")}
    return _said(said is not None and {line.strip() for line in said.splitlines() if line.strip()} == names)


def is_files_moved_downloads(guest: Guest, wanted: Asked) -> str:
    """`true` if a folder (`folder_name`) with a file (`file_name`) is in the old downloads (`OldDownloads`), and no longer in the downloads."""
    folder, name = asked(wanted, "folder_name"), asked(wanted, "file_name")

    def has(parent: str) -> bool:
        return name in _files(guest, at_home(guest, parent, folder))

    return _said(has("OldDownloads") and not has("Downloads"))


def zipped_folder_in_desktop(guest: Guest, wanted: Asked) -> str:
    """`true` if a file (`filename`) is an archive of 7-Zip whose list of names is encrypted, else `false`. What it holds is not looked at."""
    found = guest.file(asked(wanted, "filename"))
    return _said(found is not None and found[:6] == _SEVEN_ZIP and _lists_nothing(found))


def _lists_nothing(archive: bytes) -> bool:
    """Tell whether the header of a 7-Zip archive, at its end, names the method of AES (06 F1 07 01)."""
    offset, size = (int.from_bytes(archive[at : at + 8], "little") for at in (12, 20))
    return b"\x06\xf1\x07\x01" in archive[32 + offset : 32 + offset + size]


def is_file_hidden(guest: Guest, wanted: Asked) -> str:
    """`true` if a file (`file_path`) is hidden, by its attribute or a dot before its name, else `false`."""
    return _said((run_python(guest, _HIDDEN, asked(wanted, "file_path")) or "").strip() == "True")


# --- pictures of Paint


def _picture(guest: Guest, path: str) -> Image.Image | None:
    content = guest.file(path)
    try:
        return None if content is None else opened_picture(content)
    except Exception:  # a dozen decoders raise as many kinds of errors
        return None


def image_dimension_matches_input(guest: Guest, wanted: Asked) -> bool:
    """Whether a picture (`filepath`) has the `width` and `height`."""
    found = _picture(guest, asked(wanted, "filepath"))
    return found is not None and found.size == (int(asked(wanted, "width")), int(asked(wanted, "height")))


def is_red_circle_present_on_canvas(guest: Guest, wanted: Asked) -> bool:
    """Whether a picture (`filepath`) has a red ring or disc that is round."""
    found = _picture(guest, asked(wanted, "filepath"))
    if found is None:
        return False
    levels = np.asarray(found.convert("RGB"), dtype=int)
    numbered, things = label((levels[..., 0] >= 150) & (levels[..., 1] <= 100) & (levels[..., 2] <= 100), np.ones((3, 3)))
    return any(_is_round(numbered == thing) for thing in range(1, things + 1) if (numbered == thing).mean() >= _LEAST_RING)


def _is_round(thing: Any) -> bool:
    """Tell whether a thing, its holes filled, is as high as wide, and fills its box as a circle does (78.5%)."""
    rows, columns = np.flatnonzero(thing.any(axis=1)), np.flatnonzero(thing.any(axis=0))
    box = binary_fill_holes(thing[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1])
    height, width = box.shape
    return bool(min(height, width) / max(height, width) >= _LEAST_ROUND and abs(box.mean() - np.pi / 4) < 0.06)


GETTERS: Getters = {
    "vm_folder_exists_in_documents": vm_folder_exists_in_documents,
    "vm_file_exists_in_desktop": vm_file_exists_in_desktop,
    "is_file_desktop": is_file_desktop,
    "is_file_saved_desktop": is_file_saved_desktop,
    "desktop_file_content": desktop_file_content,
    "is_all_docx_in_archive": is_all_docx_in_archive,
    "all_png_file_names": all_png_file_names,
    "is_files_moved_downloads": is_files_moved_downloads,
    "zipped_folder_in_desktop": zipped_folder_in_desktop,
    "is_file_hidden": is_file_hidden,
    "image_dimension_matches_input": image_dimension_matches_input,
    "is_red_circle_present_on_canvas": is_red_circle_present_on_canvas,
}
