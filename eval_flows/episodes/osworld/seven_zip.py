"""The list of an archive of 7-Zip: the names of its parts, and the bytes that they unpack to. Nothing of the parts is unpacked.

The form is that of `7zFormat.txt` of the LZMA SDK: a header at the end of the file, which may itself be packed.
"""

import lzma
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO, Any

MAGIC = b"7z\xbc\xaf\x27\x1c"
_START = 32  # bytes before the first part
_LONGEST_HEADER = 64 * 2**20  # bytes
_END, _HEADER, _STREAMS, _FILES, _PACK, _UNPACK, _SUBSTREAMS, _SIZE, _CHECKSUMS, _FOLDERS, _SIZES, _COUNTS, _NAMES, _PACKED_HEADER = (
    0, 1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 17, 23,
)  # fmt: skip
_COPY, _LZMA, _LZMA2, _AES = b"\x00", b"\x03\x01\x01", b"\x21", b"\x06\xf1\x07\x01"


class Secret(ValueError):
    """The list is encrypted."""


@dataclass(frozen=True)
class Listing:
    """The names, with slashes, and the bytes that all parts have together."""

    names: list[str]
    size: int


@dataclass
class _Folder:
    """Bytes that were packed together: the coders, each with its properties, the sizes after each of them, and how many parts there are in it."""

    coders: list[tuple[bytes, bytes]]
    outputs: int
    sizes: list[int] = field(default_factory=list)
    has_checksum: bool = False
    parts: int = 1

    @property
    def size(self) -> int:
        return max(self.sizes, default=0)


@dataclass
class _Streams:
    offset: int = 0
    packed: list[int] = field(default_factory=list)
    folders: list[_Folder] = field(default_factory=list)


def listing(file: IO[bytes]) -> Listing:
    """Return the list of an archive; `Secret` if it is encrypted, `ValueError` if it cannot be read."""
    file.seek(12)
    offset, size = (int.from_bytes(file.read(8), "little") for _ in range(2))
    reader = _Reader(_bytes_at(file, offset, size))
    kind = reader.number()
    while kind == _PACKED_HEADER:
        reader = _Reader(_header_of(file, reader.streams()))
        kind = reader.number()
    if kind != _HEADER:
        raise ValueError("no header of 7-Zip")
    return reader.header()


def _bytes_at(file: IO[bytes], offset: int, size: int) -> bytes:
    if size > _LONGEST_HEADER:
        raise ValueError(f"a header of {size} bytes")
    file.seek(_START + offset)
    return file.read(size)


def _header_of(file: IO[bytes], streams: _Streams) -> bytes:
    """Return a packed header."""
    (folder,) = streams.folders
    if any(coder == _AES for coder, _ in folder.coders):
        raise Secret
    ((coder, properties),) = folder.coders
    content = _bytes_at(file, streams.offset, streams.packed[0])
    if coder == _COPY:
        return content
    if folder.size > _LONGEST_HEADER:
        raise ValueError(f"a header of {folder.size} bytes")
    unpacker = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=[_filter(coder, properties)])
    return unpacker.decompress(content, max_length=folder.size)


