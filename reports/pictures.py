"""Pictures of episodes: which exist, and how pages link to them. They stay in the folder of their run, beside the report.

The picture of step 3 is `003.png` or `003.jpg`. If the agent got several, they are `003_1.png`, `003_2.png` and so on; the newest is the last.
"""

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote

from PIL import Image

_NAME = re.compile(r"(?P<step>\d+)(_(?P<place>\d+))?\.(png|jpg)")
_SCREEN = (1280, 800)


@dataclass(frozen=True)
class Picture:
    """A screenshot: its address from the root of the site, and its size in pixels.

    `screen` is the size of the screen that it shows, also if the picture is smaller; None if it shows only a part of the screen.
    """

    address: str
    width: int
    height: int
    screen: tuple[int, int] | None


class Pictures:
    """The pictures of one run by trajectory, `<episode_id>_<repeat>`, and number of the step. `root` is the folder of the site."""

    def __init__(self, runs: Path, run_id: str, root: Path) -> None:
        self._run = runs / run_id
        self._folder = self._run / "trajectories"
        self._address = quote(Path(os.path.relpath(self._folder, root)).as_posix())

    def of(self, trajectory: str) -> Mapping[int, Sequence[Picture]]:
        """Return the existing pictures of a trajectory by step, both steps and the pictures of one in their order."""
        found = [(match, path) for path in (self._folder / trajectory).glob("*.*") if (match := _NAME.fullmatch(path.name))]
        size: tuple[int, int] | None = None
        pictures: dict[int, list[Picture]] = {}
        for match, path in sorted(found, key=lambda one: (int(one[0]["step"]), int(one[0]["place"] or 0))):
            size = size or _size(path)  # the pictures of a run are of one size, but for a pixel between tiles
            address = f"{self._address}/{quote(trajectory)}/{path.name}"
            pictures.setdefault(int(match["step"]), []).append(Picture(address, *(size or _SCREEN), self._screen(size or _SCREEN)))
        return pictures

    def _screen(self, size: tuple[int, int]) -> tuple[int, int] | None:
        """Return the size of the screen that a picture shows; None for a part of it. Earlier runs do not tell: their pictures are whole."""
        if str(self._described.get("picture", "")).startswith("tiles"):
            return None
        width, height = self._described.get("offers", {}).get("screen", size)
        return int(width), int(height)

    @cached_property
    def _described(self) -> Any:
        path = self._run / "suite_run.json"
        return json.loads(path.read_text()) if path.is_file() else {}


def _size(path: Path) -> tuple[int, int] | None:
    """Return width and height of a picture in pixels; None if it is none."""
    try:
        with Image.open(path) as picture:
            return picture.size
    except OSError:
        return None
