"""The clipboard of Windows."""

import ctypes
import io
import time
from collections.abc import Iterator
from contextlib import contextmanager

from PIL import Image

from machines.guest.on_windows.api import Api
from machines.guest.platform import ActionError

_TEXT, _PICTURE = 13, 8  # CF_UNICODETEXT, CF_DIB
_MOVABLE = 0x42  # GHND
_FILE_HEADER = 14  # bytes of a bitmap file that its copy in the clipboard lacks
_TRIES, _BETWEEN = 20, 0.05  # another program may hold the clipboard for a moment


def text(api: Api) -> str:
    """Return the copied text; empty if the clipboard holds no text."""
    with _opened(api, None):
        held = api.GetClipboardData(_TEXT)
        place = api.GlobalLock(held) if held else None
        if not place:
            return ""
        try:
            return ctypes.string_at(place, api.GlobalSize(held) // 2 * 2).decode("utf-16-le", errors="replace").split("\0")[0]
        finally:
            api.GlobalUnlock(held)


def copy_text(api: Api, content: str) -> None:
    """Copy a text."""
    _copy(api, _TEXT, content.encode("utf-16-le", errors="replace") + b"\0\0")


def copy_picture(api: Api, picture: Image.Image) -> None:
    """Copy a picture."""
    file = io.BytesIO()
    picture.convert("RGB").save(file, "BMP")
    _copy(api, _PICTURE, file.getvalue()[_FILE_HEADER:])


def _copy(api: Api, kind: int, content: bytes) -> None:
    """Give the clipboard a copy of the content. Only a window can own the clipboard, so there is one meanwhile."""
    window = api.CreateWindowExW(0, "STATIC", None, 0, 0, 0, 0, 0, None, None, None, None)
    try:
        with _opened(api, window):
            api.EmptyClipboard()
            held = api.GlobalAlloc(_MOVABLE, len(content))
            ctypes.memmove(api.GlobalLock(held), content, len(content))
            api.GlobalUnlock(held)
            if not api.SetClipboardData(kind, held):
                api.GlobalFree(held)
                raise ActionError("Windows refuses to copy now")
    finally:
        api.DestroyWindow(window)


@contextmanager
def _opened(api: Api, window: int | None) -> Iterator[None]:
    for _ in range(_TRIES):
        if api.OpenClipboard(window):
            break
        time.sleep(_BETWEEN)
    else:
        raise ActionError("another program holds the clipboard")
    try:
        yield
    finally:
        api.CloseClipboard()
