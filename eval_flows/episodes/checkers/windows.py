"""Getters of Windows: values of the registry, attributes and encodings of files, shortcuts, favorites of Edge, and what two programs show."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from eval_flows.episodes.checkers.checker import Checkers
from eval_flows.episodes.checkers.getters import path_of
from eval_flows.episodes.checkers.shortcuts import target_of

if TYPE_CHECKING:
    from eval_flows.episodes.environment.desktop import Desktop

Json = dict[str, Any]
_VALUE = re.compile(r"^ {4}(?P<name>.*?) {4}(?P<kind>REG_\w+) {4}(?P<data>.*)$")
_HEXADECIMAL = re.compile(r"0x[0-9a-f]+")
_NUMBERS = ("REG_DWORD", "REG_QWORD")
_ATTRIBUTES = {"A": "archive", "R": "read-only", "H": "hidden", "S": "system"}
_MARKS = {b"\xef\xbb\xbf": ("UTF-8 with BOM", "utf-8-sig"), b"\xff\xfe": ("UTF-16 LE", "utf-16"), b"\xfe\xff": ("UTF-16 BE", "utf-16")}
_SHOWN = "Display is "  # how Calculator of Windows names its display for screen readers
_EDITORS = ("document frame", "text")  # the role of an editor in the trees of the guest servers


def registry_value(said: str, name: str) -> int | str | None:
    """Return a value from what `reg query` says: a number for REG_DWORD and REG_QWORD, else the text."""
    for line in said.splitlines():
        found = _VALUE.match(line)
        if found is not None and found["name"].casefold() == name.casefold():
            is_number = found["kind"] in _NUMBERS and _HEXADECIMAL.fullmatch(found["data"])
            return int(found["data"], 16) if is_number else found["data"]
    return None


def _registry(desktop: Desktop, asked: Json) -> int | str | None:
    done = desktop.client.execute(["reg.exe", "query", asked["key"], "/v", asked["name"]])
    return registry_value(str(done.get("output", "")), asked["name"]) if done.get("returncode") == 0 else None


def _attributes(desktop: Desktop, asked: Any) -> list[str] | None:
    place = desktop.place(path_of(asked)).replace("/", "\\")
    said = str(desktop.client.execute(["attrib.exe", place]).get("output", ""))
    letters, found, _ = said.partition(place)
    return sorted(word for letter, word in _ATTRIBUTES.items() if letter in letters) if found else None


def encoding(content: bytes) -> str:
    """Return the encoding of a text by the name that Notepad gives it. A text in ASCII alone is UTF-8, as Notepad says."""
    for mark, (name, _) in _MARKS.items():
        if content.startswith(mark):
            return name
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return "ANSI"
    return "UTF-8"


def decoded(content: bytes) -> str:
    """Return a text in any encoding that Notepad writes; ANSI is Windows-1252, as in Western Europe and America."""
    codec = next((codec for mark, (_, codec) in _MARKS.items() if content.startswith(mark)), None)
    return content.decode(codec or ("utf-8" if encoding(content) == "UTF-8" else "cp1252"), errors="replace")


def favorites(content: bytes) -> list[str]:
    """Return the favorites in a file `Bookmarks` of Edge, each as the folders that it is in, a colon, and its address."""

    def below(node: Json, folders: tuple[str, ...]) -> Iterator[str]:
        for child in node.get("children", ()):
            if child.get("type") == "folder":
                yield from below(child, (*folders, str(child.get("name", ""))))
            else:
                yield f"{'/'.join(folders)}: {child.get('url', '')}"

    roots = json.loads(content.decode("utf-8"))["roots"]
    return [one for name, root in roots.items() if isinstance(root, dict) for one in below(root, (name,))]


def _display(desktop: Desktop, asked: Json) -> str | None:
    shown = (one.name for one in desktop.look().elements if asked["within"] in one.window and one.name.startswith(_SHOWN))
    return next((one.removeprefix(_SHOWN) for one in shown), None)


def _editor(desktop: Desktop, asked: Json) -> str | None:
    editors = (one for one in desktop.look().elements if asked["within"] in one.window and one.role in _EDITORS)
    return next((one.text.replace("\r", "\n").rstrip("\n") for one in editors), None)


CHECKERS = Checkers(
    of_files={
        "encoding": lambda content, _: encoding(content),
        "written_lines": lambda content, _: decoded(content).splitlines(),
        "shortcut": lambda content, _: target_of(content),
        "favorites": lambda content, _: favorites(content),
    },
    of_desktop={
        "registry": _registry,
        "attributes": _attributes,
        "windows_display": _display,
        "editor_text": _editor,
    },
)
