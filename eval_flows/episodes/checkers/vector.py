"""The getter of vector graphics in SVG: geometry on the page in millimetres, whatever transforms, units and groups it is made of."""

import io
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from xml.etree import ElementTree

from eval_flows.episodes.checkers.checker import Checkers

_MM = 25.4 / 96  # of a pixel of CSS
_SVG, _INKSCAPE = "{http://www.w3.org/2000/svg}", "{http://www.inkscape.org/namespaces/inkscape}"
_SODIPODI, _LINK = "{http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd}", "{http://www.w3.org/1999/xlink}"
_MOST_BYTES, _MOST_OBJECTS = 20_000_000, 5_000
_KINDS = {"circle": "ellipse", "polygon": "path", "polyline": "path", "line": "path", "g": "group"}
_DRAWN = frozenset({"rect", "circle", "ellipse", "line", "path", "polygon", "polyline", "text", "use", "image"})
_NOT_DRAWN = frozenset({"defs", "metadata", "symbol", "clipPath", "mask", "marker", "pattern", f"{_SODIPODI}namedview"})
_LENGTH = re.compile(r"\s*([-+0-9.eE]+)\s*(mm|cm|in|pt|pc|px|)\s*")
_HIDING = re.compile(rb"display\s*:\s*none")
_OF_UNIT = {"mm": 1.0, "cm": 10.0, "in": 25.4, "pt": 25.4 / 72, "pc": 25.4 / 6, "px": _MM, "": _MM}
Node = ElementTree.Element


@dataclass(frozen=True)
class Drawn:
    """An object that is drawn, with the groups that it is in, the outermost first."""

    node: Node
    groups: tuple[Node, ...]

    @property
    def name(self) -> str:
        """Return its id."""
        return self.node.get("id", "")

    def style(self, key: str, otherwise: str) -> str:
        """Return a property of its style, its own or inherited."""
        for node in (self.node, *reversed(self.groups)):
            found = _style_of(node).get(key, node.get(key))
            if found is not None and found != "inherit":
                return found
        return otherwise


def vector(content: bytes, what: str) -> Any:
    """Return a property of a drawing; ValueError for one that is too large to be looked at."""
    if len(content) > _MOST_BYTES:
        raise ValueError("this drawing is too large")
    root = ElementTree.fromstring(content)
    kind, _, about = what.partition(".")
    if kind in ("width", "height"):
        return _length(root.get(kind, ""))
    objects = list(_objects(root, ()))[:_MOST_OBJECTS]
    if kind in _OF_DRAWING:
        return _OF_DRAWING[kind](root, objects, content, about)
    if kind.startswith("font"):
        found = next((one for one in objects if one.node.tag == f"{_SVG}text" and about in _words(one.node)), None)
        return None if found is None else _font(found, kind, content)
    one = next((one for one in objects if one.name == about), None)
    return None if one is None else _OF_OBJECT[kind](one, content)


def _objects(node: Node, groups: tuple[Node, ...]) -> Iterator[Drawn]:
    for child in node:
        tag = child.tag.removeprefix(_SVG)
        if tag in _DRAWN:
            yield Drawn(child, groups)
        elif tag not in _NOT_DRAWN:
            yield from _objects(child, (*groups, child))


def _style_of(node: Node) -> dict[str, str]:
    pairs = (entry.split(":", 1) for entry in node.get("style", "").split(";") if ":" in entry)
    return {key.strip(): value.strip() for key, value in pairs}


def _length(text: str) -> float | None:
    found = _LENGTH.fullmatch(text)
    return None if found is None else float(found[1]) * _OF_UNIT[found[2]]


@lru_cache(maxsize=4)
def _shapes(content: bytes) -> Mapping[str, Any]:
    """Return the shapes by id with all transforms applied, in pixels."""
    from svgelements import SVG, Shape, Text

    shown = _HIDING.sub(b"display:inline", content)  # a hidden layer has geometry too
    read = SVG.parse(io.BytesIO(shown), reify=True)
    return {str(one.id): one for one in read.elements() if isinstance(one, Shape | Text) and one.id}


def _box(one: Drawn, content: bytes) -> list[float] | None:
    shape = _shapes(content).get(one.name)
    found = None if shape is None else shape.bbox(with_stroke=False)
    if found is None:
        return None
    left, top, right, bottom = (float(edge) * _MM for edge in found)
    return [round(edge, 4) for edge in (left, top, right - left, bottom - top)]


def _kind(one: Drawn) -> str:
    if one.node.get(f"{_SODIPODI}type") == "star":
        return "star"
    tag = one.node.tag.removeprefix(_SVG)
    return "ellipse" if one.node.get(f"{_SODIPODI}type") == "arc" else _KINDS.get(tag, tag)


def _colour(text: str) -> str:
    from svgelements import Color

    if text == "none" or text.startswith("url("):
        return text
    return str(Color(text).hex)[:7].lower()


def _gradient(one: Drawn, content: bytes) -> str | None:
    found = re.match(r"url\(\"?#([^)\"]+)\"?\)", one.style("fill", "#000000"))
    root = ElementTree.fromstring(content)
    target = None if found is None else next((node for node in root.iter() if node.get("id") == found[1]), None)
    if target is None or not target.tag.endswith("Gradient"):
        return None
    return str(target.tag).removeprefix(_SVG).removesuffix("Gradient")


