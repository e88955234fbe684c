"""Getters by name: each reads what a check looks at. It returns None if there is nothing to get, or if it cannot be read."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from eval_flows.episodes.checkers import captures, documents, files, pdfs, projects, sounds, workbooks
from eval_flows.episodes.checkers.care import within
from machines.observation import Element

if TYPE_CHECKING:
    from eval_flows.episodes.environment.desktop import Desktop

Asked = Any
_READING_SECONDS = 10.0


def get(desktop: Desktop, name: str, asked: Asked) -> Any:
    """Return the result of a getter. An unreadable file is the agent's doing, and counts as nothing."""
    if name in OF_STATE:
        return OF_STATE[name](desktop, asked)
    path = desktop.place(path_of(asked))
    if name in OF_FOLDERS:
        return _in_folder(desktop, name, path)
    content = desktop.client.file(path)
    if content is None:
        return None
    try:
        with within(_READING_SECONDS):
            return OF_FILES[name](content, asked)
    except Exception:  # a dozen parsers raise as many kinds of errors for content that they cannot read
        return None


def path_of(asked: Asked) -> str:
    """Return the path that a getter of a file or a folder reads, as it is declared."""
    return str(asked if isinstance(asked, str) else asked["path"])


def _beside(asked: Asked, key: str, otherwise: Any) -> Any:
    """Return an argument of a getter besides the path; a plain text is only a path."""
    return otherwise if isinstance(asked, str) else asked.get(key, otherwise)


def _in_folder(desktop: Desktop, name: str, path: str) -> Any:
    folder, _, last = path.rstrip("/").rpartition("/")
    if name == "names":
        found = desktop.client.listing(path)
        return None if found is None else sorted(entry["name"] for entry in found)
    entry = next((entry for entry in desktop.client.listing(folder or "/") or () if entry["name"] == last), None)
    if name == "exists":
        return entry is not None
    return None if entry is None else entry.get({"permissions": "mode", "link": "target"}[name])


def _element(desktop: Desktop, asked: Mapping[str, Any]) -> Any:
    found = next(iter(_elements_asked(desktop, asked)), None)
    return None if found is None else _of_element(found, asked.get("what", "text"))


def _elements_asked(desktop: Desktop, asked: Mapping[str, Any]) -> list[Element]:
    return [
        one
        for one in desktop.look().elements
        if one.role == asked["role"]
        and asked.get("name", one.name) == one.name
        and asked.get("containing", "") in one.name
        and asked.get("within", "") in one.window
    ]


def _of_element(element: Element, what: str) -> Any:
    text = element.text or element.name
    return {
        "text": text,
        "first_line": text.partition("\n")[0].strip(),
        "value": element.value,
        "name": element.name,
        "states": sorted(element.states),
    }[what]


def _display(desktop: Desktop, asked: Mapping[str, Any]) -> str | None:
    """Return what a calculator shows: the last result on its paper if that is open, else the first line of its display."""
    mine = [one for one in desktop.look().elements if asked["within"] in one.window]
    if any(one.role == "table" for one in mine):
        lines = [one.text or one.name for one in mine if one.role == "table cell"]  # expressions and results take turns
        return lines[-1] if lines and len(lines) % 2 == 0 else None
    return next((_of_element(one, "first_line") for one in mine if one.role == "text"), None)


def _front(desktop: Desktop, _: Asked) -> str | None:
    return next((window.title for window in desktop.windows() if window.is_active), None)


OF_FOLDERS = frozenset({"exists", "names", "permissions", "link"})
OF_STATE: Mapping[str, Callable[[Desktop, Any], Any]] = {
    "windows": lambda desktop, _: [window.title for window in desktop.windows()],
    "front_window": _front,
    "clipboard": lambda desktop, _: desktop.client.observe(["clipboard"]).clipboard,
    "display": _display,
    "element": _element,
    "elements": lambda desktop, asked: [_of_element(one, asked.get("what", "text")) for one in _elements_asked(desktop, asked)],
}
OF_FILES: Mapping[str, Callable[[bytes, Any], Any]] = {
    "text": lambda content, _: files.text(content),
    "lines": lambda content, asked: files.lines(content, _beside(asked, "without", "")),
    "last_line": lambda content, _: next((line for line in reversed(files.text(content).splitlines()) if line.strip()), None),
    "size": lambda content, _: len(content),
    "digest": lambda content, _: hashlib.sha256(content).hexdigest(),
    "bookmarks": lambda content, _: files.bookmarks(content),
    "csv": lambda content, asked: files.rows_of_csv(content)[int(_beside(asked, "from_row", 1)) - 1 :],
    "cell": lambda content, asked: workbooks.cell(content, asked["at"], asked.get("sheet"), computed=True),
    "formula": lambda content, asked: workbooks.cell(content, asked["at"], asked.get("sheet"), computed=False),
    "cell_style": lambda content, asked: workbooks.cell_style(content, asked["at"], asked["what"], asked.get("sheet")),
    "sheet": lambda content, asked: workbooks.rows(content, asked.get("sheet")),
    "column": lambda content, asked: workbooks.column(content, asked["column"], int(asked.get("from_row", 1)), asked.get("sheet")),
    "formulas": lambda content, asked: workbooks.formulas(content, asked["column"], int(asked.get("from_row", 1)), asked.get("sheet")),
    "workbook": lambda content, asked: workbooks.of_workbook(content, asked["what"], asked.get("sheet")),
    "document": lambda content, asked: documents.of_document(content, asked["what"]),
    "picture": lambda content, asked: files.of_picture(content, asked["what"]),
    "project": lambda content, asked: projects.of_project(content, asked["what"]),
    "sound": lambda content, asked: sounds.of_sound(content, asked["what"]),
    "pdf_text": lambda content, _: pdfs.text(content),
    "rows": lambda content, asked: files.rows_of_query(content, asked["query"]),
    "member": lambda content, asked: files.member(content, asked["name"]),
    "members": lambda content, _: files.members(content),
    "setting": lambda content, asked: files.setting(content, asked.get("section", ""), asked["key"]),
    "json": lambda content, asked: files.in_json(content, asked["at"]),
    "xml": lambda content, asked: files.in_xml(content, asked["at"], asked.get("what", "text")),
    "packets": lambda content, _: captures.packets(content),
    "capture": lambda content, asked: captures.of_capture(content, asked["what"]),
}
