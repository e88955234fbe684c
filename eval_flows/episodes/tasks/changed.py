"""A task with another value of one argument, for proofs: its oracle must not earn the reward of the original."""

from collections.abc import Collection
from typing import Any

from atomic_tasks.catalog import Catalog
from compositions.model import Composition
from eval_flows.episodes.tasks.compose import values_of
from eval_flows.episodes.tasks.task import Task, made_task

_OTHER_VALUES = 12  # the most draws to find another value of an argument


def changed_tasks(composition: Composition, task: Task, catalog: Catalog, *seed: str | int, handed: Collection[str] = ()) -> dict[str, Task]:
    """Return, for each argument that the oracle or a check uses, the task with another value for it alone.

    `handed` is as in `made_task`.
    """
    found = {}
    for name in composition.arguments:
        for draw in range(_OTHER_VALUES):
            other = values_of(composition, catalog, *seed, "changed", name, draw)[name]
            if other != task.values[name]:
                changed = made_task(composition, {**task.values, name: other}, catalog, task.level, task.instruction, handed)
                if _done(changed) != _done(task):
                    found[name] = changed
                break
    return found


def _done(task: Task) -> list[tuple[Any, ...]]:
    return [(step.preload, step.oracle, step.check) for step in task.steps]
