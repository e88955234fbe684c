"""Getters of microscopy: pictures and stacks with their scale, and regions of interest as ImageJ saves them."""

import io
import zipfile
from collections.abc import Callable, Mapping
from math import pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eval_flows.episodes.checkers.checker import Checkers

_MOST_PIXELS, _MOST_REGIONS, _MOST_BYTES = 50_000_000, 5_000, 5_000_000
_ARCHIVE = b"PK"
_SQUARES, _OVALS = ("RECT",), ("OVAL",)
Grey = NDArray[np.float64]


def micrograph(content: bytes, what: str) -> Any:
    """Return a property of a picture or a stack in a TIFF file; ValueError if it is too large to look at."""
    from tifffile import TiffFile

    kind, _, rest = what.partition(".")
    with TiffFile(io.BytesIO(content)) as file:
        series = file.series[0]
        if series.size > _MOST_PIXELS:
            raise ValueError(f"a picture of {series.size} values is too large to look at")
        if kind in _OF_FILE:
            return _OF_FILE[kind](file)
        return _OF_VALUES[kind](_cut(_slices(file), rest), rest)


def _slices(file: Any) -> Grey:
    """Return grey levels by slice, row and column; colours become grey by their mean."""
    values, axes = np.asarray(file.series[0].asarray(), dtype=np.float64), str(file.series[0].axes)
    grey: Grey = values.mean(axis=axes.index("S")) if "S" in axes else values
    return grey.reshape(-1, grey.shape[-2], grey.shape[-1])


def _unit(file: Any) -> str:
    unit = str((file.imagej_metadata or {}).get("unit", "pixel"))
    return unit.encode().decode("unicode_escape") if "\\u" in unit else unit


def _pixels_per_unit(file: Any) -> float:
    pixels, units = file.pages[0].tags["XResolution"].value
    return float(pixels) / float(units)


def _cut(slices: Grey, rest: str) -> Grey:
    """Return the part at x.y.width.height[.slice], counted from 0, or else the first slice."""
    asked = [int(number) for number in rest.split(".") if number.isdigit()] if rest.count(".") >= 3 else []
    if not asked:
        first: Grey = slices[0]
        return first
    x, y, width, height, *number = asked
    part: Grey = slices[number[0] if number else 0, y : y + height, x : x + width]
    if part.shape != (height, width):
        raise ValueError(f"the picture ends before {rest}")
    return part


_OF_FILE: Mapping[str, Callable[[Any], Any]] = {
    "slices": lambda file: len(_slices(file)),
    "size": lambda file: list(_slices(file).shape[:0:-1]),
    "bits": lambda file: int(file.pages[0].bitspersample) * int(file.pages[0].samplesperpixel),
    "unit": _unit,
    "pixels_per_unit": _pixels_per_unit,
}
_OF_VALUES: Mapping[str, Callable[[Grey, str], Any]] = {
    "mean": lambda part, _: float(part.mean()),
    "deviation": lambda part, _: float(part.std()),
    "least": lambda part, _: float(part.min()),
    "most": lambda part, _: float(part.max()),
    "levels": lambda part, _: [float(level) for level in np.unique(part)[:300]],
    "share": lambda part, level: float((part == float(level)).mean()),
}


def rois(content: bytes, what: str) -> Any:
    """Return a property of the regions of interest in a file .roi or .zip of ImageJ."""
    return _OF_REGIONS[what](_regions(content))


def _regions(content: bytes) -> list[Any]:
    from roifile import ImagejRoi

    if not content.startswith(_ARCHIVE):
        return [ImagejRoi.frombytes(content)]
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = [member for member in archive.infolist() if member.filename.endswith(".roi")]
        if len(members) > _MOST_REGIONS or sum(member.file_size for member in members) > _MOST_BYTES:
            raise ValueError("this archive is too large to look at")
        return [ImagejRoi.frombytes(archive.read(member)) for member in members]


def _bounds(region: Any) -> list[int]:
    return [int(region.left), int(region.top), int(region.right - region.left), int(region.bottom - region.top)]


def _area(region: Any) -> float:
    """Return the area in square pixels."""
    width, height = _bounds(region)[2:]
    if region.roitype.name in _SQUARES:
        return float(width * height)
    if region.roitype.name in _OVALS:
        return pi * width * height / 4
    x, y = np.asarray(region.coordinates(), dtype=float).T
    return float(abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1))) / 2)


_OF_REGIONS: Mapping[str, Callable[[list[Any]], Any]] = {
    "count": len,
    "names": lambda regions: [str(region.name) for region in regions],
    "bounds": lambda regions: sorted(_bounds(region) for region in regions),
    "areas": lambda regions: sorted(_area(region) for region in regions),
}


CHECKERS = Checkers(
    of_files={
        "micrograph": lambda content, asked: micrograph(content, asked["what"]),
        "rois": lambda content, asked: rois(content, asked["what"]),
    },
    apart=frozenset({"micrograph"}),
)
