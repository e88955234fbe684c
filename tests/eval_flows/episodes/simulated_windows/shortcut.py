"""Writes the smallest shortcut (.lnk) that the specification allows: a header, and a LinkInfo with the path of a file on this machine."""

import struct

_CLASS = bytes.fromhex("0114020000000000c000000000000046")


def shortcut(target: str, has_list: bool = False, is_wide: bool = False) -> bytes:
    """Return a shortcut, with a list of item identifiers before the path or without, and the path in Unicode too or not."""
    header = struct.pack("<I", 0x4C) + _CLASS + struct.pack("<I", 0x2 | (0x1 if has_list else 0))
    items = struct.pack("<H", 4) + b"\x02\x00\x00\x00" if has_list else b""
    volume = struct.pack("<4I", 17, 3, 0, 16) + b"\0"
    path = target.encode("cp1252", "replace") + b"\0"
    size = 0x24 if is_wide else 0x1C
    suffix = size + len(volume) + len(path)
    offsets = [size, 0x1, size, size + len(volume), 0, suffix]
    wide = [suffix + 1, suffix + 1 + 2 * len(target) + 2] if is_wide else []
    texts = (target.encode("utf-16-le") + b"\0\0" + b"\0\0") if is_wide else b""
    body = struct.pack(f"<{len(offsets) + len(wide)}I", *offsets, *wide) + volume + path + b"\0" + texts
    return header.ljust(0x4C, b"\0") + items + struct.pack("<I", len(body) + 4) + body
