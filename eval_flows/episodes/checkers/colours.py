"""Getters of colours in pictures: at places, in areas, and beside the picture as it was before."""

import io
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageColor

from eval_flows.episodes.checkers.checker import Checkers
from eval_flows.episodes.checkers.pictures import opened_picture
from eval_flows.episodes.tasks.makers.maker import makers

Json = Mapping[str, Any]
Levels = NDArray[np.uint8]
Mask = NDArray[np.bool_]
Area = Sequence[float] | Mapping[str, Sequence[float]]
_PLACE = re.compile(r"(?:([\d.]+)%)?([+-]?\d+)?")  # a share of a side, pixels, or pixels from a share
_TRANSPARENT = "transparent"
_OPACITY = 3  # the channel


def pixel(content: bytes, x: str, y: str) -> str | None:
    """Return the colour of a pixel as #rrggbb; None beyond the edges. A place is in pixels, a share of the side, or pixels from there."""
    picture = opened_picture(content).convert("RGB")
    at = _place(x, picture.width), _place(y, picture.height)
    if not (0 <= at[0] < picture.width and 0 <= at[1] < picture.height):
        return None
    red, green, blue = np.asarray(picture)[at[1], at[0]]
    return f"#{red:02x}{green:02x}{blue:02x}"


def _place(at: str, length: int) -> int:
    found = _PLACE.fullmatch(at)
    if found is None or not at:
        raise ValueError(f"{at} is no place along a side")
    return int(float(found[1] or 0) * length / 100) + int(found[2] or 0)


def off_colour(content: bytes, spots: Mapping[str, Iterable[Any]]) -> int:
    """Return by how many levels of 255 the worst pixel at some spots differs from its colour; `ValueError` for a spot beyond the edges.

    A spot is a place [x, y], or an area. A colour is opaque, `transparent`, or several with spaces between them, of which the nearest counts.
    """
    pixels = _with_opacity(opened_picture(content))
    return max(_worst(_spot(pixels, spot), colours.split()) for colours, places in spots.items() for spot in places)


def _spot(pixels: Levels, spot: Any) -> Levels:
    """Return the pixels of a spot; those of a place are one."""
    rows, columns, _ = pixels.shape
    area = spot if isinstance(spot, Mapping) or len(spot) > 2 else (_place(str(spot[0]), columns), _place(str(spot[1]), rows), 1, 1)
    left, top, right, bottom = _edges(area)
    if not (0 <= left <= right <= columns and 0 <= top <= bottom <= rows):
        raise ValueError(f"{spot} is not within a picture of {columns} x {rows} pixels")
    return pixels[_area((rows, columns), area)]


def _worst(pixels: Levels, colours: Iterable[str]) -> int:
    each = [pixels[..., _OPACITY] if colour == _TRANSPARENT else apart(pixels, colour) for colour in colours]
    return int(np.minimum.reduce(each).max())


def near_colour(content: bytes, colour: str, levels: int, inside: Area | None, outside: Area | None) -> int:
    """Return how many pixels, inside and outside of areas, differ from a colour by at most so many levels in each channel."""
    near = apart(_colours(opened_picture(content)), colour) <= levels
    return int((near & _chosen(near.shape, inside, outside)).sum())


def changed_pixels(content: bytes, before: Json, levels: int, inside: Area | None, outside: Area | None) -> int | None:
    """Return how many pixels, inside and outside of areas, differ from a declared picture by more than so many levels in a channel.

    Opacity counts as a channel. None if the pictures differ in size.
    """
    one, other = (_with_opacity(picture) for picture in (opened_picture(content), _drawn(before)))
    if one.shape != other.shape:
        return None
    differ = (np.maximum(one, other) - np.minimum(one, other)).max(axis=2) > levels
    return int((differ & _chosen(differ.shape, inside, outside)).sum())


def kept_colour(content: bytes, before: Json, colour: str, levels: int, inside: Area | None, outside: Area | None) -> float | None:
    """Return the share of the pixels of nearly a colour in a declared picture that have it here as well.

    None if the pictures differ in size, or if the declared one has no such pixel.
    """
    here, there = (apart(_colours(picture), colour) <= levels for picture in (opened_picture(content), _drawn(before)))
    if here.shape != there.shape:
        return None
    there &= _chosen(there.shape, inside, outside)
    return float((here & there).sum() / there.sum()) if there.any() else None


def apart(pixels: Levels, colour: str) -> Levels:
    """Return by how many levels each pixel (with the channels red, green, blue, perhaps opacity) differs from a colour in the worst channel."""
    wanted = (*ImageColor.getrgb(colour)[:3], 255)[: pixels.shape[-1]]
    steps = np.arange(256)
    each = [np.abs(steps - level).astype(np.uint8)[pixels[..., channel]] for channel, level in enumerate(wanted)]
    worst: Levels = np.maximum.reduce(each)
    return worst


def _drawn(declared: Json) -> Image.Image:
    return Image.open(io.BytesIO(makers().of_files["picture"]({"path": "before.png", **declared})))


def _colours(picture: Image.Image) -> Levels:
    return np.asarray(picture.convert("RGB"))


def _with_opacity(picture: Image.Image) -> Levels:
    return np.asarray((picture if picture.has_transparency_data else picture.convert("RGB")).convert("RGBA"))


def _chosen(shape: tuple[int, ...], inside: Area | None, outside: Area | None) -> Mask:
    chosen = np.ones(shape, bool) if inside is None else _area(shape, inside)
    return chosen if outside is None else chosen & ~_area(shape, outside)


def _edges(area: Area) -> tuple[float, float, float, float]:
    """Return left, top, right and bottom, the latter two beyond the last pixel."""
    if isinstance(area, Mapping):
        x, y, _, most = area["ring"]
        return x - most, y - most, x + most + 1, y + most + 1
    left, top, width, height = area
    return left, top, left + width, top + height


def _area(shape: tuple[int, ...], area: Area) -> Mask:
    """Return which pixels lie in an area: [x, y, width, height], or {ring: [x, y, least, most]} with the radii of its edges."""
    rows, columns = np.ogrid[: shape[0], : shape[1]]
    if isinstance(area, Mapping):
        x, y, least, most = area["ring"]
        distances = np.hypot((columns - x).astype(np.float32), (rows - y).astype(np.float32))
        return (least <= distances) & (distances <= most)
    left, top, width, height = area
    return (left <= columns) & (columns < left + width) & (top <= rows) & (rows < top + height)


def _areas(asked: Json) -> tuple[Area | None, Area | None]:
    return asked.get("inside"), asked.get("outside")


CHECKERS = Checkers(
    of_files={
        "pixel": lambda content, asked: pixel(content, str(asked["x"]), str(asked["y"])),
        "off_colour": lambda content, asked: off_colour(content, asked["spots"]),
        "near_colour": lambda content, asked: near_colour(content, asked["colour"], int(asked["levels"]), *_areas(asked)),
        "changed_pixels": lambda content, asked: changed_pixels(content, asked["before"], int(asked["levels"]), *_areas(asked)),
        "kept_colour": lambda content, asked: kept_colour(content, asked["before"], asked["colour"], int(asked["levels"]), *_areas(asked)),
    },
)
