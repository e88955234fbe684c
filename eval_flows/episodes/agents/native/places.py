"""Places in the picture that a model got, the picture itself where a model takes none of that size, and the names of keys that tools use."""

import io
import math
from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image

from machines.actions import Action, MalformedAction

Share = tuple[float, float]
_KEYS = {
    "arrowup": "up", "arrowdown": "down", "arrowleft": "left", "arrowright": "right", "kp_enter": "enter", "prior": "pageup", "next": "pagedown",
    "control_l": "ctrl", "control_r": "ctrlright", "shift_l": "shift", "shift_r": "shiftright", "alt_l": "alt", "alt_r": "altright",
    "super_l": "super", "super_r": "winright", "iso_left_tab": "tab", "+": "plus", " ": "space",
    **{f"kp_{digit}": str(digit) for digit in range(10)},
}  # fmt: skip


@dataclass(frozen=True)
class Places:
    """The picture in whose pixels a model points, by its width and height. What it shows is the whole screen."""

    width: int
    height: int

    def share(self, x: float, y: float) -> Share:
        """Return a place as shares of the screen; `MalformedAction` if it is outside the picture, apart from its very edge."""
        if not (0 <= x <= self.width and 0 <= y <= self.height):
            raise MalformedAction(f"({x:g}, {y:g}) is outside the picture, which has {self.width} x {self.height} pixels")
        return min(1.0, x / (self.width - 1)), min(1.0, y / (self.height - 1))

    def at(self, x: float, y: float) -> dict[str, float]:
        """Return the same as arguments of an action."""
        return dict(zip("xy", self.share(x, y), strict=True))


THOUSANDTHS = Places(1001, 1001)  # where places are numbers from 0 to 1000, whatever the size of the picture


def size_of(picture: bytes) -> tuple[int, int]:
    """Return the width and height of a picture in pixels."""
    with Image.open(io.BytesIO(picture)) as opened:
        return opened.size


def resized(picture: bytes, size: tuple[int, int]) -> bytes:
    """Return a picture in another size, as a file of the same format; the same file if it has that size."""
    with Image.open(io.BytesIO(picture)) as opened:
        if opened.size == size:
            return picture
        file = io.BytesIO()
        opened.convert("RGB").resize(size, Image.Resampling.LANCZOS).save(file, opened.format or "PNG", compress_level=1)
    return file.getvalue()


def largest(size: tuple[int, int], side: int, patch: int, patches: int) -> tuple[int, int]:
    """Return the largest size of the same shape whose sides have at most `side` pixels, and that has at most `patches` squares of `patch` pixels."""
    width, height = size
    scale = min(1.0, side / max(size))
    while (found := (max(1, round(width * scale)), max(1, round(height * scale)))) and _squares(found, patch) > patches:
        scale *= 0.995
    return found


def _squares(size: tuple[int, int], patch: int) -> int:
    return math.ceil(size[0] / patch) * math.ceil(size[1] / patch)


def combination_of(keys: Sequence[str]) -> str:
    """Return keys that are pressed together as actions write them, from the names that pyautogui, xdotool and browsers have."""
    names = [name for key in keys for name in ([key] if key == "+" else key.split("+"))]
    return "+".join(_KEYS.get(name.lower(), name.lower() if len(name) > 1 else name) for name in names)


def with_keys(keys: Sequence[str] | None) -> dict[str, str]:
    """Return the argument `keys` of an action, if any are held."""
    return {"keys": combination_of(keys)} if keys else {}


def pressed(key: str) -> Action:
    """Return the action that presses a combination."""
    return Action("press", {"key": key})
