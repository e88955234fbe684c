"""The makers of microscope pictures, stacks and colour pictures: spots and blocks of known place, size and brightness on a noisy background."""

import io
from collections.abc import Iterator
from math import hypot
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from eval_flows.episodes.tasks.makers.maker import Json, Makers

Spot = tuple[float, float, float, float]  # x, y, radius, brightness
_TRIES = 100_000


def spots_of(asked: Json) -> list[Spot]:
    """Return the spots of a picture; ValueError if there is no room for them."""
    width, height = asked["size"]
    random = np.random.Generator(np.random.PCG64(int(asked["seed"])))
    found: list[Spot] = []
    for group in asked["spots"]:
        placed = list(_placed(group, width, height, found, random))
        found += placed
    return found


def _placed(group: Json, width: int, height: int, before: list[Spot], random: np.random.Generator) -> Iterator[Spot]:
    own: list[Spot] = []
    apart = float(group.get("apart", 5))
    for _ in range(_TRIES):
        if len(own) == int(group["count"]):
            yield from own
            return
        radius = random.uniform(float(group["radius"][0]), float(group["radius"][1]))
        x, y = random.uniform(radius + 4, width - radius - 4), random.uniform(radius + 4, height - radius - 4)
        if all(hypot(x - other_x, y - other_y) > radius + other + apart for other_x, other_y, other, _ in (*before, *own)):
            own.append((x, y, radius, float(group["brightness"])))
    raise ValueError(f"there is no room for {group['count']} spots")


def _grey(asked: Json) -> NDArray[np.uint8]:
    """Return the grey levels: background, blocks and spots, noise on them, and last of all single white pixels."""
    width, height = asked["size"]
    spots = spots_of(asked)
    random = np.random.Generator(np.random.PCG64(int(asked["seed"]) + 1))
    grey = np.full((height, width), float(asked.get("background", 20))) + np.linspace(0, float(asked.get("gradient", 0)), width)
    for left, top, across, down, brightness in asked.get("blocks", ()):
        grey[top : top + down, left : left + across] += brightness
    rows, columns = np.mgrid[:height, :width]
    for x, y, radius, brightness in spots:
        grey[(columns - x) ** 2 + (rows - y) ** 2 <= radius**2] += brightness
    grey += random.normal(0, float(asked.get("noise", 3)), grey.shape)
    if asked.get("salt"):
        grey[random.random(grey.shape) < float(asked["salt"])] = 255
    return grey.clip(0, 255).astype(np.uint8)


def _micrograph(asked: Json) -> bytes:
    file = io.BytesIO()
    kind = {"tif": "TIFF", "tiff": "TIFF", "jpg": "JPEG"}
    ending = Path(str(asked["path"])).suffix.lower().lstrip(".")
    Image.fromarray(_grey(asked)).save(file, kind.get(ending, ending.upper()))
    return file.getvalue()


def _stack(asked: Json) -> bytes:
    """Return a TIFF file with a picture for each slice; a slice takes from the whole what it does not say itself."""
    first, *others = [Image.fromarray(_grey({"spots": [], **asked, **one})) for one in asked["slices"]]
    file = io.BytesIO()
    first.save(file, "TIFF", save_all=True, append_images=others)
    return file.getvalue()


def _stained(asked: Json) -> bytes:
    """Return a colour picture in a TIFF file; a colour takes from the whole what it does not say itself, and a colour that is not said is black."""
    width, height = asked["size"]
    black = np.zeros((height, width), np.uint8)
    channels = [_grey({"spots": [], **asked, **asked[name]}) if name in asked else black for name in ("red", "green", "blue")]
    file = io.BytesIO()
    Image.fromarray(np.dstack(channels)).save(file, "TIFF")
    return file.getvalue()


MAKERS = Makers(of_files={"micrograph": _micrograph, "stack": _stack, "stained": _stained})
