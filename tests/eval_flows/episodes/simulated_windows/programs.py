"""The programs of the simulated guest: windows, and what keys do in them. Names and places of elements are as their trees on Windows have them."""

import ast
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from PIL import Image, ImageOps

from machines.guest.on_windows.accessibility import Node

_EXPRESSION = re.compile(r"[0-9 .+*/()-]+")
BOX = (0, 0, 1280, 800)
_SHOWN = {"enabled": True, "visible": True}
_SIGNS: dict[type, Callable[[float, float], float]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
}  # fmt: skip


@dataclass
class Program:
    """A window. Keys do nothing in it unless its class says so."""

    title: str
    window_class: str
    process: str

    def write(self, text: str) -> None:
        """Take a text that is typed."""

    def press(self, keys: str) -> "Program | None":
        """Take keys that are pressed, and return a dialog if they open one."""

    def paste(self, text: str) -> None:
        """Take the clipboard's text."""
        self.write(text)

    def nodes(self) -> list[Node]:
        """Return what is in the window."""
        return []

    def tree(self) -> Node:
        """Return the window with what is in it."""
        return Node("Window", self.window_class, self.title, {**_SHOWN, "minimized": False}, BOX, process=self.process, children=self.nodes())


@dataclass
class Notepad(Program):
    """An editor with one file, or none yet."""

    file: Path | None = None
    place: int = 0
    text: str = ""
    is_selected: bool = False

    @classmethod
    def of(cls, file: Path | None) -> "Notepad":
        """Return it with a file open."""
        text = file.read_bytes().decode("utf-8-sig") if file else ""
        return cls(f"{file.name if file else 'Untitled'} - Notepad", "Notepad", "notepad", file, text=text.replace("\r\n", "\n"))

    def write(self, text: str) -> None:
        """Type at the place of the cursor, or over what is selected."""
        if self.is_selected:
            self.text, self.place, self.is_selected = "", 0, False
        self.text = self.text[: self.place] + text + self.text[self.place :]
        self.place += len(text)

    def press(self, keys: str) -> Program | None:
        """Move the cursor, select all, or save."""
        self.is_selected = keys == "ctrl+a"
        if keys in ("ctrl+home", "ctrl+end"):
            self.place = 0 if keys == "ctrl+home" else len(self.text)
        if keys == "ctrl+shift+s" or (keys == "ctrl+s" and self.file is None):
            return SaveAs(self)
        if keys == "ctrl+s" and self.file is not None:
            self.save(self.file)
        return None

    def save(self, file: Path) -> None:
        """Write the text, with the line endings that Notepad gives to a new file."""
        self.file, self.title = file, f"{file.name} - Notepad"
        file.write_text(self.text, newline="\r\n")

    def nodes(self) -> list[Node]:
        """Return the editor."""
        return [
            Node("Document", "RichEditD2DPT", "Text editor", {**_SHOWN, "editable": True}, (0, 80, 1280, 680), text=self.text.replace("\n", "\r"))
        ]


class SaveAs(Program):
    """The dialog that asks for the name of a file; a name in quotes gets no ending."""

    def __init__(self, editor: Notepad) -> None:
        super().__init__("Save as", "#32770", "notepad")
        self.editor, self.name = editor, ""

    def write(self, text: str) -> None:
        """Type into the field of the name."""
        self.name += text

    def chosen(self) -> str:
        """Return the path that was typed."""
        name = self.name.strip("\n")
        return name.strip('"') if name.startswith('"') or "." in name.rpartition("\\")[2] else f"{name}.txt"


@dataclass
class Calculator(Program):
    """The standard mode: an expression is pasted, and Enter works it out."""

    entered: str = ""
    shown: str = "0"

    def write(self, text: str) -> None:
        """Take an expression; the display shows its last number."""
        if _EXPRESSION.fullmatch(text):
            self.entered += text
            self.shown = self.entered.split()[-1]
        elif text.strip():
            self.entered, self.shown = "", "Invalid input"

    def press(self, keys: str) -> Program | None:
        """Work out, or clear."""
        if keys in ("enter", "=", "equal"):
            if not self.entered:
                return None
            result = _worked_out(ast.parse(self.entered, mode="eval").body)
            self.shown = f"{result:,.10f}".rstrip("0").rstrip(".")
        if keys == "escape":
            self.entered, self.shown = "", "0"
        return None

    def nodes(self) -> list[Node]:
        """Return the display."""
        return [Node("Text", "TextBlock", f"Display is {self.shown}", _SHOWN, (10, 100, 300, 60))]


def _worked_out(node: ast.expr) -> float:
    if isinstance(node, ast.BinOp):
        return _SIGNS[type(node.op)](_worked_out(node.left), _worked_out(node.right))
    assert isinstance(node, ast.Constant)
    return float(node.value)  # type: ignore[arg-type]


@dataclass
class Paint(Program):
    """Paint with a picture open."""

    file: Path | None = None
    picture: Image.Image | None = field(default=None, repr=False)

    def press(self, keys: str) -> Program | None:
        """Invert the colours, or save."""
        if self.picture is not None and self.file is not None:
            if keys == "ctrl+shift+i":
                self.picture = ImageOps.invert(self.picture)
            if keys == "ctrl+s":
                self.picture.save(self.file)
        return None


class Typed(Program):
    """The Run dialog, and a console: a line goes to `enter` when it ends."""

    def __init__(self, title: str, window_class: str, process: str, enter: Callable[[str], None]) -> None:
        super().__init__(title, window_class, process)
        self._enter, self._line = enter, ""

    def write(self, text: str) -> None:
        """Type; each line is taken when it ends."""
        *lines, self._line = (self._line + text).split("\n")
        for line in lines:
            self._enter(line)
