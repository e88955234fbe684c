"""Getters of plain files: what they hold is read here from bytes that were fetched, never by code of the machine."""

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
_QUERY_SECONDS, _QUERY_STEPS = 5.0, 100_000  # how long a query may take, and after how many steps it is asked
_NEARLY = 6  # levels of 255 by which two colours that count as the same may differ


def text(content: bytes) -> str:
    """As UTF-8; other bytes are replaced."""
    return content.decode("utf-8-sig", errors="replace")


def lines(content: bytes, without: str = "") -> list[str]:
    """The lines of a text, with every place of a text in them left out."""
    return [line.replace(without, "") if without else line for line in text(content).splitlines()]


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
    parser.read_string(f"[{_NO_SECTION}]\n{text(content)}")
    found = parser.get(section or _NO_SECTION, key, fallback=None)
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
        until = time.monotonic() + _QUERY_SECONDS  # what is asked for may be a view that never ends
        connection.set_progress_handler(lambda: time.monotonic() > until, _QUERY_STEPS)
        try:
            return [list(row) for row in connection.execute(query).fetchall()]
        finally:
            connection.close()


def members(content: bytes) -> list[str]:
    """Names in a zip archive."""
    with care.opened(content) as archive:
        return sorted(archive.namelist())


def member(content: bytes, name: str) -> str | None:
    """A text in a zip archive."""
    with care.opened(content) as archive:
        return text(care.read_part(archive, archive.getinfo(name))) if name in archive.namelist() else None


def opened_picture(content: bytes) -> Image.Image:
    """A picture; `ValueError` where it is too large to look at."""
    picture = Image.open(io.BytesIO(content), formats=_formats())
    if picture.width * picture.height > _LARGEST_PICTURE:
        raise ValueError(f"a picture of {picture.width} by {picture.height} pixels is too large to look at")
    return picture


def of_picture(content: bytes, what: str) -> Any:
    """A property of a picture: see checkers.yaml."""
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
    """Of the size and of every pixel's colour, however the picture is kept."""
    return hashlib.sha256(f"{picture.width} x {picture.height} ".encode() + picture.convert("RGBA").tobytes()).hexdigest()


def _mean(grey: Sequence[int]) -> float:
    return sum(level * count for level, count in enumerate(grey)) / sum(grey)


@cache
def _formats() -> list[str]:
    """Every format but the one that Pillow has Ghostscript run."""
    Image.init()
    return [name for name in Image.ID if name != "EPS"]


def _pixel(at: str, length: int) -> int:
    """A place along a side: pixels, or a share of its length as in 50%."""
    return int(float(at[:-1]) * length / 100) if at.endswith("%") else int(float(at))


def _pixels_of(picture: Image.Image, colour: str) -> int:
    """How many pixels have that colour, nearly: each channel within a few levels."""
    masks = []
    for channel, level in zip(picture.convert("RGB").split(), ImageColor.getrgb(colour), strict=False):
        masks.append(channel.point([255 if abs(value - level) <= _NEARLY else 0 for value in range(256)]))
    return ImageChops.darker(ImageChops.darker(masks[0], masks[1]), masks[2]).histogram()[255]
