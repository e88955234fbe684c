"""The getter of technical drawings in DXF: geometry, whatever entities it is made of."""

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import atan2, cos, degrees, dist, hypot, pi, radians, sin
from typing import TYPE_CHECKING, Any

from eval_flows.episodes.checkers.checker import Checkers
from eval_flows.episodes.checkers.outlines import TOLERANCE, Point, Segment, covers, largest_area

if TYPE_CHECKING:
    from ezdxf.document import Drawing

Entities = Sequence[Any]
_UNITS = {4: "mm", 5: "cm", 6: "m"}
_MOST_BYTES, _MOST_ENTITIES = 20_000_000, 20_000
_OF_PROGRAMS = frozenset({"0", "defpoints"})
_WHOLE = 359.9  # degrees


def drawing(content: bytes, what: str) -> Any:
    """Return a property of a drawing; ValueError for one that is too large to be looked at."""
    from ezdxf import recover

    if len(content) > _MOST_BYTES:
        raise ValueError("this drawing is too large")
    document, _ = recover.read(io.BytesIO(content))
    kind, _, rest = what.partition(".")
    about, _, layer = rest.partition(":")
    if kind in _OF_DOCUMENT:
        return _OF_DOCUMENT[kind](document, about)
    entities = [one for one in document.modelspace() if not layer or one.dxf.get("layer", "0").casefold() == layer.casefold()]
    return _OF_ENTITIES[kind](entities[:_MOST_ENTITIES], about)


def _layers(document: "Drawing", _: str) -> list[str]:
    return sorted(layer.dxf.name for layer in document.layers if layer.dxf.name.casefold() not in _OF_PROGRAMS)


def _layer_property(name: str) -> Callable[["Drawing", str], Any]:
    def get(document: "Drawing", layer: str) -> Any:
        found = document.layers.get(layer)
        if name == "linetype":
            return found.dxf.linetype.upper()
        return "#{:02x}{:02x}{:02x}".format(*found.rgb) if found.rgb is not None else abs(found.dxf.color)

    return get


def _segments(entities: Entities) -> Iterator[Segment]:
    """Yield the straight stretches of lines and of polylines."""
    for one in entities:
        if one.dxftype() == "LINE":
            yield _point(one.dxf.start), _point(one.dxf.end)
        elif one.dxftype() in ("LWPOLYLINE", "POLYLINE"):
            for part in one.virtual_entities():
                if part.dxftype() == "LINE":
                    yield _point(part.dxf.start), _point(part.dxf.end)


def _arcs(entities: Entities) -> list[list[float]]:
    found = []
    for one in entities:
        parts = one.virtual_entities() if one.dxftype() in ("LWPOLYLINE", "POLYLINE") else [one]
        found += [
            [part.dxf.center.x, part.dxf.center.y, part.dxf.radius, part.dxf.start_angle % 360, part.dxf.end_angle % 360]
            for part in parts
            if part.dxftype() == "ARC"
        ]
    return sorted(found)


def _circles(entities: Entities) -> list[list[float]]:
    return sorted([one.dxf.center.x, one.dxf.center.y, one.dxf.radius] for one in entities if one.dxftype() == "CIRCLE")


def _length(entities: Entities) -> float:
    arcs = sum(radius * radians((end - start) % 360) for _, _, radius, start, end in _arcs(entities))
    return sum(dist(*segment) for segment in _segments(entities)) + arcs + sum(2 * pi * radius for _, _, radius in _circles(entities))


def _bounds(entities: Entities) -> list[float] | None:
    points: list[Point] = [point for segment in _segments(entities) for point in segment]
    for x, y, radius in _circles(entities):
        points += [(x - radius, y - radius), (x + radius, y + radius)]
    for x, y, radius, start, end in _arcs(entities):
        turns = [start, end, *(turn for turn in (0, 90, 180, 270) if (turn - start) % 360 < (end - start) % 360)]
        points += [(x + radius * cos(radians(turn)), y + radius * sin(radians(turn))) for turn in turns]
    return [*map(min, zip(*points, strict=True)), *map(max, zip(*points, strict=True))] if points else None


def _dimensions(entities: Entities) -> list[float]:
    return sorted(_measured(one) for one in entities if one.dxftype() == "DIMENSION")


def _measured(dimension: Any) -> float:
    """Return what a dimension measures: a length, or an angle in degrees."""
    measured = dimension.get_measurement()
    return float(measured if isinstance(measured, int | float) else degrees(atan2(measured.y, measured.x)) if hypot(*measured) else 0.0)


def _texts(entities: Entities) -> list[str]:
    plain = {"TEXT": lambda one: one.dxf.text, "MTEXT": lambda one: one.plain_text()}
    return sorted(" ".join(str(plain[one.dxftype()](one)).split()) for one in entities if one.dxftype() in plain)


def _covered(entities: Entities, about: str) -> bool:
    x0, y0, x1, y1 = map(float, about.split(","))
    return covers(list(_segments(entities)), ((x0, y0), (x1, y1)))


def _hole(entities: Entities, about: str) -> bool:
    """Tell whether there is a circle with that centre and radius, also one of two halves."""
    x, y, radius = map(float, about.split(","))
    halves = sum((end - start) % 360 for *circle, start, end in _arcs(entities) if _is_near(circle, (x, y, radius)))
    return halves >= _WHOLE or any(_is_near(circle, (x, y, radius)) for circle in _circles(entities))


def _is_near(circle: Sequence[float], wanted: Sequence[float]) -> bool:
    return all(abs(one - other) <= TOLERANCE for one, other in zip(circle, wanted, strict=True))


def _area(entities: Entities) -> float:
    return max([largest_area(list(_segments(entities))), *(pi * radius**2 for _, _, radius in _circles(entities))])


def _point(vector: Any) -> Point:
    return float(vector.x), float(vector.y)


_OF_DOCUMENT: Mapping[str, Callable[["Drawing", str], Any]] = {
    "layers": _layers,
    "colour": _layer_property("colour"),
    "linetype": _layer_property("linetype"),
    "unit": lambda document, _: _UNITS.get(document.units, document.units),
    "inserts": lambda document, block: sum(one.dxf.name.casefold() == block.casefold() for one in document.modelspace() if one.dxftype() == "INSERT"),
}
_OF_ENTITIES: Mapping[str, Callable[[Entities, str], Any]] = {
    "count": lambda entities, kind: sum(one.dxftype() == kind.upper() for one in entities),
    "length": lambda entities, _: _length(entities),
    "covered": _covered,
    "hole": _hole,
    "circles": lambda entities, _: _circles(entities),
    "arcs": lambda entities, _: _arcs(entities),
    "bounds": lambda entities, _: _bounds(entities),
    "dimensions": lambda entities, _: _dimensions(entities),
    "texts": lambda entities, _: _texts(entities),
    "area": lambda entities, _: _area(entities),
}
CHECKERS = Checkers(of_files={"dxf": lambda content, asked: drawing(content, asked["what"])})
