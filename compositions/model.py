"""A composition: ordered steps with shared arguments, and the constraints that it must keep."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from atomic_tasks.facts import Fact
from atomic_tasks.schema import Argument, AtomicTask

Kind = Literal["single", "chain", "workflow"]


@dataclass(frozen=True, eq=False)
class Step:
    """An atomic task. Its arguments have the names that the composition gives them."""

    task: AtomicTask
    names: Mapping[str, str] = field(default_factory=dict)
    after: tuple[int, ...] = ()
    declared_label: str | None = None

    @property
    def label(self) -> str:
        """Return what a workflow calls the step: its label, or the id of its task without the application."""
        return self.declared_label or self.task.id.rpartition(".")[2]

    @cached_property
    def arguments(self) -> dict[str, Argument]:
        """Map each argument name of the composition to its origin. Ties are renamed too."""
        if not self.names:
            return self.task.arguments
        return {
            self.names.get(name, name): argument.model_copy(update={"of": self.names.get(argument.of, argument.of)}) if argument.of else argument
            for name, argument in self.task.arguments.items()
        }

    @cached_property
    def needs(self) -> tuple[Fact, ...]:
        """Facts that must hold before."""
        return self._renamed(self.task.facts("needs"))

    @cached_property
    def gives(self) -> tuple[Fact, ...]:
        """Facts that hold after."""
        return self._renamed(self.task.facts("gives"))

    @cached_property
    def ends(self) -> tuple[Fact, ...]:
        """Facts that no longer hold after the step."""
        return self._renamed(self.task.facts("ends"))

    def _renamed(self, facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
        return tuple(fact.renamed(self.names) for fact in facts) if self.names else facts


@dataclass(frozen=True, eq=False)
class Composition:
    """Ordered steps. `after` of a step lists positions that it must follow in addition to its facts."""

    steps: tuple[Step, ...]
    kind: Kind
    workflow: str | None = None

    @cached_property
    def composition_id(self) -> str:
        """Return a hash of the ordered atomic tasks (the identity of a composition in the design)."""
        return hashlib.blake2b("\n".join(self.task_ids).encode(), digest_size=8).hexdigest()

    @cached_property
    def arguments(self) -> dict[str, Argument]:
        """Return all arguments of the composition. If one step ties an argument and another does not, the tie counts."""
        merged: dict[str, Argument] = {}
        for step in self.steps:
            for name, argument in step.arguments.items():
                if name not in merged or (merged[name].of is None and argument.of is not None):
                    merged[name] = argument
        return merged

    @cached_property
    def task_ids(self) -> tuple[str, ...]:
        """Return the ids of its atomic tasks, in order."""
        return tuple(step.task.id for step in self.steps)

    def telling_tasks(self, positions: tuple[int, ...]) -> tuple[str, ...]:
        """Return the non-generic atomic tasks at these positions, sorted."""
        if positions not in self._telling_tasks:
            tasks = (self.steps[position].task for position in positions)
            self._telling_tasks[positions] = tuple(sorted({task.id for task in tasks if not task.generic}))
        return self._telling_tasks[positions]

    @cached_property
    def _telling_tasks(self) -> dict[tuple[int, ...], tuple[str, ...]]:
        return {}

    def sources(self, position: int) -> set[int]:
        """Return the earlier steps that this step depends on: the latest giver of each fact that it needs, and its `after`."""
        found = set(self.steps[position].after)
        for need in self.steps[position].needs:
            givers = [earlier for earlier in range(position) if need in self.steps[earlier].gives]
            found.update(givers[-1:])
        return found


def facts_after(steps: Iterable[Step]) -> set[Fact]:
    """Return the facts that hold after the steps, if none held before."""
    state: set[Fact] = set()
    for step in steps:
        state = (state - set(step.ends)) | set(step.gives)
    return state


def same_origin(one: Argument, other: Argument) -> bool:
    """Tell whether two arguments can share one value: same generator or same choices, and no different ties."""
    if one is other:
        return True
    ties = {argument.of for argument in (one, other) if argument.of is not None}
    return (one.generator, one.one_of) == (other.generator, other.one_of) and len(ties) <= 1


def broken_constraints(composition: Composition) -> list[str]:
    """Return in words what is wrong with a composition. The list is empty for every composition of the engine."""
    broken: list[str] = []
    known: dict[str, Argument] = {}
    state: set[Fact] = set()
    for position, step in enumerate(composition.steps):
        broken += [f"step {position + 1} ({step.task.id}) needs {need}, which no earlier step gives" for need in step.needs if need not in state]
        broken += [f"step {position + 1} ({step.task.id}) must come after step {earlier + 1}" for earlier in step.after if earlier >= position]
        for name, argument in step.arguments.items():
            if not same_origin(known.setdefault(name, argument), argument):
                broken.append(f"argument '{name}' of step {position + 1} ({step.task.id}) has another origin than in an earlier step")
        state = (state - set(step.ends)) | set(step.gives)
    return broken
