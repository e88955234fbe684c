"""A task: what an environment is reset to. It is a composition of atomic tasks with their values, an instruction, and checks of the final state.

An episode is one played time of a task. Tables and suites name a task by the id of its episodes, `episode_id`.
"""

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict

from atomic_tasks.catalog import Catalog
from atomic_tasks.executable import texts_in
from atomic_tasks.schema import placeholders
from compositions.model import Composition, Step
from eval_flows.episodes.tasks.changes import Changes
from eval_flows.episodes.tasks.fill import fill

Level = Literal["L1", "L2", "L3", "L4"]
Entry = dict[str, Any]
STEP_BUDGETS: Mapping[Level, int] = {"L1": 35, "L2": 55, "L3": 100, "L4": 55}  # ProSoftArena, Appendix C.2


class TaskStep(BaseModel):
    """One atomic task with its values. `check` is empty if a later step ends the facts of this one; `changes` are what it may change."""

    model_config = ConfigDict(frozen=True)
    task: str
    application: str
    program: str
    setup: tuple[Entry, ...]
    preload: tuple[str, ...] | None
    oracle: tuple[Entry, ...]
    check: tuple[Entry, ...]
    changes: tuple[Entry, ...] = ()


class Task(BaseModel):
    """What an agent is asked to do, from a desktop that is set up to a state that is checked."""

    model_config = ConfigDict(frozen=True)
    is_judged_alone: ClassVar[bool] = False  # judging it may wait where the files of all episodes of a process are read
    level: Level
    discipline: str
    instruction: str
    values: dict[str, str]
    steps: tuple[TaskStep, ...]
    infeasible: str | None = None

    @property
    def episode_id(self) -> str:
        """Return a hash of everything that makes the task."""
        return hashlib.blake2b(json.dumps(self.model_dump(), sort_keys=True).encode(), digest_size=8).hexdigest()

    def on(self, home: str) -> "Task":
        """Return the task on a machine with that home folder: `{home}` stands for it in what is set up, done and checked."""

        def filled(step: TaskStep) -> TaskStep:
            entries = {name: tuple(fill(getattr(step, name), {"home": home})) for name in ("setup", "oracle", "check", "changes")}
            preload = None if step.preload is None else tuple(fill(step.preload, {"home": home}))
            return step.model_copy(update={**entries, "preload": preload})

        return self.model_copy(update={"steps": tuple(map(filled, self.steps))})

    @property
    def budget(self) -> int:
        """Return the most steps that an agent may take."""
        return STEP_BUDGETS[self.level]

    @property
    def applications(self) -> list[str]:
        """Return the applications in the order of their first steps."""
        return list(dict.fromkeys(step.application for step in self.steps))

    @property
    def programs(self) -> list[str]:
        """Return the handles of the programs that take part."""
        return list(dict.fromkeys(step.program for step in self.steps))

    @property
    def changes(self) -> Changes:
        """Return what its steps may change together."""
        return Changes([entry for step in self.steps for entry in step.changes])

    @property
    def phases(self) -> list[list[TaskStep]]:
        """Return the maximal runs of steps in one application."""
        runs: list[list[TaskStep]] = []
        for step in self.steps:
            if runs and runs[-1][-1].application == step.application:
                runs[-1].append(step)
            else:
                runs.append([step])
        return runs


def made_task(
    composition: Composition, values: Mapping[str, str], catalog: Catalog, level: Level, instruction: str, handed: Collection[str] = ()
) -> Task:
    """Return the task of a bound composition. `handed` names arguments that an earlier step makes: a later step sets up nothing for them."""
    steps = tuple(_step(composition, position, values, catalog, handed) for position in range(len(composition.steps)))
    first = catalog.applications[composition.steps[0].task.application]
    infeasible = next((step.task.infeasible for step in composition.steps if step.task.infeasible), None)
    return Task(level=level, discipline=first.discipline or "", instruction=instruction, values=dict(values), steps=steps, infeasible=infeasible)


def _step(composition: Composition, position: int, values: Mapping[str, str], catalog: Catalog, handed: Collection[str]) -> TaskStep:
    step = composition.steps[position]
    made_before = {name for before in composition.steps[:position] for name in before.arguments} & set(handed)
    own = {name: values[step.names.get(name, name)] for name in step.task.arguments}
    application = catalog.applications[step.task.application]
    ended = _is_ended(step, composition.steps[position + 1 :])
    return TaskStep(
        task=step.task.id,
        application=application.application,
        program=application.program or application.application,
        setup=tuple(fill([entry for entry in step.task.setup if not _speaks_of(entry, step, made_before)], own)),
        preload=None if step.task.preload is None else tuple(fill(step.task.preload, own)),
        oracle=tuple(fill(step.task.oracle, own)),
        check=() if ended else tuple(fill(step.task.check, own)),
        changes=tuple(fill(step.task.changes or (), own)),
    )


def _speaks_of(entry: Entry, step: Step, arguments: Collection[str]) -> bool:
    """Tell whether an entry of a step's setup has a placeholder for one of the arguments, by their names in the composition."""
    return any(step.names.get(name, name) in arguments for text in texts_in(entry) for name in placeholders(text))


def _is_ended(step: Step, later: Sequence[Step]) -> bool:
    """Tell whether a later step ends a fact that this one gives: then its checks do not hold."""
    return any(set(step.gives) & set(after.ends) for after in later)
