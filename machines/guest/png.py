"""Writes frames as PNG. A band of rows that is as in the frame before is not packed again: a step mostly changes one or two of them.

Each band is a part of one stream of its own (zlib, RFC 1950), so that the parts of other frames fit together.
"""

import struct
import zlib
from typing import NamedTuple

from machines.guest.frame import Frame

_ROWS = 40  # in a band
_RED_GREEN_BLUE = 2  # PNG's number of that colour type
_LEVEL = 1  # of compression: speed counts more than size here
_BEGIN, _END = b"\x78\x01", b"\x03\x00"  # of a stream: fast compression, and an empty last part
_BASE = 65521  # of Adler's checksum


class _Band(NamedTuple):
    """Some rows, packed; the checksum of what was packed, and its length in bytes."""

    packed: bytes
    sum: int
    length: int


class PngWriter:
    """Writes one frame after another."""

    def __init__(self) -> None:
        self._last: tuple[Frame, list[_Band]] = (Frame(b"", (0, 0)), [])

    def png(self, frame: Frame) -> bytes:
        """Return a frame as PNG. Its rows are not filtered: the library tries five filters for each, and screens get hardly smaller."""
        width, height = frame.size
        before, known = self._last
        is_alike = before.size == frame.size
        bands = []
        for number, top in enumerate(range(0, height, _ROWS)):
            place = slice(4 * width * top, 4 * width * min(top + _ROWS, height))
            is_known = is_alike and before.pixels[place] == frame.pixels[place]
            bands.append(known[number] if is_known else _band(frame, top, min(top + _ROWS, height)))
        self._last = frame, bands
        whole = 1
        for band in bands:
            whole = _joined(whole, band.sum, band.length)
        header = struct.pack(">IIBBBBB", width, height, 8, _RED_GREEN_BLUE, 0, 0, 0)
        packed = b"".join([_BEGIN, *(band.packed for band in bands), _END, struct.pack(">I", whole)])
        return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", packed) + _chunk(b"IEND", b"")


def _band(frame: Frame, top: int, bottom: int) -> _Band:
    rows = frame.picture(top, bottom).tobytes("raw", "RGB", 3 * frame.size[0] + 1)  # a zero after each row is the filter of the next one: none
    without_last = memoryview(rows)[:-1]
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = packer.compress(b"\0") + packer.compress(without_last) + packer.flush(zlib.Z_SYNC_FLUSH)
    return _Band(packed, zlib.adler32(without_last, zlib.adler32(b"\0")), len(rows))


def _joined(one: int, other: int, length: int) -> int:
    """Return Adler's checksum of two texts one after the other, by the sum of each; `length` is that of the second in bytes."""
    low = (one & 0xFFFF) + (other & 0xFFFF) - 1
    high = (one >> 16) + (other >> 16) + length * ((one & 0xFFFF) - 1)
    return (high % _BASE) << 16 | low % _BASE


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
