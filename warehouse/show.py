"""Show what an id stands for: everything that the warehouse knows about a task, a run, a dataset and so on.

Each kind is declared as SQL: `sql/show/<kind>/<number>_<section>.sql`, one query over `$id` for each section.
"""

import json
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import duckdb

from warehouse.errors import WarehouseError
from warehouse.query import NO_VALUE, connect, rendered

_QUERIES = Path(__file__).parent / "sql" / "show"
_LISTED = 10  # ids that a message names
_NEAR = 0.88  # Jaro-Winkler similarity from which an id is suggested
_WIDTH = 140  # characters at which texts are wrapped
_CELL = 60  # characters at which a table cuts a text
PromptOf = Callable[[str], list[dict[str, str]] | None]
Json = dict[str, Any]


@dataclass(frozen=True)
class Section:
    """One section about a thing: its rows, each as long as `names`."""

    title: str
    names: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True)
class Shown:
    """A thing with everything known about it; `prompt` is None if it is no model call, or if no prompt is kept."""

    kind: str
    identity: str
    sections: tuple[Section, ...]
    prompt: list[dict[str, str]] | None


def show(path: Path, asked: str, shape: Literal["table", "json"], prompt_of: PromptOf) -> str:
    """Return a text about the thing with the id or name `asked`, or its unique beginning; WarehouseError if none or several match.

    `prompt_of` returns the messages of a model call by its id, or None if they are not kept.
    """
    connection = connect(path)
    try:
        shown = [_shown(connection, kind, identity, prompt_of) for kind, identity in _meant(connection, asked)]
    finally:
        connection.close()
    if shape == "json":
        return json.dumps([_as_json(thing) for thing in shown], indent=2, default=str, ensure_ascii=False)
    return "\n\n".join(_as_text(thing) for thing in shown)


def _meant(connection: duckdb.DuckDBPyConnection, asked: str) -> list[tuple[str, str]]:
    """Return kind and id of all things with exactly that id or name, else of the one thing whose id or name begins with it."""
    exact = _known(connection, "lower(id) = lower($asked)", "id", asked)
    begun = exact or (_known(connection, "starts_with(lower(id), lower($asked))", "id", asked) if asked else [])
    meant = list(dict.fromkeys((kind, identity) for kind, _, identity, _ in begun))
    if exact or len(meant) == 1:
        return meant
    if meant:
        more = "\n  and more" if len(begun) > _LISTED else ""
        raise WarehouseError(f"several ids begin with '{asked}'; give more characters:\n{_listed(begun[:_LISTED])}{more}")
    likeness = "jaro_winkler_similarity(lower(id), lower($asked))"
    near = _known(connection, f"{likeness} >= {_NEAR}", f"{likeness} desc", asked)[:3]
    ids_of_runs = (
        'list ids of runs with: deskmill sql "select run_id, dataset, protocol, model from runs", '
        'ids of runs of episodes with: deskmill sql "select run_id, suite, agent from suite_runs"'
    )
    hint = f"did you mean:\n{_listed(near)}" if near else ids_of_runs
    raise WarehouseError(
        f"nothing in the warehouse has the id '{asked}' (a task, run, run of episodes, sweep, episode, dataset, composition, model call, "
        f"quality study, mixture, atomic task or application, or the beginning of one); {hint}"
    )


def _known(connection: duckdb.DuckDBPyConnection, condition: str, order: str, asked: str) -> list[tuple[str, str, str, str]]:
    """Return kind, id, identity and a note of the things that meet a condition over `id` and `$asked`; one more than a message lists."""
    known = (_QUERIES / "known_ids.sql").read_text()
    query = f"select kind, id, identity, told from ({known}) where {condition} order by {order}, kind, id limit {_LISTED + 1}"
    return connection.execute(query, {"asked": asked}).fetchall()


def _listed(found: Sequence[tuple[str, str, str, str]]) -> str:
    return "\n".join(f"  {identity}  {kind} {told}" for kind, identity, _, told in found)


def _shown(connection: duckdb.DuckDBPyConnection, kind: str, identity: str, prompt_of: PromptOf) -> Shown:
    sections = []
    for path in sorted((_QUERIES / kind.replace(" ", "_")).glob("*.sql")):
        result = connection.execute(path.read_text(), {"id": identity})
        names = tuple(column[0] for column in result.description)
        sections.append(Section(path.stem.partition("_")[2].replace("_", " "), names, tuple(result.fetchall())))
    return Shown(kind, identity, tuple(sections), prompt_of(identity) if kind == "model call" else None)


def _as_json(shown: Shown) -> Json:
    sections = {section.title.replace(" ", "_"): [dict(zip(section.names, row, strict=True)) for row in section.rows] for section in shown.sections}
    prompt = {"prompt": shown.prompt} if shown.kind == "model call" else {}
    return {"kind": shown.kind, "id": shown.identity, **sections, **prompt}


def _as_text(shown: Shown) -> str:
    """Return a heading and each section: facts one below the other, lists as tables. A last line names the empty sections."""
    parts = [f"{shown.kind} {shown.identity}"]
    for section in shown.sections:
        if section.title == "facts":
            parts += [_facts(section.names, row) for row in section.rows]
        elif section.rows:
            rows = [[_cell(value) for value in row] for row in section.rows]
            parts.append(f"{section.title}\n{textwrap.indent(rendered(section.names, rows, 'table'), '  ')}")
    silent = [section.title for section in shown.sections if not section.rows]
    if silent:
        parts.append(f"empty: {', '.join(silent)}")
    if shown.kind == "model call":
        parts.append(_prompt(shown.prompt))
    return "\n\n".join(parts)


def _facts(names: Sequence[str], row: Sequence[Any]) -> str:
    """Return names and values, one below the other and aligned; long values are wrapped."""
    width = max(map(len, names))
    lines = []
    for name, value in zip(names, row, strict=True):
        pieces = [piece for line in _plain(value).splitlines() or [""] for piece in textwrap.wrap(line, _WIDTH - width - 4) or [""]]
        lines += [f"  {name.ljust(width)}  {pieces[0]}".rstrip(), *(f"  {' ' * width}  {piece}" for piece in pieces[1:])]
    return "\n".join(lines)


def _prompt(messages: list[dict[str, str]] | None) -> str:
    if messages is None:
        return "prompt\n  not kept: the cache of answers has it only if the call succeeded and the cache was not removed"
    return "prompt\n" + "\n".join(f"  [{message['role']}]\n{textwrap.indent(message['content'], '    ')}" for message in messages)


def _cell(value: Any) -> Any:
    """Return a value for a table: numbers unchanged, texts on one line, long texts cut."""
    if value is None or isinstance(value, int | float):
        return value
    text = " ".join(_plain(value).split())
    return text if len(text) <= _CELL else f"{text[: _CELL - 3]}..."


def _plain(value: Any) -> str:
    if value is None:
        return NO_VALUE
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or NO_VALUE
    return str(value)
