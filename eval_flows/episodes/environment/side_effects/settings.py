"""Files of settings (JSON, XML, or lines of keys and values), compared by their keys. `keys` frees keys whose path contains one of its texts."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from xml.etree import ElementTree

from eval_flows.episodes.checkers import files
from eval_flows.episodes.environment.side_effects.parts import Parts, freed, holding
from eval_flows.episodes.tasks.changes import Change

_LINE = re.compile(r"^([^=:#;\[][^=:]*?)\s*[=:]\s*(.*)$")
_SECTION = re.compile(r"^\[(.*)\]$")


def of_settings(content: bytes, changes: Sequence[Change]) -> Parts:
    """Return every key that is not freed, with its value; slashes join the parts of its path."""
    free = freed(changes, "keys")
    return {"settings": {key: value for key, value in _read(content) if not holding(key, free)}}


def _read(content: bytes) -> Iterator[tuple[str, str]]:
    whole = files.text(content).strip()
    if whole.startswith("{"):
        yield from _in_json("", json.loads(whole))
    elif whole.startswith("<"):
        yield from _in_xml("", ElementTree.fromstring(whole))
    else:
        yield from _in_lines(whole)


def _in_json(path: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, part in value.items():
            yield from _in_json(f"{path}/{key}", part)
    elif isinstance(value, list) and any(isinstance(part, Mapping | list) for part in value):
        for number, part in enumerate(value):
            yield from _in_json(f"{path}/{number}", part)
    else:
        yield path.lstrip("/"), json.dumps(value)


def _in_xml(path: str, node: ElementTree.Element) -> Iterator[tuple[str, str]]:
    here = f"{path}/{node.get('name') or node.tag}"
    told = " ".join([*(f"{key}={value}" for key, value in node.items() if key != "name"), (node.text or "").strip()]).strip()
    if told:
        yield here.lstrip("/"), told
    for number, part in enumerate(node):
        yield from _in_xml(here if part.get("name") else f"{here}/{number}", part)


def _in_lines(whole: str) -> Iterator[tuple[str, str]]:
    section = ""
    for line in whole.splitlines():
        if found := _SECTION.match(line.strip()):
            section = f"{found[1]}/"
        elif found := _LINE.match(line.strip()):
            yield f"{section}{found[1]}", found[2]
