"""The maker of pictures with layers, in GIMP's own format (XCF, version 0: RGB with opacity, not packed)."""

import io
import struct
from collections.abc import Mapping
from typing import Any

from PIL import Image

from eval_flows.episodes.tasks.makers.maker import made_file

Json = Mapping[str, Any]
_TILE = 64
_RGB, _RGBA = 0, 1
_END, _ACTIVE, _OPACITY, _VISIBLE, _OFFSETS, _COMPRESSION = 0, 2, 6, 8, 15, 17


def layers(asked: Json) -> bytes:
    """Return a picture of a `size` with `layers`, the top one first, which is the active one.

    A layer has a `name`, a `picture` (as its maker takes it) or else nothing in it, `at` and `visible`.
    """
    width, height = asked["size"]
    head = b"gimp xcf file\0" + struct.pack(">III", width, height, _RGB) + _property(_COMPRESSION, b"\0") + _property(_END)
    given = list(asked["layers"])
    place = len(head) + 4 * (len(given) + 2)  # after two lists of places, each with a 0 at its end; there is no channel
    blocks, places = [], []
    for number, layer in enumerate(given):
        places.append(place)
        blocks.append(_layer(layer, (width, height), place, is_active=number == 0))
        place += len(blocks[-1])
    return head + struct.pack(f">{len(places)}I", *places) + bytes(8) + b"".join(blocks)


def _property(kind: int, content: bytes = b"") -> bytes:
    return struct.pack(">II", kind, len(content)) + content


def _layer(layer: Json, size: tuple[int, int], place: int, is_active: bool) -> bytes:
    picture = _picture(layer, size)
    name = str(layer["name"]).encode() + b"\0"
    properties = [
        *([_property(_ACTIVE)] if is_active else []),
        _property(_OPACITY, struct.pack(">I", 255)),
        _property(_VISIBLE, struct.pack(">I", layer.get("visible", True))),
        _property(_OFFSETS, struct.pack(">ii", *layer.get("at", (0, 0)))),
        _property(_END),
    ]
    head = struct.pack(">III", *picture.size, _RGBA) + struct.pack(">I", len(name)) + name + b"".join(properties)
    begin = place + len(head) + 8
    return head + struct.pack(">II", begin, 0) + _hierarchy(picture, begin)


def _picture(layer: Json, size: tuple[int, int]) -> Image.Image:
    if "picture" not in layer:
        return Image.new("RGBA", size)
    return Image.open(io.BytesIO(made_file("picture", {"path": "made.png", **layer["picture"]}))).convert("RGBA")


def _hierarchy(picture: Image.Image, begin: int) -> bytes:
    """Return the pixels: a hierarchy of one level, which is a list of tiles."""
    width, height = picture.size
    boxes = [(x, y, min(x + _TILE, width), min(y + _TILE, height)) for y in range(0, height, _TILE) for x in range(0, width, _TILE)]
    tiles = [picture.crop(box).tobytes() for box in boxes]
    level = begin + 20
    place = level + 8 + 4 * (len(tiles) + 1)
    places = []
    for tile in tiles:
        places.append(place)
        place += len(tile)
    of_hierarchy = struct.pack(">IIIII", width, height, 4, level, 0)
    return of_hierarchy + struct.pack(">II", width, height) + struct.pack(f">{len(places)}I", *places) + bytes(4) + b"".join(tiles)
