"""What an agent sees of a machine: the pruned and linearised accessibility tree, and the set-of-marks (ProSoftArena, section 4.2 and Table 9).

Elements are numbered in the order of the tree. Boxes are x, y, width, height in pixels.
"""

import ast
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree

from PIL import Image, ImageDraw, ImageFont

from machines.errors import MachineError

_WINDOWS = frozenset({"frame", "dialog", "window", "alert", "file-chooser", "color-chooser", "font-chooser"})
_PLAIN = frozenset({
    "filler", "panel", "scroll-pane", "viewport", "separator", "redundant-object", "section", "split-pane", "layered-pane", "root-pane", "scroll-bar",
    "unknown",
})  # fmt: skip
_USED = frozenset({"focusable", "editable", "checkable", "selectable", "expandable"})
_USED_ROLES = frozenset({
    "push-button", "toggle-button", "check-box", "radio-button", "menu", "menu-item", "check-menu-item", "radio-menu-item", "combo-box", "entry",
    "text", "spin-button", "slider", "page-tab", "link", "list-item", "table-cell", "tree-item", "icon", "password-text", "paragraph",
    "document-frame", "push-button-menu", "table-column-header", "column-header", "terminal", "drawing-area", "canvas",
})  # fmt: skip
_COLOURS = ("#d62728", "#1f77b4", "#2ca02c", "#9467bd", "#8c564b", "#e377c2")
_LONGEST_TEXT = 300
Box = tuple[int, int, int, int]


@dataclass(frozen=True)
class Element:
    """An element on the screen; `window` is the title of its window, `application` the name of its program."""

    number: int
    role: str
    name: str
    text: str
    value: float | None
    states: frozenset[str]
    box: Box
    window: str
    application: str

    @property
    def middle(self) -> tuple[int, int]:
        """Return the pixel in its middle."""
        x, y, width, height = self.box
        return x + width // 2, y + height // 2


def read_elements(xml: str, screen: tuple[int, int]) -> list[Element]:
    """Return the elements that lie on the screen, in the order of the tree; `MachineError` if the tree cannot be read."""
    try:
        root = ElementTree.fromstring(xml)
    except ElementTree.ParseError as error:
        raise MachineError(f"the guest's accessibility tree cannot be read: {error}") from error
    found: list[Element] = []
    try:
        for application in root:
            name = application.get("name", "")
            for child in application:
                _collect(child, "", name, screen, found, _Standing())
    except (ValueError, TypeError, SyntaxError, RecursionError) as error:
        raise MachineError(f"the guest's accessibility tree holds a place, size or value that cannot be read, or is too deep: {error}") from error
    return found


@dataclass(frozen=True)
class _Standing:
    """The place that the surroundings of a node report, and how far below it the node really is.

    LibreOffice reports what it draws itself too high, by the height of the menu bar: its root pane and everything in it. What the toolkit draws
    is right; it is in a node of LibreOffice of exactly the same size.
    """

    place: tuple[int, int] = (0, 0)
    size: tuple[int, int] = (0, 0)
    below: int = 0

    def within(self, role: str, place: tuple[int, int], size: tuple[int, int]) -> "_Standing":
        """Return the same for a node inside this one."""
        fills = size == self.size and place[0] == self.place[0]
        if fills and role == "root-pane" and place[1] < self.place[1]:
            return _Standing(place, size, self.place[1] - place[1])
        is_true = fills and place[1] == self.place[1] + self.below
        return _Standing(place, size, 0 if is_true else self.below)


def _collect(node: ElementTree.Element, window: str, application: str, screen: tuple[int, int], found: list[Element], around: _Standing) -> None:
    name, role = node.get("name", "").strip(), node.tag
    if role in _WINDOWS:
        window = name
    place, size, value, states = (0, 0), (0, 0), None, set()
    for key, text in node.attrib.items():
        short = key.rpartition("}")[2]
        if short == "screencoord":
            place = ast.literal_eval(text)
        elif short == "size":
            size = ast.literal_eval(text)
        elif key.endswith("/value}value"):
            value = float(text)
        elif "}" in key and text == "true":
            states.add(short)
    if role == "menu-bar" and not any(size):
        return  # LibreOffice's own; the toolkit's shows in the same place
    standing = around.within(role, place, size)
    place = place[0], place[1] + standing.below
    if _is_on(place, size, screen):
        found.append(
            Element(
                len(found) + 1,
                role.replace("-", " "),
                name,
                (node.text or "").strip("\n"),
                value,
                frozenset(states),
                (*place, *size),
                window,
                application,
            )
        )
    for child in node:
        _collect(child, window, application, screen, found, standing)


def _is_on(place: tuple[int, int], size: tuple[int, int], screen: tuple[int, int]) -> bool:
    inside = all(0 <= start + length // 2 < whole for start, length, whole in zip(place, size, screen, strict=True))
    return inside and min(size) > 0


def worth_telling(elements: Iterable[Element]) -> list[Element]:
    """Return the pruned tree: the elements that can be used or say something."""
    return [element for element in elements if element.role.replace(" ", "-") not in _PLAIN and (_is_used(element) or element.name or element.text)]


def _is_used(element: Element) -> bool:
    return element.role.replace(" ", "-") in _USED_ROLES or bool(_USED & element.states)


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
    return (element for element in elements if _is_used(element) and element.role.replace(" ", "-") not in _PLAIN)
