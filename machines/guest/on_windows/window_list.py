"""The windows on the screen of Windows, from the lowest to the highest.

It needs nothing but Python, so that it can also be sent to a machine that runs another guest server: as a program it writes the list as JSON.
"""

import ctypes
import json
from typing import Any

_EXTENDED_STYLE, _TOOL_WINDOW = -20, 0x80  # GWL_EXSTYLE, WS_EX_TOOLWINDOW
_CLOAKED = 14  # DWMWA_CLOAKED: a window of a sleeping app, which only seems to be visible
_OF_THE_SHELL = frozenset({"Progman", "WorkerW", "Shell_TrayWnd", "Shell_SecondaryTrayWnd"})
_LONGEST = 512


class _Point(ctypes.Structure):
    _fields_ = [("x", ctypes.c_int32), ("y", ctypes.c_int32)]


class _Rectangle(ctypes.Structure):
    _fields_ = [(side, ctypes.c_int32) for side in ("left", "top", "right", "bottom")]


def listed(user: Any, manager: Any) -> list[dict[str, Any]]:
    """Return the windows with a title; the place is that of the content, in pixels. `user` and `manager` are user32.dll and dwmapi.dll."""
    handle = ctypes.c_void_p
    user.GetForegroundWindow.restype = handle
    front, found = user.GetForegroundWindow(), []

    def take(window: int, _: int) -> int:
        one = _window(user, manager, handle(window), window == front)
        if one is not None:
            found.append(one)
        return 1

    user.EnumWindows(ctypes.CFUNCTYPE(ctypes.c_int, handle, handle)(take), None)
    return found[::-1]  # Windows tells the highest first


def _window(user: Any, manager: Any, window: ctypes.c_void_p, is_active: bool) -> dict[str, Any] | None:
    cloaked, process = ctypes.c_int32(0), ctypes.c_uint32(0)
    manager.DwmGetWindowAttribute(window, _CLOAKED, ctypes.byref(cloaked), 4)
    is_tool = user.GetWindowLongPtrW(window, _EXTENDED_STYLE) & _TOOL_WINDOW
    title, kind = _text(user.GetWindowTextW, window), _text(user.GetClassNameW, window)
    if not user.IsWindowVisible(window) or cloaked.value or is_tool or not title or kind in _OF_THE_SHELL:
        return None
    place, size = _Point(), _Rectangle()
    user.ClientToScreen(window, ctypes.byref(place))
    user.GetClientRect(window, ctypes.byref(size))
    user.GetWindowThreadProcessId(window, ctypes.byref(process))
    return {
        "identity": window.value, "title": title, "window_class": kind, "process": process.value, "x": place.x, "y": place.y,
        "width": size.right, "height": size.bottom, "is_active": is_active,
    }  # fmt: skip


def _text(function: Any, window: ctypes.c_void_p) -> str:
    buffer = ctypes.create_unicode_buffer(_LONGEST)
    function(window, buffer, _LONGEST)
    return buffer.value


if __name__ == "__main__":
    ctypes.CDLL("user32.dll").SetProcessDpiAwarenessContext(ctypes.c_void_p(-4))
    print(json.dumps(listed(ctypes.CDLL("user32.dll"), ctypes.CDLL("dwmapi.dll"))))
