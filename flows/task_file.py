"""Read a file of a user's own tasks (JSON Lines): return every task in it, or report every problem.

Every line is one task, a JSON object; blank lines are skipped, and a key whose value is null counts as missing.

    text or instruction   what the user types, in one line; spaces around it are removed
    valid_applications    the names of the applications that can each do all of it
    target_application    the one of them that it was written for; default: the first
    nodes, edges          instead of those two, for a task over several applications: objects with those two keys each,
                          and pairs [i, j] of node numbers, from 0: node i must come before node j
    split                 train, dev or test; default: test

The gate's rules for texts hold: no braces (masked texts keep them for arguments), no double spaces, no text twice.
"""

import codecs
import json
import re
from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

from atomic_tasks.catalog import Catalog
from atomic_tasks.names import spoken_names
from atomic_tasks.problems import BadInput, Place, Problem, Source, suggestion
from flows.shard import text_key

_TEXT_KEYS = ("text", "instruction")
_NODE_KEYS = ("valid_applications", "target_application")
_SPLITS = ("train", "dev", "test")
_KEYS = (*_TEXT_KEYS, *_NODE_KEYS, "nodes", "edges", "split")
_UNCLEAN = {
    "a line break, a tab or another control character: write one line": re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]"),
    "two spaces in a row: write one": re.compile("  "),
    "a brace, which masked texts keep for arguments: write it without": re.compile("[{}]"),
    "half a character (a lone surrogate): write the whole character": re.compile("[\ud800-\udfff]"),
}
Row = dict[str, Any]


def read_tasks(path: Path, content: bytes, catalog: Catalog, candidates: str) -> list[Row]:
    """Return the tasks of a file, in its order, each with line, text, nodes, edges and split; nodes and edges are as in `user_tasks`.

    BadInput holds every problem of the file at once; problems name `path`; `candidates` is the list of known applications.
    """
    problems: list[Problem] = []
    file = Source(path)
    if content.startswith(codecs.BOM_UTF8):
        problems.append(file.problem((), "starts with a byte order mark: save it as UTF-8 without one"))
        content = content.removeprefix(codecs.BOM_UTF8)
    names = _Names(catalog, candidates)
    tasks: list[Row] = []
    line_of: dict[int, int] = {}  # by text key
    for number, line in enumerate(content.split(b"\n"), 1):
        if not line.strip():
            continue
        reader = _LineReader(path, number, names, problems)
        task = reader.read(line)
        first = line_of.setdefault(text_key(task["text"]), number) if task["text"] else number
        if first != number:
            reader.note(f"is the text of line {first}, except for case and spacing: write every text only once", "text")
        tasks.append({"line": number, **task})
    if not tasks:
        problems.append(file.problem((), "holds no task: write one JSON object a line, with text and valid_applications"))
    if problems:
        raise BadInput(problems)
    return tasks


class _Names:
    """The applications that tasks may name: those of a candidate list."""

    def __init__(self, catalog: Catalog, candidates: str) -> None:
        self.place = {name: place for place, name in enumerate(catalog.candidates[candidates].applications)}
        self._list = candidates
        self._spoken = {spoken.casefold(): name for name in self.place for spoken in spoken_names(catalog.applications[name])}

    def refusal(self, word: str) -> str:
        """Return why a word is no name, and what to write instead."""
        if word.casefold() in self._spoken:
            return f"'{word}' is what people call it: write the name, '{self._spoken[word.casefold()]}'"
        return f"no application '{word}' in the candidate list '{self._list}'{suggestion(word, self.place)}"


