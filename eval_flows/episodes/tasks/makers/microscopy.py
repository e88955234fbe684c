"""The maker of microscope pictures: spots of known number, place and size on a noisy background."""

import io
from collections.abc import Iterator
from math import hypot
from pathlib import Path

import numpy as np
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


def _micrograph(asked: Json) -> bytes:
    width, height = asked["size"]
    spots = spots_of(asked)
    random = np.random.Generator(np.random.PCG64(int(asked["seed"]) + 1))
    grey = np.full((height, width), float(asked.get("background", 20))) + np.linspace(0, float(asked.get("gradient", 0)), width)
    rows, columns = np.mgrid[:height, :width]
    for x, y, radius, brightness in spots:
        grey[(columns - x) ** 2 + (rows - y) ** 2 <= radius**2] += brightness
    grey += random.normal(0, float(asked.get("noise", 3)), grey.shape)
    file = io.BytesIO()
    kind = {"tif": "TIFF", "tiff": "TIFF", "jpg": "JPEG"}
    ending = Path(str(asked["path"])).suffix.lower().lstrip(".")
    Image.fromarray(grey.clip(0, 255).astype(np.uint8)).save(file, kind.get(ending, ending.upper()))
    return file.getvalue()


MAKERS = Makers(of_files={"micrograph": _micrograph})
