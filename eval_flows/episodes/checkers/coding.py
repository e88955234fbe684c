"""The getter of qualitative research: documents, tags and coded passages in the database of Taguette."""

import re
import sqlite3
from collections.abc import Callable, Mapping
from html import unescape
from typing import Any

from eval_flows.episodes.checkers.checker import Checkers

_MOST_BYTES = 50_000_000
_MARKUP = re.compile(r"<[^>]*>")
_SPACE = re.compile(r"\s+")
_PASSAGES = """
    select h.snippet from highlights h join documents d on d.id = h.document_id
    where ? in (select t.path from highlight_tags x join tags t on t.id = x.tag_id where x.highlight_id = h.id)
    order by d.name, h.start_offset
"""
_TAGS_OF = """
    select distinct t.path from highlights h join highlight_tags x on x.highlight_id = h.id join tags t on t.id = x.tag_id
    where instr(h.snippet, ?) > 0 order by t.path
"""


def coded(content: bytes, what: str) -> Any:
    """Return a property of a project; ValueError for a database that is too large."""
    if len(content) > _MOST_BYTES:
        raise ValueError("this database is too large")
    database = sqlite3.connect(":memory:")
    try:
        database.deserialize(content)
        kind, _, about = what.partition(".")
        return _OF_PROJECT[kind](database, about)
    finally:
        database.close()


def _column(query: str) -> Callable[[sqlite3.Connection, str], list[str]]:
    def read(database: sqlite3.Connection, about: str) -> list[str]:
        return [_plain(str(value)) for (value,) in database.execute(query, [about] if "?" in query else [])]

    return read


def _one(query: str) -> Callable[[sqlite3.Connection, str], str | None]:
    def read(database: sqlite3.Connection, about: str) -> str | None:
        return next(iter(_column(query)(database, about)), None)

    return read


def _plain(text: str) -> str:
    """Return a text without markup, and with single spaces."""
    return _SPACE.sub(" ", unescape(_MARKUP.sub(" ", text))).strip()


_OF_PROJECT: Mapping[str, Callable[[sqlite3.Connection, str], Any]] = {
    "projects": _column("select name from projects order by name"),
    "documents": _column("select name from documents order by name"),
    "tags": _column("select path from tags order by path"),
    "tag_description": _one("select description from tags where path = ?"),
    "document_description": _one("select description from documents where name = ?"),
    "project_description": _one("select description from projects where name = ?"),
    "passages": _column(_PASSAGES),
    "tags_of": _column(_TAGS_OF),
    "count": lambda database, _: database.execute("select count(*) from highlights").fetchone()[0],
}
CHECKERS = Checkers(
    of_files={"coded": lambda content, asked: coded(content, asked["what"])},
    apart=frozenset({"coded"}),
)
