"""A screen as it lies in memory: compared with another one, without a picture of the library in between where none is wanted.

Most screens are those of the moment before. To make two pictures and their difference took longer than to read a small tree.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image, ImageChops

Box = tuple[int, int, int, int]  # left, top, right, bottom


@dataclass(frozen=True)
class Frame:
    """Rows of pixels from the top, four bytes each: blue, green, red, and one without meaning. `size` is width and height in pixels."""

    pixels: bytes
    size: tuple[int, int]

    @classmethod
    def of(cls, picture: Image.Image) -> "Frame":
        """Return the frame that looks like an RGB picture."""
        return cls(picture.tobytes("raw", "BGRX"), picture.size)

    def picture(self, top: int = 0, bottom: int | None = None) -> Image.Image:
        """Return the rows from `top` to the one before `bottom` as an RGB picture."""
        width, height = self.size
        end = height if bottom is None else bottom
        return Image.frombytes("RGB", (width, end - top), self.pixels[4 * width * top : 4 * width * end], "raw", "BGRX")

    def changed(self, other: "Frame", besides: Sequence[Box]) -> Box | None:
        """Return the box around all pixels that another frame of the same size has otherwise, besides those in some boxes; None without any."""
        if self.pixels == other.pixels:
            return None
        line = 4 * self.size[0]
        starts = range(0, len(self.pixels), line)
        rows = [start // line for start in starts if self.pixels[start : start + line] != other.pixels[start : start + line]]
        top, bottom = rows[0], rows[-1] + 1
        difference = ImageChops.difference(self.picture(top, bottom), other.picture(top, bottom))
        for left, upper, right, lower in besides:
            difference.paste((0, 0, 0), (left, upper - top, right, lower - top))
        box = difference.getbbox()
        return (box[0], box[1] + top, box[2], box[3] + top) if box else None
