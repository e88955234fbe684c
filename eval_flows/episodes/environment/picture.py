"""The form in which an agent gets the screen as pictures: how large, in which format of files, and what is drawn into them.

A form changes nothing for actions: places are shares of the whole screen.
"""

import io
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from PIL import Image, ImageDraw

from atomic_tasks.problems import BadInput

Place = tuple[int, int]
_SMALLEST_WIDTH = 64
_LARGEST_TILE = 768  # pixels on a side: models of today take a picture of that size without making it smaller
_QUALITY = 85
_RING, _RING_COLOUR, _HALO_COLOUR = 18, "#d62728", "white"
_THERE_IS = "join by commas: `native`, a width in pixels such as 1024, or `tiles`; `png`, `jpeg` or `jpeg:QUALITY` (1 to 95); `pointer`; `action`"


@dataclass(frozen=True)
class PictureForm:
    """How an agent gets the screen. `size` is the width in pixels, or `native`, or `tiles` for parts of the screen at its own scale.

    `quality` is that of JPEG. `pointer` draws the pointer, and `action` a ring where the last action was.
    """

    size: int | Literal["native", "tiles"] = "native"
    kind: Literal["png", "jpeg"] = "png"
    quality: int = _QUALITY
    pointer: bool = True
    action: bool = False

    def __str__(self) -> str:
        """Return the form as a user writes it."""
        kind = f"jpeg:{self.quality}" if self.kind == "jpeg" else self.kind
        drawn = [word for word, is_drawn in (("pointer", self.pointer), ("action", self.action)) if is_drawn]
        return ",".join([str(self.size), kind, *drawn])

    def told(self, screen: tuple[int, int]) -> list[str]:
        """Return sentences for a model about the form, as far as it has to know it."""
        told = []
        if self.size == "tiles":
            columns, rows = tiling(screen)
            told.append(
                f"Each picture of the screen comes in {columns * rows} parts, {columns} side by side and {rows} one below the other, "
                "row by row from the top left. Places in actions are shares of the whole screen, not of a part."
            )
        if not self.pointer:
            told.append("The pointer is not in the pictures.")
        if self.action:
            told.append("A red ring in a picture marks the place of the last action.")
        return told


def picture_form(text: str) -> PictureForm:
    """Return the form that a text such as `1024,jpeg,pointer,action` asks for; `BadInput` with the words that there are.

    Without a size or a format, it is `native` or `png`. The pointer and the last action are drawn only if they are named.
    """
    sizes: list[int | Literal["native", "tiles"]] = []
    kinds: list[tuple[Literal["png", "jpeg"], int]] = []
    drawn: list[str] = []
    for word in (part.strip().lower() for part in text.split(",")):
        if word in ("native", "tiles"):
            sizes.append("tiles" if word == "tiles" else "native")
        elif re.fullmatch(r"[0-9]{1,5}", word):
            sizes.append(int(word))
        elif word == "png":
            kinds.append(("png", _QUALITY))
        elif found := re.fullmatch(r"jpeg(?::([0-9]{1,3}))?", word):
            kinds.append(("jpeg", int(found[1] or _QUALITY)))
        elif word in ("pointer", "action"):
            drawn.append(word)
        else:
            raise BadInput(f"picture '{text}': '{word}' is unknown; {_THERE_IS}")
    if len(sizes) > 1 or len(kinds) > 1 or len(set(drawn)) < len(drawn):
        raise BadInput(f"picture '{text}': the size, the format, or a word is given twice; {_THERE_IS}")
    (size,), ((kind, quality),) = sizes or ["native"], kinds or [("png", _QUALITY)]
    if (isinstance(size, int) and size < _SMALLEST_WIDTH) or not 1 <= quality <= 95:
        raise BadInput(f"picture '{text}': a width is {_SMALLEST_WIDTH} pixels or more, and a quality of JPEG is from 1 to 95")
    return PictureForm(size, kind, quality, "pointer" in drawn, "action" in drawn)


def in_form(screenshot: bytes, form: PictureForm, place: Place | None) -> tuple[bytes, ...]:
    """Return a picture of the whole screen (PNG) in a form: one file, or one for each tile. `place` is where the last action was, in pixels.

    Where the form asks for nothing else, it is the same file. The same arguments give the same bytes.
    """
    has_ring = form.action and place is not None
    if (form.size, form.kind, has_ring) == ("native", "png", False):
        return (screenshot,)
    picture = Image.open(io.BytesIO(screenshot)).convert("RGB")
    if form.action and place is not None:
        _draw_ring(picture, place)
    return tuple(_file(part, form) for part in _sized(picture, form))


def halved(file: bytes) -> bytes:
    """Return a picture at half its width and height, as a file of the same format."""
    with Image.open(io.BytesIO(file)) as picture:
        kind: Literal["png", "jpeg"] = "jpeg" if picture.format == "JPEG" else "png"
        smaller = picture.convert("RGB").resize((max(1, picture.width // 2), max(1, picture.height // 2)), Image.Resampling.LANCZOS)
    return _file(smaller, PictureForm(kind=kind))


def tiling(screen: tuple[int, int]) -> tuple[int, int]:
    """Return in how many columns and rows a screen is cut."""
    return math.ceil(screen[0] / _LARGEST_TILE), math.ceil(screen[1] / _LARGEST_TILE)


def _sized(picture: Image.Image, form: PictureForm) -> Iterator[Image.Image]:
    width, height = picture.size
    if form.size == "tiles":
        columns, rows = tiling(picture.size)
        for row in range(rows):
            for column in range(columns):
                left, right = (width * one // columns for one in (column, column + 1))
                top, bottom = (height * one // rows for one in (row, row + 1))
                yield picture.crop((left, top, right, bottom))
    elif form.size in ("native", width):
        yield picture
    else:
        yield picture.resize((int(form.size), max(1, round(height * int(form.size) / width))), Image.Resampling.LANCZOS)


def _draw_ring(picture: Image.Image, place: Place) -> None:
    draw, (x, y) = ImageDraw.Draw(picture), place
    for radius, colour, width in ((_RING + 2, _HALO_COLOUR, 7), (_RING, _RING_COLOUR, 3)):
        draw.ellipse((x - radius, y - radius, x + radius, y + radius), outline=colour, width=width)


def _file(picture: Image.Image, form: PictureForm) -> bytes:
    file = io.BytesIO()
    if form.kind == "jpeg":
        picture.save(file, "JPEG", quality=form.quality)
    else:
        picture.save(file, "PNG", compress_level=1)
    return file.getvalue()
