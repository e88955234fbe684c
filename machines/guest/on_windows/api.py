"""The functions of Windows that the guest calls, with the types of their results and arguments, and the structures that they take.

Sizes are spelled out, so that the structures are the same on every system where the tests run. On 64-bit Windows there is one calling convention,
so the libraries are loaded as C libraries.
"""

import ctypes
from collections.abc import Callable, Mapping
from ctypes import POINTER, c_int16, c_int32, c_uint16, c_uint32, c_void_p, c_wchar_p
from typing import Any

HANDLE, BOOL, INT, LONG, UINT, DWORD, WORD = c_void_p, c_int32, c_int32, c_int32, c_uint32, c_uint32, c_uint16


class Point(ctypes.Structure):
    """POINT."""

    _fields_ = [("x", LONG), ("y", LONG)]


class MouseInput(ctypes.Structure):
    """MOUSEINPUT."""

    _fields_ = [("dx", LONG), ("dy", LONG), ("data", DWORD), ("flags", DWORD), ("time", DWORD), ("extra", c_void_p)]


class KeyInput(ctypes.Structure):
    """KEYBDINPUT."""

    _fields_ = [("key", WORD), ("scan", WORD), ("flags", DWORD), ("time", DWORD), ("extra", c_void_p)]


class _OfEither(ctypes.Union):
    _fields_ = [("mouse", MouseInput), ("keys", KeyInput)]


class Input(ctypes.Structure):
    """INPUT."""

    _fields_ = [("kind", DWORD), ("of", _OfEither)]


class CursorInfo(ctypes.Structure):
    """CURSORINFO."""

    _fields_ = [("size", DWORD), ("flags", DWORD), ("cursor", HANDLE), ("place", Point)]


class IconInfo(ctypes.Structure):
    """ICONINFO."""

    _fields_ = [("is_icon", BOOL), ("x", DWORD), ("y", DWORD), ("mask", HANDLE), ("colour", HANDLE)]


class BitmapHeader(ctypes.Structure):
    """BITMAPINFOHEADER."""

    _fields_ = [
        ("size", DWORD), ("width", LONG), ("height", LONG), ("planes", WORD), ("bits", WORD), ("compression", DWORD), ("bytes", DWORD),
        ("x_resolution", LONG), ("y_resolution", LONG), ("colours", DWORD), ("important", DWORD),
    ]  # fmt: skip


class FileOperation(ctypes.Structure):
    """SHFILEOPSTRUCTW."""

    _fields_ = [
        ("window", HANDLE), ("function", UINT), ("source", c_void_p), ("target", c_void_p), ("flags", WORD), ("aborted", BOOL),
        ("names", c_void_p), ("title", c_wchar_p),
    ]  # fmt: skip


Signature = tuple[Any, list[Any]]
FUNCTIONS: Mapping[str, Mapping[str, Signature]] = {
    "user32": {
        "SetProcessDpiAwarenessContext": (BOOL, [HANDLE]),
        "GetSystemMetrics": (INT, [INT]),
        "SendInput": (UINT, [UINT, POINTER(Input), INT]),
        "MapVirtualKeyW": (UINT, [UINT, UINT]),
        "VkKeyScanW": (c_int16, [c_uint16]),
        "GetCursorPos": (BOOL, [POINTER(Point)]),
        "GetCursorInfo": (BOOL, [POINTER(CursorInfo)]),
        "GetIconInfo": (BOOL, [HANDLE, POINTER(IconInfo)]),
        "DrawIconEx": (BOOL, [HANDLE, INT, INT, HANDLE, INT, INT, UINT, HANDLE, UINT]),
        "GetDC": (HANDLE, [HANDLE]),
        "ReleaseDC": (INT, [HANDLE, HANDLE]),
        "GetForegroundWindow": (HANDLE, []),
        "SetForegroundWindow": (BOOL, [HANDLE]),
        "IsIconic": (BOOL, [HANDLE]),
        "ShowWindow": (BOOL, [HANDLE, INT]),
        "PostMessageW": (BOOL, [HANDLE, UINT, c_void_p, c_void_p]),
        "SendMessageTimeoutW": (c_void_p, [HANDLE, UINT, c_void_p, c_void_p, UINT, UINT, c_void_p]),
        "CreateWindowExW": (HANDLE, [DWORD, c_wchar_p, c_wchar_p, DWORD, INT, INT, INT, INT, HANDLE, HANDLE, HANDLE, c_void_p]),
        "DestroyWindow": (BOOL, [HANDLE]),
        "OpenClipboard": (BOOL, [HANDLE]),
        "CloseClipboard": (BOOL, []),
        "EmptyClipboard": (BOOL, []),
        "GetClipboardData": (HANDLE, [UINT]),
        "SetClipboardData": (HANDLE, [UINT, HANDLE]),
    },
    "gdi32": {
        "CreateCompatibleDC": (HANDLE, [HANDLE]),
        "CreateCompatibleBitmap": (HANDLE, [HANDLE, INT, INT]),
        "SelectObject": (HANDLE, [HANDLE, HANDLE]),
        "BitBlt": (BOOL, [HANDLE, INT, INT, INT, INT, HANDLE, INT, INT, DWORD]),
        "GetDIBits": (INT, [HANDLE, HANDLE, UINT, UINT, c_void_p, POINTER(BitmapHeader), UINT]),
        "DeleteObject": (BOOL, [HANDLE]),
        "DeleteDC": (BOOL, [HANDLE]),
    },
    "kernel32": {
        "GlobalAlloc": (HANDLE, [UINT, ctypes.c_size_t]),
        "GlobalLock": (c_void_p, [HANDLE]),
        "GlobalUnlock": (BOOL, [HANDLE]),
        "GlobalSize": (ctypes.c_size_t, [HANDLE]),
        "GlobalFree": (HANDLE, [HANDLE]),
        "OpenProcess": (HANDLE, [DWORD, BOOL, DWORD]),
        "QueryFullProcessImageNameW": (BOOL, [HANDLE, DWORD, c_void_p, POINTER(DWORD)]),
        "CloseHandle": (BOOL, [HANDLE]),
    },
    "shell32": {
        "ShellExecuteW": (c_void_p, [HANDLE, c_wchar_p, c_wchar_p, c_wchar_p, c_wchar_p, INT]),
        "SHFileOperationW": (INT, [POINTER(FileOperation)]),
    },
}


class Api:
    """The functions of Windows as attributes, under the names that Windows gives them."""

    def __init__(self, load: Callable[[str], Any] = ctypes.CDLL) -> None:
        self._functions: dict[str, Any] = {}
        for library, functions in FUNCTIONS.items():
            loaded = load(f"{library}.dll")
            for name, (result, arguments) in functions.items():
                function = getattr(loaded, name)
                function.restype, function.argtypes = result, arguments
                self._functions[name] = function

    def __getattr__(self, name: str) -> Any:
        """Return a function of Windows."""
        if name.startswith("_") or name not in self._functions:
            raise AttributeError(name)
        return self._functions[name]