def _filter(coder: bytes, properties: bytes) -> dict[str, Any]:
    if coder == _LZMA:
        first, size = properties[0], int.from_bytes(properties[1:5], "little")
        return {"id": lzma.FILTER_LZMA1, "dict_size": max(size, 4096), "lc": first % 9, "lp": first // 9 % 5, "pb": first // 45}
    if coder == _LZMA2:
        return {"id": lzma.FILTER_LZMA2, "dict_size": (2 | properties[0] & 1) << (properties[0] // 2 + 11)}
    raise ValueError(f"a header that is packed by the method {coder.hex()}")


class _Reader:
    """Reads a header from its first byte on; `ValueError` if it ends too early."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._at = 0

    def take(self, count: int) -> bytes:
        """Return the next bytes."""
        found = self._content[self._at : self._at + count]
        if len(found) != count:
            raise ValueError("the header ends too early")
        self._at += count
        return found

    def number(self) -> int:
        """Return the next number: its first byte tells by its first bits how many bytes follow, the lowest first."""
        first = self.take(1)[0]
        value, mask = 0, 0x80
        for byte in range(8):
            if not first & mask:
                return value | (first & (mask - 1)) << (8 * byte)
            value |= self.take(1)[0] << (8 * byte)
            mask >>= 1
        return value

    def numbers(self, count: int) -> list[int]:
        """Return the next numbers, of which each has a byte at least."""
        return [self.number() for _ in range(self._possible(count))]

    def header(self) -> Listing:
        """Return the list that an unpacked header has."""
        streams, names = _Streams(), list[str]()
        while (kind := self.number()) != _END:
            if kind == _STREAMS:
                streams = self.streams()
            elif kind == _FILES:
                names = self._names()
            else:
                raise ValueError(f"an unknown part {kind} of the header")
        return Listing(names, sum(folder.size for folder in streams.folders))

    def streams(self) -> _Streams:
        """Return where packed bytes lie and what they unpack to."""
        found = _Streams()
        while (kind := self.number()) != _END:
            if kind == _PACK:
                found.offset, count = self.numbers(2)
                for inner in self._kinds():
                    found.packed = self.numbers(count) if inner == _SIZE else found.packed
                    if inner == _CHECKSUMS:
                        self._checksums(count)
            elif kind == _UNPACK:
                found.folders = self._folders()
            elif kind == _SUBSTREAMS:
                self._substreams(found.folders)
        return found

    def _kinds(self) -> Iterator[int]:
        while (kind := self.number()) != _END:
            yield kind

    def _folders(self) -> list[_Folder]:
        found: list[_Folder] = []
        for kind in self._kinds():
            if kind == _FOLDERS:
                count = self._possible(self.number())
                self.take(1)
                found = [self._folder() for _ in range(count)]
            elif kind == _SIZES:
                for folder in found:
                    folder.sizes = self.numbers(folder.outputs)
            elif kind == _CHECKSUMS:
                for folder, has_checksum in zip(found, self._checksums(len(found)), strict=True):
                    folder.has_checksum = has_checksum
        return found

    def _folder(self) -> _Folder:
        coders, inputs, outputs = [], 0, 0
        for _ in range(self._possible(self.number())):
            flags = self.take(1)[0]
            coder = self.take(flags & 0x0F)
            ins, outs = self.numbers(2) if flags & 0x10 else (1, 1)
            coders.append((coder, self.take(self.number()) if flags & 0x20 else b""))
            inputs, outputs = inputs + ins, outputs + outs
        bound = outputs - 1
        self.numbers(2 * bound)
        if (packed := inputs - bound) > 1:
            self.numbers(packed)
        return _Folder(coders, outputs)

    def _substreams(self, folders: list[_Folder]) -> None:
        for kind in self._kinds():
            if kind == _COUNTS:
                for folder in folders:
                    folder.parts = self.number()
            elif kind == _SIZE:
                for folder in folders:
                    self.numbers(max(0, folder.parts - 1))
            elif kind == _CHECKSUMS:
                self._checksums(sum(folder.parts for folder in folders if folder.parts != 1 or not folder.has_checksum))

    def _checksums(self, count: int) -> list[bool]:
        """Pass over checksums, and tell which are there."""
        is_there = [True] * self._possible(count)
        if not self.take(1)[0]:
            bits = self.take((count + 7) // 8)
            is_there = [bool(bits[at // 8] & 0x80 >> at % 8) for at in range(count)]
        self.take(4 * sum(is_there))
        return is_there

    def _names(self) -> list[str]:
        self.number()
        names = list[str]()
        for kind in self._kinds():
            content = self.take(self.number())
            if kind == _NAMES:
                names = content[1:].decode("utf-16-le").split("\0")[:-1]
        return names

    def _possible(self, count: int) -> int:
        """Return a count; `ValueError` if the file cannot have so many."""
        if count > 8 * len(self._content):
            raise ValueError(f"{count} of something in a header of {len(self._content)} bytes")
        return count
