"""Getters of pictures: they read fetched bytes on this host."""

import hashlib
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageChops, ImageColor

from eval_flows.episodes.checkers.checker import Checkers
from eval_flows.episodes.tasks.makers.maker import makers

_LARGEST_PICTURE = 50_000_000  # pixels
Channel = NDArray[np.float64]
_BLOCK = 8  # pixels
_C1, _C2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
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


def of_picture_file(content: bytes, what: str) -> Any:
    """Return what the file of a picture says beside its pixels: see checkers.yaml. None if it does not say that."""
    said = opened_picture(content).info
    ways: Mapping[str, Callable[[], Any]] = {
        "resolution": lambda: [float(one) for one in said["dpi"]] if "dpi" in said else None,
        "sizes": lambda: sorted(list(size) for size in said["sizes"]) if "sizes" in said else None,
    }
    return ways[what]()


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


@dataclass(frozen=True, eq=False)
class Whole:
    """A picture as a whole. In words it is only its size."""

    picture: Image.Image

    def __repr__(self) -> str:
        """Return its size in words."""
        return f"a picture of {self.picture.width} x {self.picture.height} pixels"


def resemblance(got: Any, expected: Any) -> float:
    """Return how much a picture looks like the declared one, from 0 to 1; 0 if it has another size.

    Red, green, blue and opacity are compared each on its own, and the least similar one counts: a colour may differ in one of them alone.
    """
    wanted = opened_picture(makers().of_files["picture"]({"path": "expected.png", **expected}))
    if not isinstance(got, Whole) or got.picture.size != wanted.size:
        return 0.0
    one, other = (np.asarray(picture.convert("RGBA"), dtype=float) for picture in (got.picture, wanted))
    return max(0.0, min(_similarity(one[..., channel], other[..., channel]) for channel in range(4)))


def _similarity(one: Channel, other: Channel) -> float:
    """Return the mean SSIM (Wang et al. 2004) of the blocks of two channels of one size; blocks do not overlap."""
    side = min(_BLOCK, *one.shape)
    rows, columns = one.shape[0] // side, one.shape[1] // side
    a, b = (
        channel[: rows * side, : columns * side].reshape(rows, side, columns, side).swapaxes(1, 2).reshape(-1, side * side)
        for channel in (one, other)
    )
    mean_a, mean_b = a.mean(axis=1), b.mean(axis=1)
    together = ((a - mean_a[:, None]) * (b - mean_b[:, None])).mean(axis=1)
    light = (2 * mean_a * mean_b + _C1) / (mean_a**2 + mean_b**2 + _C1)
    structure = (2 * together + _C2) / (a.var(axis=1) + b.var(axis=1) + _C2)
    return float((light * structure).mean())


CHECKERS = Checkers(
    of_files={
        "picture": lambda content, asked: of_picture(content, asked["what"]),
        "picture_file": lambda content, asked: of_picture_file(content, asked["what"]),
        "image": lambda content, _: Whole(opened_picture(content)),
    },
    metrics={"resembles": resemblance},
)
