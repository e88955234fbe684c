"""Pictures of episodes: which exist, and how pages link to them. They stay in the folder of their run, beside the report."""

import os
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

_PNG = b"\x89PNG\r\n\x1a\n"
_HEADER = struct.Struct(">8s4x4xII")  # the start of a PNG file: its mark, length and name of the first chunk, width, height
_SCREEN = (1280, 800)


@dataclass(frozen=True)
class Picture:
    """A screenshot: its address from the root of the site, and its size in pixels."""

    address: str
    width: int
    height: int


class Pictures:
    """The pictures of one run by trajectory, `<episode_id>_<repeat>`, and number of the step. `root` is the folder of the site."""

    def __init__(self, runs: Path, run_id: str, root: Path) -> None:
        self._folder = runs / run_id / "trajectories"
        self._address = quote(Path(os.path.relpath(self._folder, root)).as_posix())

    def of(self, trajectory: str) -> Mapping[int, Picture]:
        """Return the existing pictures of a trajectory, in the order of the steps."""
        folder = self._folder / trajectory
        found = sorted((path for path in folder.glob("*.png") if path.stem.isdecimal()), key=lambda path: int(path.stem))
        if not found:
            return {}
        width, height = _size(found[0])  # a screen keeps its size
        return {int(path.stem): Picture(f"{self._address}/{quote(trajectory)}/{path.name}", width, height) for path in found}


def _size(path: Path) -> tuple[int, int]:
    """Return width and height of a PNG file in pixels; those of a usual screen if it is no PNG file."""
    with path.open("rb") as file:
        header = file.read(_HEADER.size)
    if len(header) < _HEADER.size or not header.startswith(_PNG):
        return _SCREEN
    _, width, height = _HEADER.unpack(header)
    return width, height
