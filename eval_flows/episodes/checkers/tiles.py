"""Pixels of the layers in GIMP's projects (.xcf): tiles of 64 x 64 pixels, by the format that GIMP documents in devel-docs/xcf.txt."""

import struct
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
_Shape = tuple[int, int, int]
_SIDE = 64
_LONGEST = _SIDE * _SIDE * 4 * 2  # bytes of a packed tile; GIMP writes at most one and a half times those of a plain one
_LONG = 128  # this length of a run says that the true one follows in two bytes


@dataclass(frozen=True)
class Coding:
    """How a project keeps its pixels: its number for what packs them, and the form of its pointers for `struct`."""

    compression: int
    pointer: str


def pixels(content: bytes, at: int, size: tuple[int, int], coding: Coding) -> Pixels:
    """Return the pixels of a layer (height x width x channels, 0 to 255) whose tiles are told of at a place.

    `ValueError`, or an error of `struct` or `zlib`, if they are broken. The caller sees to it that the size is not too large.
    """
    *told, channels = struct.unpack_from(">3I", content, at)
    (level,) = struct.unpack_from(coding.pointer, content, at + 12)
    if not (tuple(told) == struct.unpack_from(">2I", content, level) == size and 1 <= channels <= 4):
        raise ValueError(f"tiles of {told} pixels and {channels} bytes are none of a layer of {size}")
    unpack, view = _WAYS[coding.compression], memoryview(content)
    made = np.zeros((size[1], size[0], channels), np.uint8)
    at = level + 8
    for top, left in product(range(0, size[1], _SIDE), range(0, size[0], _SIDE)):
        (start,) = struct.unpack_from(coding.pointer, content, at)
        at += struct.calcsize(coding.pointer)
        part = made[top : top + _SIDE, left : left + _SIDE]
        part[...] = unpack(view[start : start + _LONGEST], (part.shape[0], part.shape[1], channels))
    return made


def _plain(data: memoryview, shape: _Shape) -> Pixels:
    rows, columns, channels = shape
    return np.frombuffer(data[: rows * columns * channels], np.uint8).reshape(shape)


def _inflated(data: memoryview, shape: _Shape) -> Pixels:
    rows, columns, channels = shape
    return _plain(memoryview(zlib.decompressobj().decompress(data, rows * columns * channels)), shape)


def _from_runs(data: memoryview, shape: _Shape) -> Pixels:
    """Unpack one channel after the other: runs of the same byte, and runs of different bytes."""
    rows, columns, channels = shape
    unpacked, at = bytearray(), 0
    for channel in range(channels):
        until = rows * columns * (channel + 1)
        while len(unpacked) < until:
            run, at = _run(data, at)
            unpacked += run
        if len(unpacked) > until:
            raise ValueError("a run is longer than its tile")
    return np.frombuffer(unpacked, np.uint8).reshape(channels, rows, columns).transpose(1, 2, 0)


def _run(data: memoryview, at: int) -> tuple[bytes, int]:
    """Return the bytes of a run, and the place after it."""
    if at >= len(data):
        raise ValueError("a tile ends too early")
    is_same, length = data[at] < _LONG, data[at] + 1 if data[at] < _LONG else 2 * _LONG - data[at]
    at += 1
    if length == _LONG:
        length = int.from_bytes(data[at : at + 2])
        at += 2
    after = at + (1 if is_same else length)
    if after > len(data):
        raise ValueError("a tile ends too early")
    return bytes(data[at:after]) * (length if is_same else 1), after


_WAYS: Mapping[int, Callable[[memoryview, _Shape], Pixels]] = {0: _plain, 1: _from_runs, 2: _inflated}
