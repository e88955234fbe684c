"""Oracles of ours for imported tasks: the steps that do a task, by the id of its file, in the language of the oracles of our own suites.

Each YAML file of a folder has some of them. Ours are in `oracles/`, a file for each application. An import gives the suite those of its tasks.
"""

from collections.abc import Collection, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from pydantic import Field, model_validator

import atomic_tasks
from atomic_tasks.checkers import Checkers
from atomic_tasks.executable import Executable, executable_mistakes
from atomic_tasks.problems import BadInput, Problem, Source, suggestion
from atomic_tasks.schema import Declared, Entry
from atomic_tasks.yaml_source import read_declared_file, read_yaml, validated

OURS = Path(__file__).parent / "oracles"
_CHECKERS = Path(atomic_tasks.__file__).parent / "checkers.yaml"


class Oracle(Declared):
    """The oracle of a task: its steps, and why the proof of the task does not hold, where that is a mistake of the task itself.

    A task that rewards doing nothing has such a reason also where nobody has written its steps.
    """

    steps: tuple[Entry, ...] = ()
    unproven: str | None = Field(None, min_length=20)

    @model_validator(mode="after")
    def _says_something(self) -> "Oracle":
        if not self.steps and self.unproven is None:
            raise ValueError("it has no steps: give some, or say by `unproven` why the task cannot be proven")
        return self


class Oracles(Declared):
    """A file of oracles, by the ids of their tasks."""

    oracles: dict[str, Oracle]


def read_oracles(folder: Path, ids: Collection[str] | None = None) -> dict[str, Oracle]:
    """Return the oracles in the YAML files of a folder, by the ids of their tasks.

    `BadInput` names every mistake: a step that is not known, two oracles for one task, and, where `ids` are given, an oracle for any other task.
    """
    problems: list[Problem] = []
    found: dict[str, Oracle] = {}
    for path in sorted(folder.glob("*.yaml")):
        source = read_yaml(path, problems)
        made = validated(source, Oracles, problems) if source.data is not None else None
        for task, oracle in made.oracles.items() if made else ():
            problems += _mistakes(source, task, oracle, found, ids)
            found[task] = oracle
    if problems:
        raise BadInput(problems)
    return found


def _mistakes(source: Source, task: str, oracle: Oracle, before: Mapping[str, Oracle], ids: Collection[str] | None) -> Iterator[Problem]:
    place = ("oracles", task)
    if task in before:
        yield source.problem(place, "this task has an oracle in another file too: remove one of them")
    if ids is not None and task not in ids:
        yield source.problem(place, f"no readable task file has this id{suggestion(task, ids)}")
    steps = [Executable(place, oracle=oracle.steps)]
    yield from executable_mistakes(_known(), steps, lambda at, reason: source.problem((*place, "steps", *at[len(place) + 1 :]), reason))


@cache
def _known() -> Checkers:
    return read_declared_file(_CHECKERS, Checkers)


def written(oracles: Mapping[str, Oracle]) -> str:
    """Return a file of oracles."""
    plain: dict[str, Any] = {task: one.model_dump(mode="json", exclude_none=True) for task, one in oracles.items()}
    return yaml.safe_dump({"oracles": plain}, sort_keys=False, allow_unicode=True, width=1000)
