"""Getters of GIMP's projects (.xcf): layers, their colours and the texts of text layers, by the format that GIMP documents in devel-docs/xcf.txt."""

import re
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from eval_flows.episodes.checkers.checker import Checkers
from eval_flows.episodes.checkers.colours import apart
from eval_flows.episodes.checkers.tiles import Coding, pixels

_MAGIC = b"gimp xcf "
_OPACITY, _VISIBLE, _OFFSETS, _PARASITES = 6, 8, 15, 21
_PALETTE, _COMPRESSION, _EXACT_OPACITY = 1, 17, 33
_TEXT_PARASITE = "gimp-text-layer"
_WITH_PRECISION, _WITH_LONG_POINTERS = 4, 11  # the first versions with them
_MOST_LAYERS = 1000
_MOST_PIXELS = 10_000_000  # of all layers together
_EIGHT_BITS = (0, 150)  # the precisions, of version 4 and of later ones, whose bytes are the levels of 255 that pictures have
_CHANNELS = (3, 4, 1, 2, 1, 2)  # by the type of a layer: RGB, grey and indexed, each without and with opacity
_SAID = re.compile(r'\((text|markup) "((?:[^"\\]|\\.)*)"\)', re.DOTALL)
_ESCAPED = re.compile(rb"\\([0-7]{1,3}|.)", re.DOTALL)
_ESCAPES = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"b": b"\b", b"f": b"\f"}


@dataclass(frozen=True)
class _Layer:
    name: str
    text: str | None
    is_seen: bool


def of_project(content: bytes, what: str) -> Any:
    """Return a property of a project: see checkers.yaml."""
    width, height, layers = _read(content)
    ways: Mapping[str, Callable[[], Any]] = {
        "width": lambda: width,
        "height": lambda: height,
        "layers": lambda: [one.name for one in layers],
        "texts": lambda: [one.text for one in layers if one.text is not None],
        "seen_texts": lambda: [one.text for one in layers if one.text is not None and one.is_seen],
    }
    return ways[what]()


def _read(content: bytes) -> tuple[int, int, list[_Layer]]:
    """Return width, height and layers, the topmost first; ValueError if it is not a project."""
    if not content.startswith(_MAGIC):
        raise ValueError("this is not a GIMP project")
    tag = content[len(_MAGIC) : len(_MAGIC) + 4]
    version = int(tag[1:]) if tag.startswith(b"v") else 0
    at = len(_MAGIC) + 5
    width, height = _numbers(content, at, 2)
    at += 16 if version >= _WITH_PRECISION else 12
    *_, (_, _, at) = _properties(content, at)
    size, form = (8, ">Q") if version >= _WITH_LONG_POINTERS else (4, ">I")
    layers: list[_Layer] = []
    while (pointer := struct.unpack_from(form, content, at)[0]) and len(layers) < _MOST_LAYERS:
        layers.append(_layer(content, pointer, (width, height)))
        at += size
    return width, height, layers


def _layer(content: bytes, at: int, canvas: tuple[int, int]) -> _Layer:
    size = _numbers(content, at, 2)
    name, at = _string(content, at + 12)
    properties = {kind: data for kind, data, _ in _properties(content, at)}
    return _Layer(name, _text(properties.get(_PARASITES, b"")), _is_seen(properties, size, canvas))


def _is_seen(properties: Mapping[int, bytes], size: Sequence[int], canvas: Sequence[int]) -> bool:
    """Tell whether a layer is shown, is not fully transparent as a whole, and has a part on the canvas."""
    switched = all(_numbers(properties[kind], 0, 1) != (0,) for kind in (_OPACITY, _VISIBLE) if kind in properties)
    offsets = struct.unpack(">2i", properties.get(_OFFSETS, bytes(8)))
    return switched and all(-length < start < side for start, length, side in zip(offsets, size, canvas, strict=True))


def _properties(content: bytes, at: int) -> Iterator[tuple[int, bytes, int]]:
    """Yield the kind and the data of each property, and the place after it; the last has kind 0."""
    kind = -1
    while kind != 0:
        kind, length = _numbers(content, at, 2)
        at += 8 + length
        yield kind, content[at - length : at], at


def _text(parasites: bytes) -> str | None:
    """Return the text of a text layer, plain or with markup; None for other layers."""
    at = 0
    while at < len(parasites):
        name, at = _string(parasites, at)
        _, length = _numbers(parasites, at, 2)
        data, at = parasites[at + 8 : at + 8 + length], at + 8 + length
        said = _SAID.search(data.decode(errors="replace")) if name == _TEXT_PARASITE else None
        if said:
            plain = _ESCAPED.sub(_unescaped, said[2].encode()).decode(errors="replace")
            return plain if said[1] == "text" else "".join(ElementTree.fromstring(plain).itertext())
    return None


