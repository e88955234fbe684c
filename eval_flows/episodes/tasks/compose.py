"""Compositions of executable tasks: the listed tasks, with steps that open before and save after, in one application or several."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from random import Random

from atomic_tasks.catalog import Catalog
from atomic_tasks.executable import texts_in
from atomic_tasks.schema import AtomicTask, placeholders
from atomic_tasks.seeds import derived_random
from compositions.binding import bind
from compositions.engine import Engine
from compositions.model import Composition, Step, broken_constraints
from compositions.schema import WorkflowStep

_TRIES = 20
_LOCALE = "en"


class NotComposed(ValueError):
    """These tasks cannot be put together; the text says which, and why if that is known."""


def executable_engine(catalog: Catalog, application: str) -> Engine:
    """Return an engine over the executable tasks of an application."""
    return Engine(executable(catalog.applications[application].tasks))


def executable(tasks: Iterable[AtomicTask]) -> list[AtomicTask]:
    """Return the tasks that can be done on a machine, without the infeasible ones."""
    return [task for task in tasks if task.oracle or task.preload is not None]


def single(catalog: Catalog, task: AtomicTask, random: Random, close: bool = True) -> Composition:
    """Return the task, with steps that open before and save after."""
    if task.infeasible is not None:
        engine = Engine([*executable(catalog.applications[task.application].tasks), task])
    else:
        engine = executable_engine(catalog, task.application)
    for _ in range(_TRIES):
        composition = engine.single(task, random)
        if composition is not None:
            return _as_asked(engine.closed(composition)) if close else composition
    raise NotComposed(f"{task.id}: no executable task gives what it needs ({', '.join(task.needs)})")


def sequence(catalog: Catalog, task_ids: Sequence[str], random: Random) -> Composition:
    """Return the tasks in their order; each run of one application has steps that open before and save after.

    Tasks of one application share arguments if their needs say so; their other arguments are kept apart.
    """
    runs: list[list[AtomicTask]] = []
    for task_id in task_ids:
        task = catalog.tasks[task_id]
        if runs and runs[-1][-1].application == task.application:
            runs[-1].append(task)
        else:
            runs.append([task])
    steps: tuple[Step, ...] = ()
    for run in runs:
        steps += _of_one_application(catalog, run, random, {name for step in steps for name in step.arguments})
    return _sound(Composition(steps, "single" if len(task_ids) == 1 else "chain"))


def listed(catalog: Catalog, steps: Sequence[WorkflowStep]) -> Composition:
    """Return the steps as they are listed, including opening and saving."""
    return _sound(Composition(tuple(Step(catalog.tasks[step.task], step.with_) for step in steps), "workflow"))


def _of_one_application(catalog: Catalog, tasks: Sequence[AtomicTask], random: Random, taken: set[str]) -> tuple[Step, ...]:
    """Return the opening steps, the tasks, and the saving steps; an argument that an earlier step has by chance is renamed."""
    composition = single(catalog, tasks[0], random, close=False)
    engine = executable_engine(catalog, tasks[0].application)
    steps = composition.steps
    for task in tasks[1:]:
        before = single(catalog, task, random, close=False).steps[:-1]
        known = {step.task.id for step in steps}
        steps += tuple(step for step in before if step.task.id not in known)
        needed = {argument for fact in task.facts("needs") for argument in fact.arguments}
        used = {name for step in steps for name in step.arguments}
        steps += (_renamed(task, {name for name in task.arguments if name in used - needed}, used | set(task.arguments)),)
    steps = engine.closed(Composition(steps, "chain")).steps
    if clashing := taken & {name for step in steps for name in step.arguments}:
        used = taken | {name for step in steps for name in step.arguments}
        renaming = {name: _free(name, used) for name in sorted(clashing)}
        steps = tuple(
            replace(step, names={name: renaming.get(step.names.get(name, name), step.names.get(name, name)) for name in step.task.arguments})
            for step in steps
        )
    return steps


def _renamed(task: AtomicTask, clashing: set[str], used: set[str]) -> Step:
    return Step(task, {name: _free(name, used) for name in sorted(clashing)})


def _free(name: str, used: set[str]) -> str:
    return next(other for number in count(2) if (other := f"{name}_{number}") not in used)


def _sound(composition: Composition) -> Composition:
    if broken := broken_constraints(composition):
        raise NotComposed("; ".join(broken))
    return _as_asked(composition)


def _as_asked(composition: Composition) -> Composition:
    """Return the composition with what its tasks ask in episodes in place of their phrasings."""
    return replace(composition, steps=tuple(replace(step, task=_asked(step.task)) if step.task.asks else step for step in composition.steps))


def _asked(task: AtomicTask) -> AtomicTask:
    """Return the task with what it asks, and with the arguments that play a part in that: its phrasings may have others."""
    declared = [task.asks, task.setup, task.preload or (), task.oracle, task.check, task.changes or ()]
    used = {name for text in texts_in(declared) for name in placeholders(text)}
    used |= {name for kind in ("needs", "gives", "ends") for fact in task.facts(kind) for name in fact.arguments}
    used |= {task.arguments[name].of or name for name in used & set(task.arguments)}
    arguments = {name: argument for name, argument in task.arguments.items() if name in used}
    return task.model_copy(update={"say": task.asks, "rewordings": {}, "arguments": arguments})


def values_of(composition: Composition, catalog: Catalog, *seed: str | int) -> Mapping[str, str]:
    """Return a value for every argument, by a seed."""
    return bind(composition.arguments, catalog.generators, _LOCALE, derived_random(*seed))