class _LineReader:
    """Reads one line. It notes each problem, leaves that part out of the task and reads on, so that one pass finds every problem."""

    def __init__(self, path: Path, number: int, names: _Names, problems: list[Problem]) -> None:
        self._source = Source(path, line_of=lambda place: number)
        self._names = names
        self._problems = problems

    def note(self, reason: str, *place: str | int) -> None:
        """Note a problem at a place in the line."""
        self._problems.append(self._source.problem(place, reason))

    def read(self, line: bytes) -> Row:
        """Return the line's text, nodes, edges and split; the text is empty if it cannot be read."""
        data = self._object(line)
        if data is None:
            return {"text": ""}
        self._refuse_unknown(data, _KEYS, ())
        nodes = self._nodes(data)
        edges = self._edges(data, len(nodes)) if "nodes" in data and nodes else []
        split = data.get("split", "test")
        if split not in _SPLITS:
            self.note(f"wants one of {', '.join(_SPLITS)}", "split")
        return {"text": self._text(data), "nodes": nodes, "edges": edges, "split": split}

    def _object(self, line: bytes) -> Row | None:
        try:
            data = json.loads(line.decode(), object_pairs_hook=self._mapping)
        except UnicodeDecodeError as error:
            self.note(f"not UTF-8 at byte {error.start + 1}: save the file as UTF-8")
        except (ValueError, RecursionError) as error:
            reason = f"{error.msg} at column {error.colno}" if isinstance(error, json.JSONDecodeError) else str(error)
            self.note(f"not JSON: {reason}; every line is a JSON object of its own")
        else:
            if isinstance(data, dict):
                return data
            self.note('wants a JSON object, such as {"text": ..., "valid_applications": [...]}')
        return None

    def _mapping(self, pairs: Iterable[tuple[str, Any]]) -> Row:
        """Return a JSON object without its nulls; json itself would keep only the last of equal keys."""
        mapping: Row = {}
        for key, value in pairs:
            if key in mapping:
                self.note("this key occurs twice", key)
            if value is not None:
                mapping[key] = value
        return mapping

    def _refuse_unknown(self, data: Mapping[str, Any], keys: Iterable[str], place: Place) -> None:
        for key in data:
            if key not in keys:
                self.note(f"unknown key '{key}'{suggestion(key, keys)}", *place, key)

    def _text(self, data: Row) -> str:
        given = [key for key in _TEXT_KEYS if key in data]
        if len(given) != 1:
            self.note("give either text or instruction", "text")
            return ""
        text = data[given[0]]
        if not isinstance(text, str) or not text.strip():
            self.note("is empty: write what the user types" if isinstance(text, str) else "wants what the user types, in quotes", *given)
            return ""
        text = text.strip()
        found = [reason for reason, pattern in _UNCLEAN.items() if pattern.search(text)]
        for reason in found:
            self.note(f"holds {reason}", *given)
        return "" if found else text

    def _nodes(self, data: Row) -> list[Row]:
        """Return the nodes of the task; a node that cannot be read is empty."""
        if "nodes" not in data:
            if "edges" in data:
                self.note("edges are between nodes: give nodes, and valid_applications in each", "edges")
            return [self._node(data, ())]
        for key in _NODE_KEYS:
            if key in data:
                self.note("belongs into each node: a task with nodes has it only there", key)
        nodes = data["nodes"]
        if not isinstance(nodes, list) or not nodes:
            self.note("wants a list of objects with valid_applications", "nodes")
            return []
        for number, node in enumerate(nodes):
            if isinstance(node, dict):
                self._refuse_unknown(node, _NODE_KEYS, ("nodes", number))
            else:
                self.note("wants an object with valid_applications", "nodes", number)
        return [self._node(node, ("nodes", number)) if isinstance(node, dict) else {} for number, node in enumerate(nodes)]

    def _node(self, data: Row, place: Place) -> Row:
        valid = self._valid(data, place)
        target = data.get("target_application", valid[0] if valid else None)
        if "target_application" in data and self._is_name(target, *place, "target_application") and valid and target not in valid:
            self.note(f"'{target}' is not among the valid_applications: add it there, or choose one of them", *place, "target_application")
        return {"target_application": target, "valid_applications": sorted(valid, key=self._names.place.__getitem__)}

    def _valid(self, data: Row, place: Place) -> list[str]:
        """Return the valid applications in the order of the line; an empty list if one of them is wrong."""
        place = (*place, "valid_applications")
        names = data.get("valid_applications")
        if not isinstance(names, list) or not names:
            self.note("wants a list of the applications that can do it, at least one", *place)
            return []
        sound = [self._is_name(name, *place, number) for number, name in enumerate(names)]
        twice = [number for number, name in enumerate(names) if name in names[:number]]
        for number in twice:
            self.note(f"'{names[number]}' occurs twice", *place, number)
        return names if all(sound) and not twice else []

    def _is_name(self, name: Any, *place: str | int) -> bool:
        if isinstance(name, str) and name in self._names.place:
            return True
        self.note(self._names.refusal(name) if isinstance(name, str) else "wants the name of an application, in quotes", *place)
        return False

    def _edges(self, data: Row, nodes: int) -> list[dict[str, int]]:
        if nodes > 1 and "edges" not in data:
            self.note("is missing: list pairs [i, j] for node i before node j, or [] where the order is free", "edges")
        pairs = data.get("edges", [])
        if not isinstance(pairs, list):
            self.note("wants a list of pairs [i, j], for node i before node j", "edges")
            return []
        sound: list[tuple[int, int]] = []
        for number, pair in enumerate(pairs):
            refusal = _refused_edge(pair, nodes, sound)
            if refusal:
                self.note(refusal, "edges", number)
            else:
                sound.append((pair[0], pair[1]))
        order: TopologicalSorter[int] = TopologicalSorter()
        for source, target in sound:
            order.add(target, source)
        try:
            order.prepare()
        except CycleError as error:
            self.note(f"nodes {', '.join(map(str, error.args[1]))} come before each other in a circle: remove one of the edges", "edges")
        return [{"source": source, "target": target} for source, target in sorted(sound)]


def _refused_edge(pair: Any, nodes: int, earlier: Iterable[tuple[int, int]]) -> str | None:
    """Return why a pair is no edge between so many nodes; None if it is one."""
    if not isinstance(pair, list) or [type(end) for end in pair] != [int, int]:
        return "wants two node numbers [i, j], for node i before node j"
    if not all(0 <= end < nodes for end in pair):
        return f"{pair} names a node that does not exist: the {nodes} nodes are numbered from 0"
    if pair[0] == pair[1]:
        return f"{pair} puts a node before itself"
    return f"{pair} occurs twice" if tuple(pair) in earlier else None