def _unescaped(found: re.Match[bytes]) -> bytes:
    return bytes([int(found[1], 8) & 0xFF]) if found[1].isdigit() else _ESCAPES.get(found[1], found[1])


def _numbers(content: bytes, at: int, count: int) -> tuple[int, ...]:
    return struct.unpack_from(f">{count}I", content, at)


def _string(content: bytes, at: int) -> tuple[str, int]:
    (length,) = _numbers(content, at, 1)
    return content[at + 4 : at + 4 + length].rstrip(b"\0").decode(errors="replace"), at + 4 + length


@dataclass(frozen=True)
class _Painted:
    """A layer with its type, its size, its place, its opacity in percent, and where its pixels are told of."""

    type: int
    size: tuple[int, int]
    offsets: tuple[int, int]
    opacity: float
    pixels_at: int


def of_layers(content: bytes, what: str) -> Any:
    """Return a property of each layer of a project, the topmost first: see checkers.yaml."""
    _, _, layers = _painted(content)
    ways: Mapping[str, Callable[[], Any]] = {
        "opacities": lambda: [one.opacity for one in layers],
        "offsets": lambda: [list(one.offsets) for one in layers],
        "sizes": lambda: [list(one.size) for one in layers],
    }
    return ways[what]()


def near_colour_in_layers(content: bytes, colour: str, levels: int) -> list[int]:
    """Return how many pixels of each layer, the topmost first, are near a colour; those that are more than half transparent do not count.

    `ValueError` if the project has other pixels than those of 8 bits a channel, or too many; others if its tiles are broken.
    """
    coding, palette, layers = _painted(content)
    if sum(one.size[0] * one.size[1] for one in layers) > _MOST_PIXELS:
        raise ValueError("a project with so many pixels is too large to look at")
    return [_near(pixels(content, one.pixels_at, one.size, coding), one.type, palette, colour, levels) for one in layers]


def _near(painted: NDArray[np.uint8], kind: int, palette: NDArray[np.uint8], colour: str, levels: int) -> int:
    if painted.shape[2] != _CHANNELS[kind]:
        raise ValueError("the pixels of a layer are not those of its type")
    has_opacity = kind % 2 == 1
    own = painted[..., :-1] if has_opacity else painted
    shown = own if kind < 2 else palette[own[..., 0]] if kind > 3 else np.repeat(own, 3, axis=2)
    near = apart(shown, colour) <= levels
    return int((near & (painted[..., -1] > 127)).sum() if has_opacity else near.sum())


def _painted(content: bytes) -> tuple[Coding, NDArray[np.uint8], list[_Painted]]:
    """Return how a project keeps pixels, its palette, and its layers, the topmost first."""
    if not content.startswith(_MAGIC):
        raise ValueError("this is not a GIMP project")
    tag = content[len(_MAGIC) : len(_MAGIC) + 4]
    version = int(tag[1:]) if tag.startswith(b"v") else 0
    at = len(_MAGIC) + 5 + 12
    if version >= _WITH_PRECISION:
        if _numbers(content, at, 1)[0] not in _EIGHT_BITS:
            raise ValueError("the pixels of this project do not have 8 bits a channel")
        at += 4
    told = list(_properties(content, at))
    properties, at = {kind: data for kind, data, _ in told}, told[-1][2]
    form = ">Q" if version >= _WITH_LONG_POINTERS else ">I"
    layers: list[_Painted] = []
    while (pointer := struct.unpack_from(form, content, at)[0]) and len(layers) < _MOST_LAYERS:
        layers.append(_painted_layer(content, pointer, form))
        at += struct.calcsize(form)
    palette = np.frombuffer(properties.get(_PALETTE, b"")[4:], np.uint8).reshape(-1, 3)
    return Coding(properties[_COMPRESSION][0], form), palette, layers


def _painted_layer(content: bytes, at: int, form: str) -> _Painted:
    width, height, kind = _numbers(content, at, 3)
    _, at = _string(content, at + 12)
    told = list(_properties(content, at))
    properties = {one: data for one, data, _ in told}
    x, y = struct.unpack(">2i", properties.get(_OFFSETS, bytes(8)))
    (pixels_at,) = struct.unpack_from(form, content, told[-1][2])
    return _Painted(kind, (width, height), (x, y), _percent(properties), pixels_at)


def _percent(properties: Mapping[int, bytes]) -> float:
    """Return the opacity of a layer; newer versions of GIMP also say it more exactly than by a byte."""
    exact = properties.get(_EXACT_OPACITY)
    return round(100 * (struct.unpack(">f", exact)[0] if exact else _numbers(properties[_OPACITY], 0, 1)[0] / 255), 2)


CHECKERS = Checkers(
    of_files={
        "project": lambda content, asked: of_project(content, asked["what"]),
        "layers": lambda content, asked: of_layers(content, asked["what"]),
        "layer_colour": lambda content, asked: near_colour_in_layers(content, asked["colour"], int(asked["levels"])),
    }
)