def _stroke_width(one: Drawn, content: bytes) -> float | None:
    shape = _shapes(content).get(one.name)
    return None if shape is None or shape.stroke_width is None else float(shape.stroke_width) * _MM


def _area(one: Drawn, content: bytes) -> float | None:
    """Return the area of the first outline of a shape, by its points."""
    from svgelements import Path

    shape = _shapes(content).get(one.name)
    if shape is None:
        return None
    outline = Path(shape)
    points = [outline.point(step / 2000) for step in range(2000)]
    turned = zip(points, points[1:] + points[:1], strict=True)
    return float(abs(sum(a.x * b.y - b.x * a.y for a, b in turned))) / 2 * _MM**2


def _extent(boxes: list[list[float]]) -> list[float] | None:
    """Return left, top, width and height of boxes together."""
    if not boxes:
        return None
    left, top = (min(box[side] for box in boxes) for side in (0, 1))
    right, bottom = (max(box[side] + box[side + 2] for box in boxes) for side in (0, 1))
    return [left, top, right - left, bottom - top]


def _boxes(objects: list[Drawn], content: bytes, kind: str) -> list[list[float]]:
    return sorted(box for one in objects if _kind(one) == kind and (box := _box(one, content)) is not None)


def _opacity(one: Drawn, _: bytes) -> float:
    share = float(one.style("fill-opacity", "1")) if one.style("fill", "#000000") != "none" else 1.0
    for node in (one.node, *one.groups):
        share *= float(_style_of(node).get("opacity", node.get("opacity", "1")))
    return share


def _layers(root: Node) -> list[Node]:
    return [node for node in root.iter(f"{_SVG}g") if node.get(f"{_INKSCAPE}groupmode") == "layer"]


def _layer_name(node: Node) -> str:
    return node.get(f"{_INKSCAPE}label", node.get("id", ""))


def _group(one: Drawn) -> str | None:
    """Return the id of the innermost group that it is in; a layer is none."""
    return next((node.get("id") for node in reversed(one.groups) if node.get(f"{_INKSCAPE}groupmode") != "layer"), None)


def _grouped(objects: list[Drawn], names: str) -> bool:
    groups = {_group(one) for one in objects if one.name in names.split(",")}
    return len(groups) == 1 and None not in groups and {one.name for one in objects} >= set(names.split(","))


def _words(node: Node) -> str:
    return " ".join("".join(node.itertext()).split())


def _font(one: Drawn, kind: str, content: bytes) -> Any:
    spans = [Drawn(span, (*one.groups, one.node)) for span in one.node.iter(f"{_SVG}tspan")] or [one]
    if kind == "font":
        return spans[0].style("font-family", "").strip("'\"")
    root = ElementTree.fromstring(content)
    size = _LENGTH.fullmatch(spans[0].style("font-size", ""))
    return None if size is None else float(size[1]) * (_OF_UNIT[size[2]] / _MM) * _scale(root)


def _scale(root: Node) -> float:
    """Return the millimetres of a user unit."""
    width, view = _length(root.get("width", "")), root.get("viewBox", "").split()
    return width / float(view[2]) if width is not None and len(view) == 4 else _MM


_OF_DRAWING: Mapping[str, Callable[[Node, list[Drawn], bytes, str], Any]] = {
    "ids": lambda _, objects, __, ___: sorted(one.name for one in objects),
    "order": lambda _, objects, __, ___: [one.name for one in objects],
    "grouped": lambda _, objects, __, names: _grouped(objects, names),
    "count": lambda _, objects, __, ___: len(objects),
    "boxes": lambda _, objects, content, kind: _boxes(objects, content, kind),
    "extent": lambda _, objects, content, kind: _extent(_boxes(objects, content, kind)),
    "enclosed": lambda _, objects, content, __: sum(_area(one, content) or 0.0 for one in objects),
    "layers": lambda root, _, __, ___: [_layer_name(node) for node in _layers(root)],
    "hidden": lambda root, _, __, name: next((_style_of(node).get("display") == "none" for node in _layers(root) if _layer_name(node) == name), None),
    "texts": lambda _, objects, __, ___: sorted(_words(one.node) for one in objects if one.node.tag == f"{_SVG}text"),
}
_OF_OBJECT: Mapping[str, Callable[[Drawn, bytes], Any]] = {
    "box": _box,
    "kind": lambda one, _: _kind(one),
    "fill": lambda one, _: _colour(one.style("fill", "#000000")),
    "stroke": lambda one, _: _colour(one.style("stroke", "none")),
    "stroke_width": _stroke_width,
    "opacity": _opacity,
    "dashed": lambda one, _: one.style("stroke-dasharray", "none") not in ("none", "0"),
    "gradient": _gradient,
    "layer_of": lambda one, _: next((_layer_name(node) for node in reversed(one.groups) if node.get(f"{_INKSCAPE}groupmode") == "layer"), None),
    "area": _area,
    "group_of": lambda one, _: _group(one),
}
CHECKERS = Checkers(of_files={"svg": lambda content, asked: vector(content, asked["what"])})
