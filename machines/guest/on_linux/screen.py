"""The screen: pictures from the memory that Xvfb maps into a file, and waiting until nothing moves.

Xvfb draws the pointer into that memory. It takes the pointer out for whom it sends a picture, so pictures without it are asked for.
"""

import mmap
import struct
import zlib
from pathlib import Path

from PIL import Image
from Xlib import X, display

from machines.guest.on_linux.desktop import FRAME_BUFFER
from machines.guest.on_linux.processes import is_anyone_busy
from machines.guest.on_linux.x11 import Connection
from machines.guest.settling import settled

_HEADER = struct.Struct(">25I")  # X window dump, format 7
_ALL_PLANES = 0xFFFFFFFF


class FrameBuffer:
    """Reads the frame buffer, with the pointer in it. The file is mapped again after a restart of the desktop."""

    def __init__(self, path: Path = FRAME_BUFFER / "Xvfb_screen0") -> None:
        self._path = path
        self._connection = Connection()
        self._inode = -1
        self._pixels = memoryview(b"")
        self._line = self._width = self._height = 0

    def picture(self, with_pointer: bool = True) -> Image.Image:
        """Return the screen as an RGB picture."""
        if not with_pointer:
            return self._connection.use(_sent)
        self._map()
        return Image.frombytes("RGB", (self._width, self._height), bytes(self._pixels), "raw", "BGRX", self._line, 1)

    def settle(self, quiet: float, limit: float) -> bool:
        """Wait until nothing on the screen changes and no process works for `quiet` seconds; tell whether that happened within `limit` seconds."""
        return settled(self._sum, is_anyone_busy, quiet, limit)

    def _sum(self) -> int:
        self._map()
        return zlib.adler32(self._pixels)

    def _map(self) -> None:
        inode = self._path.stat().st_ino
        if inode == self._inode:
            return
        with self._path.open("rb") as file:
            whole = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        header = _HEADER.unpack_from(whole)
        self._width, self._height, self._line, colours = header[4], header[5], header[12], header[19]
        start = header[0] + 12 * colours
        self._pixels = memoryview(whole)[start : start + self._line * self._height]
        self._inode = inode


def _sent(screen: display.Display) -> Image.Image:
    """Return the screen as the X server sends it: without the pointer."""
    root = screen.screen().root
    size = screen.screen().width_in_pixels, screen.screen().height_in_pixels
    found = root.get_image(0, 0, *size, X.ZPixmap, _ALL_PLANES)
    return Image.frombytes("RGB", size, found.data, "raw", "BGRX")
