"""The screen: frames from the memory that Xvfb maps into a file, and sums of it that tell whether it has changed.

Xvfb draws the pointer into that memory. It takes the pointer out for whom it sends a picture, so pictures without it are asked for.
"""

import mmap
import struct
import zlib
from pathlib import Path

from Xlib import X, display

from machines.guest.frame import Frame
from machines.guest.on_linux.desktop import FRAME_BUFFER
from machines.guest.on_linux.x11 import Connection

_HEADER = struct.Struct(">25I")  # X window dump, format 7
_ALL_PLANES = 0xFFFFFFFF


class FrameBuffer:
    """Reads the frame buffer, with the pointer in it. The file is mapped again after a restart of the desktop."""

    def __init__(self, path: Path = FRAME_BUFFER / "Xvfb_screen0") -> None:
        self._path = path
        self._connection = Connection()
        self._inode = -1
        self._pixels = memoryview(b"")
        self._size = 0, 0
        self._last: tuple[int, Frame] | None = None  # its sum, and the frame

    def frame(self, with_pointer: bool = True) -> Frame:
        """Return the screen; the same object as before if nothing has changed."""
        if not with_pointer:
            return self._connection.use(_sent)
        self._map()
        if self._last is None or self._last[0] != zlib.crc32(self._pixels):
            pixels = bytes(self._pixels)
            self._last = zlib.crc32(pixels), Frame(pixels, self._size)  # the sum of what was copied: the screen may have changed meanwhile
        return self._last[1]

    def sum(self) -> int:
        """Return a sum of the screen: another one if anything has changed, the pointer too."""
        self._map()
        return zlib.crc32(self._pixels)

    def _map(self) -> None:
        inode = self._path.stat().st_ino
        if inode == self._inode:
            return
        with self._path.open("rb") as file:
            whole = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        header = _HEADER.unpack_from(whole)
        self._size, colours = (header[4], header[5]), header[19]
        start = header[0] + 12 * colours
        self._pixels = memoryview(whole)[start : start + 4 * header[4] * header[5]]  # its rows are not padded
        self._inode = inode


def _sent(screen: display.Display) -> Frame:
    """Return the screen as the X server sends it: without the pointer."""
    root = screen.screen().root
    size = screen.screen().width_in_pixels, screen.screen().height_in_pixels
    found = root.get_image(0, 0, *size, X.ZPixmap, _ALL_PLANES)
    return Frame(bytes(found.data), size)
