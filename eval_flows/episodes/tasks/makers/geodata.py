"""The makers of geography: features in GeoJSON, and grids of heights."""

import json
from collections.abc import Mapping
from math import exp
from typing import Any

from eval_flows.episodes.tasks.makers.maker import Makers

Json = Mapping[str, Any]
_KINDS = {"point": "Point", "line": "LineString", "polygon": "Polygon"}


def _features(asked: Json) -> bytes:
    name = f"urn:ogc:def:crs:EPSG::{asked['epsg']}"
    made = {
        "type": "FeatureCollection",
        "crs": {"type": "name", "properties": {"name": name}},
        "features": [_feature(one) for one in asked["features"]],
    }
    return (json.dumps(made, indent=1) + "\n").encode()


def _feature(asked: Json) -> Json:
    kind = next(kind for kind in _KINDS if kind in asked)
    places = [[*asked[kind], asked[kind][0]]] if kind == "polygon" else asked[kind]
    attributes = {name: value for name, value in asked.items() if name != kind}
    return {"type": "Feature", "properties": attributes, "geometry": {"type": _KINDS[kind], "coordinates": places}}


def _heights(asked: Json) -> bytes:
    """Return an ASCII grid: each hill is a bell of its height, which falls to 0.37 of it at its width."""
    (left, lower), cell = asked["corner"], asked["cell"]
    columns, rows = asked["size"]
    base, slope = asked.get("base", 0), asked.get("slope", 0)
    lines = [f"ncols {columns}", f"nrows {rows}", f"xllcorner {left}", f"yllcorner {lower}", f"cellsize {cell}", "NODATA_value -9999"]
    for row in range(rows):
        y = lower + (rows - row - 0.5) * cell
        places = [left + (column + 0.5) * cell for column in range(columns)]
        lines.append(" ".join(f"{base + slope * (x - left) + sum(_rise(hill, x, y) for hill in asked['hills']):.2f}" for x in places))
    return ("\n".join(lines) + "\n").encode()


def _rise(hill: Json, x: float, y: float) -> float:
    (at_x, at_y), width = hill["at"], hill["width"]
    return float(hill["height"] * exp(-((x - at_x) ** 2 + (y - at_y) ** 2) / width**2))


MAKERS = Makers(of_files={"features": _features, "heights": _heights})
