"""The getters of geography: features with their geometry in vector files, and the values of grids."""

import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isnan
from typing import Any

from PIL import Image

from eval_flows.episodes.checkers.checker import Checkers

_MOST_BYTES, _MOST_FEATURES, _MOST_CELLS = 20_000_000, 50_000, 10_000_000
_CELL_SIZE, _CORNER, _NOTHING = 33550, 33922, 42113  # tags of GeoTIFF and GDAL


@dataclass(frozen=True)
class Layer:
    """The features of a layer: their geometries, and their attributes by column."""

    shapes: list[Any]
    columns: Mapping[str, list[Any]]
    crs: str | None


def features(content: bytes, what: str) -> Any:
    """Return a property of the first layer of a vector file (GeoPackage, GeoJSON and others of one file); KeyError for an unknown column."""
    layer = _layer(content)
    kind, _, about = what.partition(".")
    return _OF_LAYER[kind](layer, about)


def _layer(content: bytes) -> Layer:
    import shapely
    from pyogrio import raw

    if len(content) > _MOST_BYTES:
        raise ValueError("this file is too large")
    meta, _, shapes, values = raw.read(content, max_features=_MOST_FEATURES)
    names = [str(name) for name in meta["fields"]]
    columns = {name: [_plain(value) for value in column] for name, column in zip(names, values, strict=True)}
    return Layer([shapely.from_wkb(shape) for shape in shapes] if shapes is not None else [], columns, meta["crs"])


def _plain(value: Any) -> Any:
    """Return a value of Python for one of numpy; None for a number that is not there."""
    found = value.item() if hasattr(value, "item") else value
    return None if isinstance(found, float) and isnan(found) else found


def _column(layer: Layer, name: str) -> list[Any]:
    return next(values for column, values in layer.columns.items() if column.casefold() == name.casefold()) if _has(layer, name) else []


def _has(layer: Layer, name: str) -> bool:
    if name.casefold() not in {column.casefold() for column in layer.columns}:
        raise KeyError(name)
    return True


def _place(layer: Layer, key: str) -> int:
    """Return the number of the feature that has a value in some column; KeyError if none has it."""
    for number in range(len(layer.shapes)):
        if any(str(values[number]).strip().casefold() == key.casefold() for values in layer.columns.values()):
            return number
    raise KeyError(key)


def _value(layer: Layer, about: str) -> Any:
    name, _, key = about.partition(":")
    return _column(layer, name)[_place(layer, key)]


def _kinds(layer: Layer, _: str) -> list[str]:
    return sorted({shape.geom_type.removeprefix("Multi").lower() for shape in layer.shapes if shape is not None})


def _bounds(layer: Layer, _: str) -> list[float]:
    import shapely

    return [round(float(edge), 6) for edge in shapely.total_bounds(layer.shapes)]


def _measure(of: str) -> Callable[[Layer, str], float]:
    def measured(layer: Layer, key: str) -> float:
        shapes = [layer.shapes[_place(layer, key)]] if key else layer.shapes
        return float(sum(getattr(shape, of) for shape in shapes if shape is not None))

    return measured


def _covering(layer: Layer, about: str) -> int:
    from shapely import Point

    point = Point(*map(float, about.split(",")))
    return sum(shape is not None and shape.covers(point) for shape in layer.shapes)


_OF_LAYER: Mapping[str, Callable[[Layer, str], Any]] = {
    "count": lambda layer, _: len(layer.shapes),
    "columns": lambda layer, _: sorted(layer.columns),
    "crs": lambda layer, _: layer.crs,
    "kinds": _kinds,
    "bounds": _bounds,
    "area": _measure("area"),
    "length": _measure("length"),
    "covering": _covering,
    "column": _column,
    "value": _value,
    "sum": lambda layer, name: float(sum(value for value in _column(layer, name) if value is not None)),
}


def grid(content: bytes, what: str) -> Any:
    """Return a property of a grid in a GeoTIFF file."""
    picture: Any = Image.open(io.BytesIO(content))
    if picture.width * picture.height > _MOST_CELLS:
        raise ValueError("this grid is too large")
    kind, _, about = what.partition(".")
    size, corner = picture.tag_v2[_CELL_SIZE], picture.tag_v2[_CORNER]
    if kind in ("width", "height"):
        return getattr(picture, kind)
    if kind == "cell":
        return round(float(size[0]), 6)
    if kind == "value":
        x, y = map(float, about.split(","))
        found = picture.getpixel((int((x - corner[3]) / size[0]), int((corner[4] - y) / size[1])))
        return None if found == _nothing(picture) else found
    values = [value for value in picture.getdata() if value != _nothing(picture)]
    return {"smallest": min(values), "largest": max(values), "mean": sum(values) / len(values)}[kind]


def _nothing(picture: Any) -> float | None:
    """Return the number that stands for no value."""
    said = picture.tag_v2.get(_NOTHING)
    return None if said is None else float(str(said).strip("\0 "))


CHECKERS = Checkers(
    of_files={"features": lambda content, asked: features(content, asked["what"]), "grid": lambda content, asked: grid(content, asked["what"])},
    apart=frozenset({"features", "grid"}),
)
