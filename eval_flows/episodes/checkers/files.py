"""Getters of plain files: what they hold is read here from bytes that were fetched, never by code of the machine."""

import configparser
import csv
import io
import json
import sqlite3
import struct
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

from PIL import Image, ImageChops, ImageColor

Json = Mapping[str, Any]
_LARGEST_PICTURE = 50_000_000  # pixels
_NEARLY = 6  # levels of 255 by which two colours that count as the same may differ


def text(content: bytes) -> str:
    """As UTF-8; other bytes are replaced."""
    return content.decode("utf-8-sig", errors="replace")


def bookmarks(content: bytes) -> list[str]:
    """The places in a file of bookmarks as file managers keep it: an address a line, perhaps with a label behind it."""
    return [unquote(urlsplit(line.split(" ")[0]).path) for line in text(content).splitlines()]


def rows_of_csv(content: bytes) -> list[list[str]]:
    """Rows with comma, semicolon or tab between values, whichever stands first."""
    plain = text(content)
    head = plain.partition("\n")[0]
    mark = min((mark for mark in ",;\t" if mark in head), key=head.index, default=",")
    return list(csv.reader(io.StringIO(plain), delimiter=mark))


def setting(content: bytes, section: str, key: str) -> str | None:
    """A value of a file with sections; for one without, the section is empty."""
    parser = configparser.RawConfigParser(strict=False, delimiters=("=",))
    parser.optionxform = str  # type: ignore[method-assign,assignment]
    plain = text(content)
    parser.read_string(plain if section else f"[]\n{plain}")
    found = parser.get(section, key, fallback=None)
    return None if found is None else found.strip('"')


def in_json(content: bytes, at: str) -> Any:
    """A value by its path of keys; numbers are places in lists."""
    value = json.loads(text(content))
    for key in at.split("."):
        value = value[int(key)] if isinstance(value, list) else value.get(key) if isinstance(value, dict) else None
    return value


def in_xml(content: bytes, at: str, what: str) -> str | None:
    """The text, or an attribute, of the first element that the path finds."""
    found = ElementTree.fromstring(content).find(at)
    if found is None:
        return None
    return (found.text or "") if what == "text" else found.get(what)


def rows_of_query(content: bytes, query: str) -> list[list[Any]]:
    """Rows of a query to an SQLite database."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fetched.db"
        path.write_bytes(content)
        connection = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
        try:
            return [list(row) for row in connection.execute(query).fetchall()]
        finally:
            connection.close()


def members(content: bytes) -> list[str]:
    """Names in a zip archive."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return sorted(archive.namelist())


def member(content: bytes, name: str) -> str | None:
    """A text in a zip archive."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return text(archive.read(name)) if name in archive.namelist() else None


def of_picture(content: bytes, what: str) -> Any:
    """A property of a picture: see checkers.yaml."""
    picture = Image.open(io.BytesIO(content))
    if picture.width * picture.height > _LARGEST_PICTURE:
        raise ValueError(f"a picture of {picture.width} by {picture.height} pixels is too large to look at")
    if what in ("width", "height", "format", "mode"):
        return getattr(picture, what)
    if what == "has_alpha":
        return picture.mode in ("RGBA", "LA", "PA") or "transparency" in picture.info
    if what == "mean":
        grey = picture.convert("L").histogram()
        return sum(level * count for level, count in enumerate(grey)) / sum(grey)
    if what == "ratio":
        return picture.width / picture.height
    if what == "transparent":
        return picture.convert("RGBA").getchannel("A").histogram()[0] / (picture.width * picture.height)
    if what.startswith("count."):
        return _pixels_of(picture, what.removeprefix("count."))
    kind, x, y = what.split(".")
    if kind != "pixel":
        raise KeyError(what)
    found = picture.convert("RGB").getpixel((_pixel(x, picture.width), _pixel(y, picture.height)))
    return "#{:02x}{:02x}{:02x}".format(*found)  # type: ignore[misc]


def _pixel(at: str, length: int) -> int:
    """A place along a side: pixels, or a share of its length as in 50%."""
    return int(float(at[:-1]) * length / 100) if at.endswith("%") else int(float(at))


def _pixels_of(picture: Image.Image, colour: str) -> int:
    """How many pixels have that colour, nearly: each channel within a few levels."""
    masks = []
    for channel, level in zip(picture.convert("RGB").split(), ImageColor.getrgb(colour), strict=False):
        masks.append(channel.point([255 if abs(value - level) <= _NEARLY else 0 for value in range(256)]))
    return ImageChops.darker(ImageChops.darker(masks[0], masks[1]), masks[2]).histogram()[255]


def packets(content: bytes) -> int:
    """Packets in a pcap or a pcapng file."""
    if content[:4] == b"\x0a\x0d\x0d\x0a":
        return _blocks(content).count(6)
    order = "<" if content[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    count, at = 0, 24
    while at + 16 <= len(content):
        at += 16 + struct.unpack(f"{order}I", content[at + 8 : at + 12])[0]
        count += 1
    return count


def _blocks(content: bytes) -> list[int]:
    kinds, at = [], 0
    while at + 12 <= len(content):
        kind, length = struct.unpack("<II", content[at : at + 8])
        kinds.append(kind)
        if length < 12:
            break
        at += length
    return kinds
