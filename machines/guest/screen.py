"""The screen: pictures from the memory that Xvfb maps into a file, and waiting until nothing moves."""

import io
import mmap
import struct
import time
import zlib
from pathlib import Path

from PIL import Image

from machines.guest.desktop import FRAME_BUFFER
from machines.guest.processes import is_anyone_busy

_HEADER = struct.Struct(">25I")  # X window dump, format 7
_LOOK_EVERY = 0.03


class FrameBuffer:
    """Reads the frame buffer; the cursor is in the picture. The file is mapped again after a restart of the desktop."""

    def __init__(self, path: Path = FRAME_BUFFER / "Xvfb_screen0") -> None:
        self._path = path
        self._inode = -1
        self._pixels = memoryview(b"")
        self._line = self._width = self._height = 0

    def picture(self) -> Image.Image:
        """Return the screen as an RGB picture."""
        self._map()
        return Image.frombytes("RGB", (self._width, self._height), bytes(self._pixels), "raw", "BGRX", self._line, 1)

    def png(self) -> bytes:
        """Return the screen as PNG, with light compression: speed counts more than size here."""
        file = io.BytesIO()
        self.picture().save(file, "PNG", compress_level=1)
        return file.getvalue()

    def settle(self, quiet: float, limit: float) -> bool:
        """Wait until nothing on the screen changes for `quiet` seconds; tell whether that happened within `limit` seconds.

        While a process has work to do, the screen may still change: on a busy host that can be long after the request.
        """
        begun = changed = time.monotonic()
        seen = self._sum()
        while (now := time.monotonic()) - begun < limit:
            if now - changed >= quiet:
                return True
            time.sleep(_LOOK_EVERY)
            if (current := self._sum()) != seen or is_anyone_busy():
                seen, changed = current, time.monotonic()
        return False

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
