"""What an agent sees of a machine: the pruned and linearised accessibility tree, and the set-of-marks (ProSoftArena, section 4.2 and Table 9).

Elements are numbered in the order of the tree. Boxes are x, y, width, height in pixels.
"""

import io
from collections.abc import Iterable, Iterator, Sequence

from PIL import Image, ImageDraw, ImageFont

from machines.trees.elements import Element
from machines.trees.reading import read_elements
from machines.trees.roles import is_plain, is_used

__all__ = ["Element", "linearised", "marked", "read_elements", "with_marks", "worth_telling"]

_COLOURS = ("#d62728", "#1f77b4", "#2ca02c", "#9467bd", "#8c564b", "#e377c2")
_LONGEST_TEXT = 300


def worth_telling(elements: Iterable[Element]) -> list[Element]:
    """Return the pruned tree: the elements that can be used or say something."""
    return [one for one in elements if not is_plain(one.role) and (is_used(one.role, one.states) or one.name or one.text)]


def linearised(elements: Iterable[Element], screen: tuple[int, int]) -> str:
    """Return one line for each element, with tabs between number, role, name, text, place and size as shares of the screen."""
    lines = ["id\trole\tname\ttext\tplace (x1, y1, x2, y2)\tstates"]
    for element in elements:
        x, y, width, height = element.box
        shares = ", ".join(f"{value:.3f}" for value in (x / screen[0], y / screen[1], (x + width) / screen[0], (y + height) / screen[1]))
        text = element.text if element.text != element.name else ""
        text = text[:_LONGEST_TEXT] + ("…" if len(text) > _LONGEST_TEXT else "")
        told = [state for state in ("focused", "selected", "checked", "expanded", "editable") if state in element.states]
        line = (str(element.number), element.role, element.name, text, f"({shares})", " ".join(told))
        lines.append("\t".join(part.replace("\t", " ").replace("\n", "\\n") for part in line))
    return "\n".join(lines)


def with_marks(png: bytes, elements: Sequence[Element]) -> bytes:
    """Return the picture with a numbered box around each element that can be used; the number is at the lower right corner."""
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    draw, font = ImageDraw.Draw(picture), ImageFont.load_default(11)
    for element in marked(elements):
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
