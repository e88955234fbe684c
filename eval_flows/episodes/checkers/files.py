"""Getters of plain files: they read fetched bytes on this host, never by code of the machine."""

import configparser
import csv
import hashlib
import io
import json
import sqlite3
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

from PIL import Image, ImageChops, ImageColor

from eval_flows.episodes.checkers import care

Json = Mapping[str, Any]
_LARGEST_PICTURE = 50_000_000  # pixels
_NO_SECTION = "no section"
_QUERY_SECONDS, _QUERY_STEPS = 5.0, 100_000  # how long a query may take, and after how many steps the clock is checked
_NEARLY = 6  # two colours count as the same up to this many levels of 255


def text(content: bytes) -> str:
    """Return the text in UTF-8; other bytes are replaced."""
    return content.decode("utf-8-sig", errors="replace")


def lines(content: bytes, without: str = "") -> list[str]:
    """Return the lines of a text, after removing every occurrence of `without`."""
    return [line.replace(without, "") if without else line for line in text(content).splitlines()]


def bookmarks(content: bytes) -> list[str]:
    """Return the places in a file manager's bookmarks: one address a line, optionally with a label after it."""
    return [unquote(urlsplit(line.split(" ")[0]).path) for line in text(content).splitlines()]


def rows_of_csv(content: bytes) -> list[list[str]]:
    """Return rows of values separated by comma, semicolon or tab, whichever comes first in the file."""
    plain = text(content)
    head = plain.partition("\n")[0]
    mark = min((mark for mark in ",;\t" if mark in head), key=head.index, default=",")
    return list(csv.reader(io.StringIO(plain), delimiter=mark))


def setting(content: bytes, section: str, key: str) -> str | None:
    """Return a value of a file with sections; use an empty section for a file without sections."""
    parser = configparser.RawConfigParser(strict=False, delimiters=("=",))
    parser.optionxform = str  # type: ignore[method-assign,assignment]
    parser.read_string(f"[{_NO_SECTION}]\n{text(content)}")
    found = parser.get(section or _NO_SECTION, key, fallback=None)
    return None if found is None else found.strip('"')


def in_json(content: bytes, at: str) -> Any:
    """Return a value by its path of keys; numbers are places in lists."""
    value = json.loads(text(content))
    for key in at.split("."):
        value = value[int(key)] if isinstance(value, list) else value.get(key) if isinstance(value, dict) else None
    return value


def in_xml(content: bytes, at: str, what: str) -> str | None:
    """Return the text, or an attribute, of the first element that the path finds."""
    found = ElementTree.fromstring(content).find(at)
    if found is None:
        return None
    return (found.text or "") if what == "text" else found.get(what)


def rows_of_query(content: bytes, query: str) -> list[list[Any]]:
    """Return the rows of a query to an SQLite database."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fetched.db"
        path.write_bytes(content)
        connection = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
        until = time.monotonic() + _QUERY_SECONDS  # the query may read a view that never ends
        connection.set_progress_handler(lambda: time.monotonic() > until, _QUERY_STEPS)
        try:
            return [list(row) for row in connection.execute(query).fetchall()]
        finally:
            connection.close()


def members(content: bytes) -> list[str]:
    """Return the names in a zip archive."""
    with care.opened(content) as archive:
        return sorted(archive.namelist())


def member(content: bytes, name: str) -> str | None:
    """Return a text in a zip archive."""
    with care.opened(content) as archive:
        return text(care.read_part(archive, archive.getinfo(name))) if name in archive.namelist() else None


def opened_picture(content: bytes) -> Image.Image:
    """Return a picture; `ValueError` if it is too large to look at."""
    picture = Image.open(io.BytesIO(content), formats=_formats())
    if picture.width * picture.height > _LARGEST_PICTURE:
        raise ValueError(f"a picture of {picture.width} by {picture.height} pixels is too large to look at")
    return picture


def of_picture(content: bytes, what: str) -> Any:
    """Return a property of a picture: see checkers.yaml."""
    picture = opened_picture(content)
    kind, _, rest = what.partition(".")
    if kind == "pixel":
        x, y = rest.split(".")
        found = picture.convert("RGB").getpixel((_pixel(x, picture.width), _pixel(y, picture.height)))
        return "#{:02x}{:02x}{:02x}".format(*found)  # type: ignore[misc]
    ways: Mapping[str, Callable[[], Any]] = {
        "width": lambda: picture.width,
        "height": lambda: picture.height,
        "format": lambda: picture.format,
        "mode": lambda: picture.mode,
        "has_alpha": lambda: picture.mode in ("RGBA", "LA", "PA") or "transparency" in picture.info,
        "pixels": lambda: _digest(picture),
        "mean": lambda: _mean(picture.convert("L").histogram()),
        "ratio": lambda: picture.width / picture.height,
        "transparent": lambda: picture.convert("RGBA").getchannel("A").histogram()[0] / (picture.width * picture.height),
        "count": lambda: _pixels_of(picture, rest),
    }
    return ways[kind]()


def _digest(picture: Image.Image) -> str:
    """Return a digest of the size and of every pixel's colour; the file format does not matter."""
    return hashlib.sha256(f"{picture.width} x {picture.height} ".encode() + picture.convert("RGBA").tobytes()).hexdigest()


def _mean(grey: Sequence[int]) -> float:
    return sum(level * count for level, count in enumerate(grey)) / sum(grey)


@cache
def _formats() -> list[str]:
    """Return every format except the one for which Pillow runs Ghostscript."""
    Image.init()
    return [name for name in Image.ID if name != "EPS"]


def _pixel(at: str, length: int) -> int:
    """Return a place along a side, from pixels or from a share of its length such as 50%."""
    return int(float(at[:-1]) * length / 100) if at.endswith("%") else int(float(at))


def _pixels_of(picture: Image.Image, colour: str) -> int:
    """Return how many pixels have nearly that colour: each channel is within a few levels."""
    masks = []
    for channel, level in zip(picture.convert("RGB").split(), ImageColor.getrgb(colour), strict=False):
        masks.append(channel.point([255 if abs(value - level) <= _NEARLY else 0 for value in range(256)]))
    return ImageChops.darker(ImageChops.darker(masks[0], masks[1]), masks[2]).histogram()[255]
