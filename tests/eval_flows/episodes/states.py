"""The state of an executable task without a machine: its setup made in memory, changed as an agent might have, and held against its checks."""

import io
import sqlite3
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import docx
import openpyxl

from atomic_tasks.catalog import Catalog
from atomic_tasks.seeds import derived_random
from eval_flows.episodes.checkers.checks import check, sources_of
from eval_flows.episodes.environment.desktop import Desktop
from eval_flows.episodes.tasks.compose import single, values_of
from eval_flows.episodes.tasks.makers.maker import make
from eval_flows.episodes.tasks.task import made_task
from tests.eval_flows.episodes.desktops import HOME, Files, Json, Screen
from tests.eval_flows.episodes.environment.homes import told

Change = Callable[["State"], None]


@dataclass
class Home(Files):
    """Files in memory whose folders can be listed."""

    folders: set[str] = field(default_factory=set)

    def listing(self, path: str) -> list[Json] | None:
        below = {name[len(path) + 1 :].partition("/")[0] for name in (*self.content, *self.folders) if name.startswith(f"{path}/")}
        known = path in self.folders or below
        return [{"name": name, "mode": "0644"} for name in sorted(below)] if known else None

    def execute(self, command: list[str] | str, shell: bool = False) -> Json:
        if not shell:
            self.folders.add(command[1].rpartition("/")[0])
        return super().execute(command, shell)


@dataclass
class State:
    """The home folder of an episode, and the values of its arguments."""

    home: Home
    values: Mapping[str, str]

    def __getitem__(self, name: str) -> bytes:
        return self.home.content[self._path(name)]

    def __setitem__(self, name: str, content: bytes) -> None:
        self.home.content[self._path(name)] = content

    def drop(self, name: str) -> None:
        """Delete a file."""
        del self.home.content[self._path(name)]

    def folder(self, name: str) -> None:
        """Make an empty folder."""
        self.home.folders.add(self._path(name))

    def _path(self, name: str) -> str:
        return f"{HOME}/{name.format(**self.values)}"


def holds(catalog: Catalog, task_id: str, change: Change, seed: int = 1) -> bool:
    """Whether every check of a task holds once its state was changed so."""
    return _changed(catalog, task_id, change, seed)[0]


def earns(catalog: Catalog, task_id: str, change: Change, seed: int = 1) -> bool:
    """Whether every check of a task holds once its state was changed so, and nothing changed that the task may not change."""
    is_right, changes, before, after = _changed(catalog, task_id, change, seed)
    return is_right and told(before, after, *changes) == []


def _changed(
    catalog: Catalog, task_id: str, change: Change, seed: int
) -> tuple[bool, Sequence[Mapping[str, Any]], Mapping[str, bytes], Mapping[str, bytes]]:
    """Return whether every check holds, the changes that the task may make, and the files in the home folder before and after."""
    task = catalog.tasks[task_id]
    composition = single(catalog, task, derived_random(seed, task_id))
    values = values_of(composition, catalog, seed, task_id, "bind")
    episode = made_task(composition, values, catalog, "L1", "").on(HOME)
    home = Home()
    desk = cast("Desktop", Screen(home))
    for step in episode.steps:
        for entry in step.setup:
            make(desk, entry)
    before, old = sources_of(desk, [step.check for step in episode.steps]), _in_home(home)
    change(State(home, values))
    is_right = all(check(desk, entry, before).holds for step in episode.steps for entry in step.check)
    return is_right, episode.changes.declared, old, _in_home(home)


def _in_home(home: Home) -> dict[str, bytes]:
    return {path.removeprefix(f"{HOME}/"): content for path, content in home.content.items()}


def word(edit: Callable[[Any, Mapping[str, str]], Any]) -> Change:
    """A change of the document that a task is about, by python-docx."""

    def change(state: State) -> None:
        document = docx.Document(io.BytesIO(state["Documents/{document}"]))
        edit(document, state.values)
        document.save(file := io.BytesIO())
        state["Documents/{document}"] = file.getvalue()

    return change


def calc(edit: Callable[[Any, Mapping[str, str]], Any]) -> Change:
    """A change of the workbook that a task is about, by openpyxl."""

    def change(state: State) -> None:
        workbook = openpyxl.load_workbook(io.BytesIO(state["Documents/{workbook}"]))
        edit(workbook, state.values)
        workbook.save(file := io.BytesIO())
        state["Documents/{workbook}"] = file.getvalue()

    return change


def sql(*statements: str) -> Change:
    """A change of the database that a task is about, by SQL with its arguments in braces."""

    def change(state: State) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "changed.db"
            path.write_bytes(state["Documents/{database}.db"])
            connection = sqlite3.connect(path)
            for statement in statements:
                connection.execute(statement.format(**state.values))
            connection.commit()
            connection.close()
            state["Documents/{database}.db"] = path.read_bytes()

    return change


def text(name: str, edit: Callable[[str, Mapping[str, str]], str]) -> Change:
    """A change of a text file."""

    def change(state: State) -> None:
        state[name] = edit(state[name].decode(), state.values).encode()

    return change
