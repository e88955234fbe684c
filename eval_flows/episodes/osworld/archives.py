"""Archives that would hurt: those that unpack to too much, and those whose parts lead out of the folder that they are unpacked in.

Tasks unpack some of their files on the machine, and metrics unpack documents on this host.
"""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

MOST_UNPACKED = 512 * 2**20  # bytes; machines have less than that in memory
MOST_PARTS = 50_000
_PIECE = 2**20
_PACKED = ((b"\x1f\x8b", gzip.open), (b"BZh", bz2.open), (b"\xfd7zXZ\x00", lzma.open))
_TOO_LARGE = f"unpacks to more than {MOST_UNPACKED // 2**20} MiB"
_TOO_MANY = f"has more than {MOST_PARTS} parts"


def harm_of(path: Path) -> str | None:
    """Return what is wrong with a file as an archive; None if it is none, or does no harm. Nothing is unpacked to the disk."""
    try:
        if zipfile.is_zipfile(path):
            return _harm_of_zip(path)
        return _harm_of_stream(path)
    except (zipfile.BadZipFile, tarfile.TarError, EOFError, OSError, ValueError, lzma.LZMAError, zlib.error):
        return None  # a broken archive unpacks to nothing: a task may be about that


def _harm_of_zip(path: Path) -> str | None:
    with zipfile.ZipFile(path) as archive:
        parts = archive.infolist()
        if len(parts) > MOST_PARTS:
            return _TOO_MANY
        if sum(part.file_size for part in parts) > MOST_UNPACKED:
            return _TOO_LARGE
        return _climbs(part.filename for part in parts)


def _harm_of_stream(path: Path) -> str | None:
    with path.open("rb") as file:
        begun = file.read(6)
    unpack = next((unpack for magic, unpack in _PACKED if begun.startswith(magic)), None)
    if unpack is not None:
        with unpack(path, "rb") as stream:
            if _is_longer(stream):
                return _TOO_LARGE
    if not tarfile.is_tarfile(path):
        return None
    with tarfile.open(path) as archive:
        names, size = [], 0
        for member in archive:
            names.append(member.name)
            size += member.size
            if len(names) > MOST_PARTS:
                return _TOO_MANY
            if size > MOST_UNPACKED:
                return _TOO_LARGE
        return _climbs(iter(names))


def _is_longer(stream: io.BufferedIOBase) -> bool:
    left = MOST_UNPACKED
    while left >= 0 and (piece := stream.read(_PIECE)):
        left -= len(piece)
    return left < 0


def _climbs(names: Iterator[str]) -> str | None:
    out = next((name for name in names if name.startswith("/") or ".." in PurePosixPath(name.replace("\\", "/")).parts), None)
    return None if out is None else f"has a part '{out}' that leads out of its folder"
