"""GIMP's projects with pixels, written by the format that GIMP documents: for tests of what reads them."""

import struct
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
Pack = Callable[[Pixels], bytes]


def number(*values: int) -> bytes:
    return struct.pack(f">{len(values)}I", *values)


def prop(kind: int, data: bytes) -> bytes:
    return number(kind, len(data)) + data


def text(said: str) -> bytes:
    return number(len(said.encode()) + 1) + said.encode() + b"\0"


def plain(tile: Pixels) -> bytes:
    return tile.tobytes()


def deflated(tile: Pixels) -> bytes:
    return zlib.compress(tile.tobytes())


def in_runs(tile: Pixels) -> bytes:
    """Each channel on its own: equal bytes as one run, others as they are."""
    packed = b""
    for channel in range(tile.shape[2]):
        data, at = tile[..., channel].tobytes(), 0
        while at < len(data):
            same = len(data[at:]) - len(data[at:].lstrip(data[at : at + 1]))
            if same > 2:
                packed += (bytes([127]) + same.to_bytes(2) if same > 127 else bytes([same - 1])) + data[at : at + 1]
                at += same
            else:
                end = next((n for n in range(at, len(data) - 2) if data[n] == data[n + 1] == data[n + 2]), len(data))
                length = end - at
                packed += (bytes([128]) + length.to_bytes(2) if length > 127 else bytes([256 - length])) + data[at:end]
                at = end
    return packed


PACKED: dict[int, Pack] = {0: plain, 1: in_runs, 2: deflated}


@dataclass(frozen=True)
class Layer:
    """A layer with its pixels, height x width x channels."""

    pixels: Pixels
    type: int = 0
    name: str = "a layer"
    properties: bytes = b""
    opacity: int = 255


def project(layers: Sequence[Layer], compression: int = 1, version: bytes = b"v011", palette: Any = None, precision: int = 150) -> bytes:
    """A project whose canvas is as large as its first layer."""
    long, packs = version >= b"v011", PACKED[compression]
    size = 8 if long else 4
    height, width = layers[0].pixels.shape[:2]
    properties = prop(17, bytes([compression])) + (prop(1, number(len(palette)) + bytes(np.array(palette, np.uint8))) if palette is not None else b"")
    made = bytearray(b"gimp xcf " + version + b"\0" + number(width, height, layers[0].type // 2))
    made += (number(precision) if version >= b"v004" and version != b"file" else b"") + properties + prop(0, b"")
    table = len(made)
    made += bytes(size * (len(layers) + 2))
    for place, layer in enumerate(layers):
        made[table + size * place : table + size * (place + 1)] = len(made).to_bytes(size)
        made += _layer(layer, len(made), size, packs)
    return bytes(made)


def _layer(layer: Layer, at: int, size: int, packs: Pack) -> bytes:
    rows, columns, channels = layer.pixels.shape
    head = number(columns, rows, layer.type) + text(layer.name) + prop(6, number(layer.opacity)) + layer.properties + prop(0, b"")
    hierarchy = at + len(head) + 2 * size
    level = hierarchy + 12 + 2 * size
    tiles = [packs(layer.pixels[top : top + 64, left : left + 64]) for top in range(0, rows, 64) for left in range(0, columns, 64)]
    first = level + 8 + size * (len(tiles) + 1)
    starts = [first + sum(map(len, tiles[:n])) for n in range(len(tiles))]
    pointers = b"".join(start.to_bytes(size) for start in (*starts, 0))
    return b"".join(
        [
            *(head, hierarchy.to_bytes(size), bytes(size)),
            *(number(columns, rows, channels), level.to_bytes(size), bytes(size)),
            *(number(columns, rows), pointers, *tiles),
        ]
    )
