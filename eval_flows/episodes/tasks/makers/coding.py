"""The maker of qualitative research: a project of Taguette with its interviews, its tags, and passages that are coded already."""

import sqlite3
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

from eval_flows.episodes.tasks.makers.maker import Makers

_SCHEMA = Path(__file__).parents[1] / "materials" / "taguette" / "schema.sql"
_NO_TIME = "2026-01-01 00:00:00.000000"
Json = Mapping[str, Any]


def _project(asked: Json) -> bytes:
    """Return the database. Places of passages are counted in bytes of the text without markup."""
    database = sqlite3.connect(":memory:")
    database.executescript(_SCHEMA.read_text())
    database.execute("insert into projects values (1, ?, ?, ?)", (asked["project"], asked.get("description", ""), _NO_TIME))
    database.execute("insert into project_members values (1, 'admin', 'ADMIN')")
    for path, description in asked.get("tags", {}).items():
        database.execute("insert into tags (project_id, path, description) values (1, ?, ?)", (path, description))
    for name, paragraphs in asked["documents"].items():
        contents = "".join(f"<p>{escape(paragraph, quote=False)}</p>" for paragraph in paragraphs)
        values = (name, f"{name}.html", _NO_TIME, contents)
        database.execute("insert into documents values (null, ?, '', ?, ?, 1, 'LEFT_TO_RIGHT', ?)", values)
    for passage in asked.get("passages", ()):
        _code(database, asked["documents"], passage)
    database.commit()
    content = database.serialize()
    database.close()
    return bytes(content)


def _code(database: sqlite3.Connection, documents: Json, passage: Json) -> None:
    whole, text = "".join(documents[passage["of"]]), passage["text"]
    start = len(whole[: whole.index(text)].encode())
    values = (passage["of"], start, start + len(text.encode()), escape(text, quote=False))
    row = database.execute("insert into highlights select null, id, ?2, ?3, ?4 from documents where name = ?1 returning id", values).fetchone()
    for tag in passage["tags"]:
        database.execute("insert into highlight_tags select ?, id from tags where path = ?", (row[0], tag))


MAKERS = Makers(of_files={"interviews": _project})
