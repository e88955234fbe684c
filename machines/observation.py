"""The set-of-marks: numbered boxes on the picture of the screen (ProSoftArena, section 4.2 and Table 9).

`machines.telling` tells the same elements in lines of text. Boxes are x, y, width, height in pixels.
"""

import io
from collections.abc import Iterable, Iterator, Sequence

from PIL import Image, ImageDraw, ImageFont

from machines.trees.elements import Element
from machines.trees.reading import read_elements
from machines.trees.roles import is_plain, is_used

__all__ = ["Element", "marked", "read_elements", "with_boxes", "with_marks"]

_COLOURS = ("#d62728", "#1f77b4", "#2ca02c", "#9467bd", "#8c564b", "#e377c2")


def with_marks(png: bytes, elements: Sequence[Element]) -> bytes:
    """Return the picture with a numbered box around each element that can be used; the number is at the lower right corner."""
    return with_boxes(png, marked(elements))


def with_boxes(png: bytes, elements: Iterable[Element]) -> bytes:
    """Return the picture with a numbered box around each element."""
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    draw, font = ImageDraw.Draw(picture), ImageFont.load_default(11)
    for element in elements:
        x, y, width, height = element.box
        colour = _COLOURS[element.number % len(_COLOURS)]
        draw.rectangle((x, y, x + width - 1, y + height - 1), outline=colour)
        left, top, right, bottom = draw.textbbox((0, 0), str(element.number), font=font)
        corner = (x + width - (right - left) - 4, y + height - (bottom - top) - 4)
        draw.rectangle((corner[0], corner[1], x + width - 1, y + height - 1), fill=colour)
        draw.text((corner[0] + 2 - left, corner[1] + 1 - top), str(element.number), fill="white", font=font)
    file = io.BytesIO()
    picture.save(file, "PNG", compress_level=1)
    return file.getvalue()


def marked(elements: Iterable[Element]) -> Iterator[Element]:
    """Yield the elements that get a box: those that can be used."""
    return (one for one in elements if is_used(one.role, one.states) and not is_plain(one.role))
