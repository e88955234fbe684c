"""Shortcuts of Windows (.lnk): the path that one leads to, by the specification of Microsoft, [MS-SHLLINK], sections 2.1 to 2.3."""

import struct

_HEADER, _CLASS = 0x4C, bytes.fromhex("0114020000000000c000000000000046")
_HAS_TARGETS, _HAS_INFO = 0x1, 0x2  # LinkFlags
_LOCAL = 0x1  # LinkInfoFlags: VolumeIDAndLocalBasePath
_WITH_UNICODE = 0x24  # the least size of the header of LinkInfo that has offsets of Unicode texts


def target_of(content: bytes) -> str | None:
    """Return the path of the file on this machine that a shortcut leads to; None if it leads elsewhere. `ValueError` if it is no shortcut."""
    if len(content) < _HEADER or struct.unpack_from("<I", content)[0] != _HEADER or content[4:20] != _CLASS:
        raise ValueError("this is no shortcut of Windows")
    (flags,) = struct.unpack_from("<I", content, 20)
    place = _HEADER
    if flags & _HAS_TARGETS:
        place += 2 + int(struct.unpack_from("<H", content, place)[0])
    if not flags & _HAS_INFO:
        return None
    size, header, kinds, _, base, _, suffix = struct.unpack_from("<7I", content, place)
    if not kinds & _LOCAL:
        return None
    info = content[place : place + size]
    if header >= _WITH_UNICODE:
        base, suffix = struct.unpack_from("<2I", info, 28)
        return _wide(info, base) + _wide(info, suffix)
    return _narrow(info, base) + _narrow(info, suffix)


def _narrow(info: bytes, start: int) -> str:
    return info[start : info.index(b"\0", start)].decode("cp1252")


def _wide(info: bytes, start: int) -> str:
    end = next(place for place in range(start, len(info) - 1, 2) if info[place : place + 2] == b"\0\0")
    return info[start:end].decode("utf-16-le")
