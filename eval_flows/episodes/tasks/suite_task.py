"""The tasks of a suite, composed from atomic tasks or written as jobs, with what a proof does to each besides its oracle."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from atomic_tasks.catalog import Catalog
from atomic_tasks.executable import HasWays
from compositions.model import Composition
from eval_flows.episodes.tasks.changed import changed_tasks
from eval_flows.episodes.tasks.fill import fill
from eval_flows.episodes.tasks.jobs import Job, disciplines, replaced
from eval_flows.episodes.tasks.task import Task, TaskStep


@dataclass(frozen=True)
class Variant:
    """A task with another oracle, in words: another way must earn the reward, a near miss must not."""

    words: str
    task: Task


class SuiteTask(ABC):
    """A task of a suite."""

    task: Task

    @abstractmethod
    def changed(self, catalog: Catalog) -> dict[str, Task]:
        """Return, for each value that the oracle or a check uses, the task with another value for it."""

    @abstractmethod
    def ways(self, catalog: Catalog) -> list[Variant]:
        """Return the task with each other way to its result as its oracle."""

    @abstractmethod
    def near_misses(self, catalog: Catalog) -> list[Variant]:
        """Return the task with each near miss as its oracle."""

    @property
    @abstractmethod
    def unproven(self) -> str | None:
        """Return why its proof does not hold yet, where that is known."""

    @property
    @abstractmethod
    def lineage(self) -> str:
        """Return what it was made from: the id of its composition, or of its job."""


@dataclass(frozen=True)
class ComposedTask(SuiteTask):
    """A task that is composed from atomic tasks. `handed` is as in `made_task`."""

    task: Task
    composition: Composition
    seed: tuple[str | int, ...]
    handed: tuple[str, ...]
    unproven: str | None = None

    def changed(self, catalog: Catalog) -> dict[str, Task]:
        """Return, for each argument, the task with another value for it."""
        return changed_tasks(self.composition, self.task, catalog, *self.seed, handed=self.handed)

    def ways(self, catalog: Catalog) -> list[Variant]:
        """Return a variant for each other way of each of its atomic tasks; a first step that is done by opening has no way to go."""
        return [
            Variant(f"{step.task}: {words}", self._with(number, oracle))
            for number, step in enumerate(self.task.steps)
            if number or step.preload is None
            for words, oracle in _ways(catalog.tasks[step.task], catalog.tasks[step.task].oracle)
        ]

    def near_misses(self, catalog: Catalog) -> list[Variant]:
        """Return a variant for each near miss of each of its atomic tasks whose checks count at the end."""
        return [
            Variant(f"{step.task}: {words}", self._with(number, oracle))
            for number, step in enumerate(self.task.steps)
            if step.check
            for words, oracle in _misses(catalog.tasks[step.task], catalog.tasks[step.task].oracle)
        ]

    @property
    def lineage(self) -> str:
        """Return the id of its composition."""
        return self.composition.composition_id

    def _with(self, number: int, oracle: Any) -> Task:
        step = self.composition.steps[number]
        values = {name: self.task.values[step.names.get(name, name)] for name in step.task.arguments}
        return _with_oracle(self.task, number, fill(oracle, values))


@dataclass(frozen=True)
class WrittenTask(SuiteTask):
    """A task that is a job."""

    task: Task
    job: Job

    def changed(self, catalog: Catalog) -> dict[str, Task]:
        """Return, for each value, the task with the other value for it."""
        firsts = {name: value for name, (value, _) in self.job.values.items()}
        return {name: _made(self.job, {**firsts, name: other}, catalog, self.task.instruction) for name, (_, other) in self.job.values.items()}

    def ways(self, catalog: Catalog) -> list[Variant]:
        """Return a variant for each other way."""
        return [Variant(one.way, self._otherwise(one.oracle, one.instead)) for one in self.job.also]

    def near_misses(self, catalog: Catalog) -> list[Variant]:
        """Return a variant for each near miss."""
        return [Variant(one.mistake, self._otherwise(one.oracle, one.instead)) for one in self.job.near_misses]

    @property
    def unproven(self) -> str | None:
        """Return why its proof does not hold yet, as the job says."""
        return self.job.unproven

    @property
    def lineage(self) -> str:
        """Return the id of the job."""
        return self.job.id

    def _otherwise(self, oracle: Any, instead: Mapping[str, str]) -> Task:
        """Return the task with another oracle for the whole, or with its own ones changed; parts without one have nothing left to do."""
        oracles: Any = [oracle] if oracle else replaced([part.oracle for part in self.job.parts], instead)
        values = {name: value for name, (value, _) in self.job.values.items()}
        task, first = self.task, len(self.task.steps) - len(self.job.parts)
        for number in range(len(self.job.parts)):
            task = _with_oracle(task, first + number, fill(oracles[number], values) if number < len(oracles) else ())
        return task


def written_task(job: Job, catalog: Catalog) -> WrittenTask:
    """Return the task of a job."""
    values = {name: value for name, (value, _) in job.values.items()}
    return WrittenTask(_made(job, values, catalog, fill(job.instruction, values).strip()), job)


def _made(job: Job, values: Mapping[str, str], catalog: Catalog, instruction: str) -> Task:
    filled: Mapping[str, Any] = fill(job.model_dump(include={"setup", "open"}), values)
    first = catalog.applications[job.application]
    program = first.program or first.application
    opening = TaskStep(
        task=f"{job.id}.open",
        application=first.application,
        program=program,
        setup=tuple(filled["setup"]),
        preload=tuple(filled["open"]),
        oracle=({"open_program": program},),
        check=(),
    )
    parts = []
    for number, part in enumerate(job.parts):
        application = catalog.applications[part.application]
        done = fill({"oracle": part.oracle, "check": part.check, "changes": part.changes}, values)
        parts.append(
            TaskStep(
                task=job.id if len(job.parts) == 1 else f"{job.id}.{number + 1}",
                application=application.application,
                program=application.program or application.application,
                setup=(),
                preload=None,
                oracle=tuple(done["oracle"]),
                check=tuple(done["check"]),
                changes=tuple(done["changes"]),
            )
        )
    return Task(
        level=job.level,
        discipline=disciplines().of(job.subfield) or first.discipline or "",
        instruction=instruction,
        values=dict(values),
        steps=(opening, *parts),
        infeasible=job.infeasible,
    )


def _with_oracle(task: Task, number: int, oracle: Any) -> Task:
    steps = list(task.steps)
    steps[number] = steps[number].model_copy(update={"oracle": tuple(oracle)})
    return task.model_copy(update={"steps": tuple(steps)})


def _ways(declared: HasWays, oracle: Any) -> Iterator[tuple[str, Any]]:
    yield from ((one.way, one.oracle or replaced(oracle, one.instead)) for one in declared.also)


def _misses(declared: HasWays, oracle: Any) -> Iterator[tuple[str, Any]]:
    yield from ((one.mistake, one.oracle or replaced(oracle, one.instead)) for one in declared.near_misses)
