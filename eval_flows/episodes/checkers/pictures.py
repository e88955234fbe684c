"""Getters of pictures: they read fetched bytes on this host."""

import hashlib
import io
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from PIL import Image, ImageChops, ImageColor

from eval_flows.episodes.checkers.checker import Checkers

_LARGEST_PICTURE = 50_000_000  # pixels
_NEARLY = 6  # two colours count as the same up to this many levels of 255


def opened_picture(content: bytes) -> Image.Image:
    """Return a picture; `ValueError` if it is too large to look at."""
    picture = Image.open(io.BytesIO(content), formats=_formats())
    if picture.width * picture.height > _LARGEST_PICTURE:
        raise ValueError(f"a picture of {picture.width} by {picture.height} pixels is too large to look at")
    return picture


def of_picture(content: bytes, what: str) -> Any:
    """Return a property of a picture: see checkers.yaml."""
    picture = opened_picture(content)
    kind, _, rest = what.partition(".")
    if kind == "pixel":
        x, y = rest.split(".")
        found = picture.convert("RGB").getpixel((_pixel(x, picture.width), _pixel(y, picture.height)))
        return "#{:02x}{:02x}{:02x}".format(*found)  # type: ignore[misc]
    ways: Mapping[str, Callable[[], Any]] = {
        "width": lambda: picture.width,
        "height": lambda: picture.height,
        "format": lambda: picture.format,
        "mode": lambda: picture.mode,
        "has_alpha": lambda: picture.mode in ("RGBA", "LA", "PA") or "transparency" in picture.info,
        "pixels": lambda: _digest(picture),
        "mean": lambda: _mean(picture.convert("L").histogram()),
        "ratio": lambda: picture.width / picture.height,
        "transparent": lambda: picture.convert("RGBA").getchannel("A").histogram()[0] / (picture.width * picture.height),
        "count": lambda: _pixels_of(picture, rest),
    }
    return ways[kind]()


def _digest(picture: Image.Image) -> str:
    """Return a digest of the size and of every pixel's colour; the file format does not matter."""
    return hashlib.sha256(f"{picture.width} x {picture.height} ".encode() + picture.convert("RGBA").tobytes()).hexdigest()


def _mean(grey: Sequence[int]) -> float:
    return sum(level * count for level, count in enumerate(grey)) / sum(grey)


@cache
def _formats() -> list[str]:
    """Return every format except the one for which Pillow runs Ghostscript."""
    Image.init()
    return [name for name in Image.ID if name != "EPS"]


def _pixel(at: str, length: int) -> int:
    """Return a place along a side, from pixels or from a share of its length such as 50%."""
    return int(float(at[:-1]) * length / 100) if at.endswith("%") else int(float(at))


def _pixels_of(picture: Image.Image, colour: str) -> int:
    """Return how many pixels have nearly that colour: each channel is within a few levels."""
    masks = []
    for channel, level in zip(picture.convert("RGB").split(), ImageColor.getrgb(colour), strict=False):
        masks.append(channel.point([255 if abs(value - level) <= _NEARLY else 0 for value in range(256)]))
    return ImageChops.darker(ImageChops.darker(masks[0], masks[1]), masks[2]).histogram()[255]


CHECKERS = Checkers(
    of_files={
        "picture": lambda content, asked: of_picture(content, asked["what"]),
    }
)
