"""The files that a result left, as judges see them: pictures drawn anew, plain texts cut, and everything as a download.

A file comes from a machine on which an agent worked, and may be made to harm who looks at it. So a browser gets no content of it that it could run:
pictures are decoded and written as new PNG files, texts are escaped by the template, and a download has a type that no browser opens.
"""

import codecs
import io
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from PIL import Image, ImageOps

from eval_flows.episodes.judging.results import Result
from eval_flows.episodes.runs.store import Row

_FORMATS = ("PNG", "JPEG", "GIF", "BMP", "TIFF", "WEBP")
_MOST_PIXELS = 25_000_000
_SIDE = 1600  # pixels of the longer side of a preview, at most
_LOOKED_AT = 64 * 1024  # bytes that decide whether a file is a text
_SHOWN = 6000  # characters of a text
_IN_TEXTS = "\t\n\r\f"
_KEPT = re.compile(r"files/[0-9]{2}")  # as runs name what they keep
_DEEP = ("I", "F")  # grey values of more than 8 bits, which Pillow would cut at 255
_UNITS = ("bytes", "KB", "MB")


@dataclass(frozen=True)
class KeptFile:
    """A file that a result left: its path on the machine, its bytes, and where it is kept; None if it was too large, or if it `is_lost` since."""

    path: str
    size: int
    kept: Path | None
    is_lost: bool = False

    @property
    def name(self) -> str:
        """Return its name without folders."""
        return PurePosixPath(self.path).name

    def shown(self) -> Mapping[str, Any]:
        """Return what a page tells of it."""
        text, is_cut = ("", False) if self.kept is None else _text(self.kept)
        return {
            "name": self.path,
            "size": _size(self.size),
            "is_kept": self.kept is not None,
            "is_lost": self.is_lost,
            "is_picture": not text and self.kept is not None and _is_picture(self.kept),
            "text": text,
            "is_cut": is_cut,
        }

    def picture(self) -> bytes | None:
        """Return it as a new PNG file, not larger than a preview needs; None if it is no picture that can be decoded."""
        if self.kept is None or not _is_picture(self.kept):
            return None
        made = io.BytesIO()
        try:
            with Image.open(self.kept, formats=_FORMATS) as opened:
                drawn = _drawn(opened)
            Image.frombytes("RGBA", drawn.size, drawn.tobytes()).save(made, "PNG")  # nothing but its pixels
        except Exception:  # what a decoder meets in a damaged or hostile file can be anything
            return None
        return made.getvalue()


def files_of(result: Result) -> list[KeptFile]:
    """Return the files that a result left, in the order of its trajectory."""
    return [_file(result.folder, row) for row in result.files]


def _file(folder: Path, row: Row) -> KeptFile:
    """Return a file as a trajectory tells it. A trajectory may be of someone else, so a place that no run gives a file counts as lost."""
    if row["kept"] is None:
        return KeptFile(row["path"], row["bytes"], None)
    place = folder / str(row["kept"])
    is_there = _KEPT.fullmatch(str(row["kept"])) is not None and place.is_file() and not (place.is_symlink() or place.parent.is_symlink())
    return KeptFile(row["path"], row["bytes"], place if is_there else None, is_lost=not is_there)


def _drawn(opened: Image.Image) -> Image.Image:
    """Return a picture upright and in colours of 8 bits, not larger than a preview needs. It is made smaller first, which saves memory."""
    if opened.mode.startswith("I;16"):
        opened = opened.convert("I")  # Pillow makes those of the other byte order smaller wrongly
    opened.thumbnail((_SIDE, _SIDE))
    upright = ImageOps.exif_transpose(opened)
    return (_in_greys(upright) if upright.mode in _DEEP else upright).convert("RGBA")


def _in_greys(deep: Image.Image) -> Image.Image:
    """Return grey values from the lowest as black to the highest as white, as programs for such pictures show them."""
    values = np.asarray(deep, np.float64)
    known = values[np.isfinite(values)]  # ImageJ writes NaN where nothing was measured
    low, high = (known.min(), known.max()) if known.size else (0.0, 0.0)
    greys = np.nan_to_num((values - low) / ((high - low) or 1.0), nan=0.0).clip(0, 1)
    return Image.fromarray((greys * 255).astype(np.uint8))


def _is_picture(path: Path) -> bool:
    try:
        with Image.open(path, formats=_FORMATS) as opened:
            return 0 < opened.width * opened.height <= _MOST_PIXELS
    except Exception:  # as above
        return False


def _text(path: Path) -> tuple[str, bool]:
    """Return the beginning of a plain text in UTF-8, and whether it goes on; an empty one if the file is something else."""
    with path.open("rb") as file:
        begun, goes_on = file.read(_LOOKED_AT), bool(file.read(1))
    try:
        text = codecs.getincrementaldecoder("utf-8-sig")().decode(begun, final=not goes_on)  # a character may be cut in two
    except UnicodeDecodeError:
        return "", False
    if any(unicodedata.category(one) == "Cc" and one not in _IN_TEXTS for one in text):
        return "", False
    return text[:_SHOWN], goes_on or len(text) > _SHOWN


def _size(number: int) -> str:
    size, unit = float(number), 0
    while size >= 1000 and unit < len(_UNITS) - 1:
        size, unit = size / 1000, unit + 1
    return f"{size:.1f} {_UNITS[unit]}" if unit else f"{number} {_UNITS[0]}"
