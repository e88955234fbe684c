"""Pictures of the screen by GDI, which leaves the pointer out: it is drawn into them if it is asked for."""

import ctypes

from machines.guest.frame import Frame
from machines.guest.on_windows.api import Api, BitmapHeader, CursorInfo, IconInfo
from machines.guest.platform import ActionError, Screen

_COPY, _WITH_LAYERS = 0x00CC0020, 0x40000000  # SRCCOPY, CAPTUREBLT
_SHOWING, _NORMAL = 0x1, 0x3  # CURSOR_SHOWING, DI_NORMAL


def taken(api: Api, screen: Screen, with_pointer: bool = True) -> Frame:
    """Return the screen; `ActionError` if Windows gives none, as on a locked screen."""
    desktop = api.GetDC(None)
    memory = api.CreateCompatibleDC(desktop)
    bitmap = api.CreateCompatibleBitmap(desktop, screen.width, screen.height)
    before = api.SelectObject(memory, bitmap)
    try:
        done = api.BitBlt(memory, 0, 0, screen.width, screen.height, desktop, 0, 0, _COPY | _WITH_LAYERS)
        if with_pointer:
            _draw_pointer(api, memory)
        api.SelectObject(memory, before)  # the pixels of a selected bitmap cannot be read
        header = BitmapHeader(ctypes.sizeof(BitmapHeader), screen.width, -screen.height, 1, 32)  # a negative height means that the top comes first
        pixels = ctypes.create_string_buffer(screen.width * screen.height * 4)
        lines = api.GetDIBits(memory, bitmap, 0, screen.height, pixels, ctypes.byref(header), 0)
    finally:
        api.DeleteObject(bitmap)
        api.DeleteDC(memory)
        api.ReleaseDC(None, desktop)
    if not done or lines != screen.height:
        raise ActionError("Windows gives no picture of the screen: it is locked, or no one is logged on")
    return Frame(pixels.raw, (screen.width, screen.height))


def _draw_pointer(api: Api, memory: int) -> None:
    info, icon = CursorInfo(ctypes.sizeof(CursorInfo)), IconInfo()
    if not api.GetCursorInfo(ctypes.byref(info)) or not info.flags & _SHOWING or not api.GetIconInfo(info.cursor, ctypes.byref(icon)):
        return
    api.DrawIconEx(memory, info.place.x - icon.x, info.place.y - icon.y, info.cursor, 0, 0, 0, None, _NORMAL)
    for left in (icon.mask, icon.colour):
        if left:
            api.DeleteObject(left)
