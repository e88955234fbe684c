"""Archives that would hurt: those that unpack to too much, those within which archives never end, and those that lead out of their folder.

Tasks unpack some of their files on the machine, and metrics unpack documents on this host. What lies in an archive of 7-Zip is known by its list
alone: archives within it, and links in it, are not seen.
"""

import bz2
import gzip
import lzma
import stat
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import IO, Any

import pyarrow as pa

from eval_flows.episodes.osworld import seven_zip

MOST_UNPACKED = 512 * 2**20  # bytes, of an archive with all archives within it; machines have less than that in memory
MOST_PARTS = 50_000
DEEPEST = 6  # archives within each other; a .tar.gz is two
_PIECE = 2**20
_LONGEST_LINK = 4096  # bytes
_HEAD = 512  # bytes that tell what a file is
_PACKED: tuple[tuple[bytes, Callable[[Any], Any]], ...] = (
    (b"\x1f\x8b", gzip.open),
    (b"BZh", bz2.open),
    (b"\xfd7zXZ\x00", lzma.open),
    (b"\x28\xb5\x2f\xfd", lambda file: pa.CompressedInputStream(file, "zstd")),
)
_BROKEN = (zipfile.BadZipFile, tarfile.TarError, EOFError, OSError, ValueError, lzma.LZMAError, zlib.error, RuntimeError, NotImplementedError)


class _Harm(Exception):
    """What is wrong with an archive."""


def harm_of(path: Path) -> str | None:
    """Return what is wrong with a file as an archive; None if it is none, or does no harm. What is unpacked is forgotten."""
    try:
        with path.open("rb") as file:
            _Look().into(file, 0)
    except _Harm as harm:
        return str(harm)
    return None


class _Look:
    """A look into one file and all archives within it, which have their limits together."""

    def __init__(self) -> None:
        self._bytes, self._parts = MOST_UNPACKED, MOST_PARTS

    def into(self, file: IO[bytes], deep: int) -> None:
        """Look into a file, if it is an archive; a broken one unpacks to nothing: a task may be about that."""
        if deep >= DEEPEST:
            raise _Harm(f"has archives within archives, more than {DEEPEST} deep")
        try:
            head = file.read(_HEAD)
            file.seek(0)
            unpack = next((unpack for magic, unpack in _PACKED if head.startswith(magic)), None)
            if unpack is not None:
                self._inner(unpack(file), deep)
            elif head.startswith(seven_zip.MAGIC):
                self._seven_zip(file)
            elif _is_tar(head):
                self._tar(file, deep)
            elif zipfile.is_zipfile(file):
                self._zip(file, deep)
        except _BROKEN:
            return

    def _zip(self, file: IO[bytes], deep: int) -> None:
        with zipfile.ZipFile(file) as archive:
            parts = archive.infolist()
            self._count(len(parts), sum(part.file_size for part in parts))
            for part in parts:
                _check_name(part.filename)
                if stat.S_ISLNK(part.external_attr >> 16):
                    with archive.open(part) as link:
                        _check_link(part.filename, link.read(_LONGEST_LINK).decode(errors="replace"))
            for part in parts:
                if not part.is_dir() and not part.flag_bits & 1:  # what is encrypted is not looked into
                    with archive.open(part) as inner:
                        self._inner(inner, deep, is_counted=True)

    def _tar(self, file: IO[bytes], deep: int) -> None:
        with tarfile.open(fileobj=file, mode="r:") as archive:
            for member in archive:
                self._count(1, member.size)
                _check_name(member.name)
                if member.issym():
                    _check_link(member.name, member.linkname)
                elif member.islnk():
                    _check_name(member.linkname, "a link to")
                elif member.isfile() and (inner := archive.extractfile(member)) is not None:
                    self._inner(inner, deep, is_counted=True)

    def _seven_zip(self, file: IO[bytes]) -> None:
        try:
            listing = seven_zip.listing(file)
        except seven_zip.Secret:
            raise _Harm("keeps the list of its parts secret, so that nobody can look into it") from None
        self._count(len(listing.names), listing.size)
        for name in listing.names:
            _check_name(name)

    def _inner(self, stream: Any, deep: int, is_counted: bool = False) -> None:
        """Look at what is unpacked from a stream: into it, if it is an archive, and otherwise only at how much it is, unless that is known."""
        head = stream.read(_HEAD)
        if not _is_archive(head):
            if not is_counted:
                self._count(1, len(head))
                while piece := stream.read(_PIECE):
                    self._count(0, len(piece))
            return
        with tempfile.TemporaryFile() as unpacked:
            piece = head
            while piece:
                unpacked.write(piece)
                if not is_counted:
                    self._count(0, len(piece))
                piece = stream.read(_PIECE)
            unpacked.seek(0)
            self.into(unpacked, deep + 1)

    def _count(self, parts: int, size: int) -> None:
        self._parts -= parts
        self._bytes -= size
        if self._parts < 0:
            raise _Harm(f"has more than {MOST_PARTS} parts")
        if self._bytes < 0:
            raise _Harm(f"unpacks to more than {MOST_UNPACKED // 2**20} MiB")


def _is_archive(head: bytes) -> bool:
    magics = (*(magic for magic, _ in _PACKED), seven_zip.MAGIC, b"PK\x03\x04", b"PK\x05\x06")
    return head.startswith(magics) or _is_tar(head)


def _is_tar(head: bytes) -> bool:
    try:
        tarfile.TarInfo.frombuf(head, "utf-8", "surrogateescape")
    except tarfile.TarError:
        return False
    return True


def _check_name(name: str, what: str = "a part") -> None:
    path = name.replace("\\", "/")
    if path.startswith("/") or ".." in PurePosixPath(path).parts:
        raise _Harm(f"has {what} '{name}' that leads out of its folder")


def _check_link(name: str, target: str) -> None:
    """Raise if a symbolic link leads out of the folder that the archive is unpacked in."""
    deep = 0 if target.startswith("/") else len([part for part in PurePosixPath(name).parent.parts if part != "."])
    for part in PurePosixPath(target).parts:
        deep += -1 if part == ".." else 1
        if deep < 0 or part == "/":
            raise _Harm(f"has a link '{name}' to '{target}' that leads out of its folder")
