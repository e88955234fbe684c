"""Getters of plain files: they read fetched bytes on this host, never by code of the machine."""

import configparser
import csv
import hashlib
import io
import json
import re
import sqlite3
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

from eval_flows.episodes.checkers import care
from eval_flows.episodes.checkers.checker import Checkers
from eval_flows.episodes.checkers.getters import beside

Json = Mapping[str, Any]
_NO_SECTION = "no section"
_QUERY_SECONDS, _QUERY_STEPS = 5.0, 100_000  # how long a query may take, and after how many steps the clock is checked


def text(content: bytes) -> str:
    """Return the text in UTF-8; other bytes are replaced."""
    return content.decode("utf-8-sig", errors="replace")


def lines(content: bytes, without: str = "") -> list[str]:
    """Return the lines of a text, after removing every occurrence of `without`."""
    return [line.replace(without, "") if without else line for line in text(content).splitlines()]


def matching_parts(content: bytes, pattern: str) -> list[str]:
    """Return each part of a text that matches a pattern, in their order; of a pattern with groups, these with a space between them."""
    return [" ".join(one.groups(default="") or (one[0],)) for one in re.finditer(pattern, text(content), re.MULTILINE)]


def bookmarks(content: bytes) -> list[str]:
    """Return the places in a file manager's bookmarks: one address a line, optionally with a label after it."""
    return [unquote(urlsplit(line.split(" ")[0]).path) for line in text(content).splitlines()]


def rows_of_csv(content: bytes) -> list[list[str]]:
    """Return rows of values separated by comma, semicolon or tab, whichever comes first in the file."""
    plain = text(content)
    head = plain.partition("\n")[0]
    mark = min((mark for mark in ",;\t" if mark in head), key=head.index, default=",")
    return list(csv.reader(io.StringIO(plain), delimiter=mark))


def setting(content: bytes, section: str, key: str) -> str | None:
    """Return a value of a file with sections; use an empty section for a file without sections."""
    parser = configparser.RawConfigParser(strict=False, delimiters=("=",))
    parser.optionxform = str  # type: ignore[method-assign,assignment]
    parser.read_string(f"[{_NO_SECTION}]\n{text(content)}")
    found = parser.get(section or _NO_SECTION, key, fallback=None)
    return None if found is None else found.strip('"')


def in_json(content: bytes, at: str) -> Any:
    """Return a value by its path of keys; numbers are places in lists."""
    value = json.loads(text(content))
    for key in at.split("."):
        value = value[int(key)] if isinstance(value, list) else value.get(key) if isinstance(value, dict) else None
    return value


def in_xml(content: bytes, at: str, what: str) -> str | None:
    """Return the text, or an attribute, of the first element that the path finds."""
    found = ElementTree.fromstring(content).find(at)
    if found is None:
        return None
    return (found.text or "") if what == "text" else found.get(what)


def rows_of_query(content: bytes, query: str) -> list[list[Any]]:
    """Return the rows of a query to an SQLite database."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fetched.db"
        path.write_bytes(content)
        connection = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
        until = time.monotonic() + _QUERY_SECONDS  # the query may read a view that never ends
        connection.set_progress_handler(lambda: time.monotonic() > until, _QUERY_STEPS)
        try:
            return [list(row) for row in connection.execute(query).fetchall()]
        finally:
            connection.close()


def members(content: bytes) -> list[str]:
    """Return the names in a zip archive."""
    with care.opened(content) as archive:
        return sorted(archive.namelist())


def member(content: bytes, name: str) -> str | None:
    """Return a text in a zip archive."""
    with care.opened(content) as archive:
        return text(care.read_part(archive, archive.getinfo(name))) if name in archive.namelist() else None


CHECKERS = Checkers(
    of_files={
        "text": lambda content, _: text(content),
        "lines": lambda content, asked: lines(content, beside(asked, "without", "")),
        "found": lambda content, asked: matching_parts(content, str(asked["pattern"])),
        "last_line": lambda content, _: next((line for line in reversed(text(content).splitlines()) if line.strip()), None),
        "size": lambda content, _: len(content),
        "digest": lambda content, _: hashlib.sha256(content).hexdigest(),
        "bookmarks": lambda content, _: bookmarks(content),
        "csv": lambda content, asked: rows_of_csv(content)[int(beside(asked, "from_row", 1)) - 1 :],
        "rows": lambda content, asked: rows_of_query(content, asked["query"]),
        "member": lambda content, asked: member(content, asked["name"]),
        "members": lambda content, _: members(content),
        "setting": lambda content, asked: setting(content, asked.get("section", ""), asked["key"]),
        "json": lambda content, asked: in_json(content, asked["at"]),
        "xml": lambda content, asked: in_xml(content, asked["at"], asked.get("what", "text")),
    },
    apart=frozenset({"rows"}),
)
