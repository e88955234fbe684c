"""The composition engine: single tasks with what they need, chains of tasks that follow from each other, and workflows.

Every composition that it emits satisfies `broken_constraints(...) == []` (AppSelectBench, section 5, composition).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random

from atomic_tasks.facts import Fact
from atomic_tasks.schema import Argument, AtomicTask
from compositions.model import Composition, Step, broken_constraints, facts_after, same_origin
from compositions.schema import Workflow

_MOST_PREREQUISITES = 4


def single(task: AtomicTask, tasks: Sequence[AtomicTask], random: Random) -> Composition | None:
    """The task after the steps that give what it needs, or None where no order of its application's tasks does."""
    steps = with_prerequisites(Step(task), tasks, random)
    return None if steps is None else _checked(Composition(steps, "single"))


def chain(task: AtomicTask, tasks: Sequence[AtomicTask], length: int, random: Random) -> Composition | None:
    """The task and up to `length` more that build on facts given before; None if nothing follows from it."""
    steps = with_prerequisites(Step(task), tasks, random)
    if steps is None:
        return None
    started = len(steps)
    for _ in range(length):
        followers = list(_followers(steps, tasks))
        if not followers:
            break
        steps = (*steps, random.choice(followers))
    return _checked(Composition(steps, "chain")) if len(steps) > started else None


def from_workflow(workflow: Workflow, tasks: Mapping[str, AtomicTask], random: Random) -> Composition:
    """The workflow with some of its optional steps left out and, where its order is free, in an order that fits."""
    kept = [number for number, step in enumerate(workflow.steps) if not step.optional or random.random() < 0.5]
    composition = _listed(workflow, tasks, kept)
    if broken_constraints(composition):  # an optional step was needed after all: the whole workflow always fits
        composition = _listed(workflow, tasks, range(len(workflow.steps)))
    return _reordered(composition, random) if workflow.order == "free" else composition


def _listed(workflow: Workflow, tasks: Mapping[str, AtomicTask], kept: Sequence[int]) -> Composition:
    """The kept steps in the order of the file."""
    labels = {step.label: position for position, number in enumerate(kept) if (step := workflow.steps[number]).label}
    steps = []
    for number in kept:
        declared = workflow.steps[number]
        after = tuple(labels[label] for label in declared.after if label in labels)
        steps.append(Step(tasks[declared.task], declared.with_, after))
    return Composition(tuple(steps), "workflow", workflow.id)


def _reordered(composition: Composition, random: Random) -> Composition:
    """A random order of the steps that keeps every constraint (a linear extension, drawn step by step)."""
    waiting = list(range(len(composition.steps)))
    order: list[int] = []
    while waiting:
        state = facts_after(composition.steps[number] for number in order)
        ready = [n for n in waiting if _ready(composition.steps[n], state, order)]
        if not ready:
            return composition  # the draws ran into a fact that an earlier step ended; the listed order fits
        order.append(random.choice(ready))
        waiting.remove(order[-1])
    place = {number: position for position, number in enumerate(order)}
    steps = tuple(replace(composition.steps[n], after=tuple(place[a] for a in composition.steps[n].after)) for n in order)
    return replace(composition, steps=steps)


def _ready(step: Step, state: set[Fact], done: Sequence[int]) -> bool:
    return set(step.needs) <= state and set(step.after) <= set(done)


def with_prerequisites(step: Step, tasks: Sequence[AtomicTask], random: Random) -> tuple[Step, ...] | None:
    """The step behind the steps that give its needs, each with its own needs met; None if that cannot be done."""
    steps: tuple[Step, ...] = ()
    for _ in range(_MOST_PREREQUISITES + 1):
        missing = _first_missing((*steps, step))
        if missing is None:
            return (*steps, step)
        position, need = missing
        giver = _giver(need, (*steps, step), tasks, random)
        if giver is None:
            return None
        place = _latest_place(giver, steps, position)
        steps = (*steps[:place], giver, *steps[place:])
    return None


def _latest_place(giver: Step, steps: Sequence[Step], position: int) -> int:
    """The latest place up to `position` where the giver's own needs hold already; `position` itself where none does."""
    for place in range(position, -1, -1):
        if set(giver.needs) <= facts_after(steps[:place]):
            return place
    return position


def _first_missing(steps: Sequence[Step]) -> tuple[int, Fact] | None:
    """The first need that nothing before its step gives, with the step's position."""
    state: set[Fact] = set()
    for position, step in enumerate(steps):
        for need in step.needs:
            if need not in state:
                return position, need
        state = (state - set(step.ends)) | set(step.gives)
    return None


def _giver(need: Fact, steps: Sequence[Step], tasks: Sequence[AtomicTask], random: Random) -> Step | None:
    """A step that gives the fact, is not there yet, and whose other arguments clash with none of the steps'."""
    used = {step.task.id for step in steps}
    arguments = _arguments(steps)
    found = [
        giver for task in tasks if task.id not in used for fact in task.facts("gives") if (giver := _unified(task, fact, need, arguments)) is not None
    ]
    return random.choice(found) if found else None


def _followers(steps: Sequence[Step], tasks: Sequence[AtomicTask]) -> Iterator[Step]:
    """Steps that could come next: new, all their needs hold, and at least one of their needs is about what came before."""
    state = sorted(facts_after(steps))
    used = {step.task.id for step in steps}
    arguments = _arguments(steps)
    for task in tasks:
        needs = task.facts("needs")
        if task.id in used or not needs:
            continue
        for fact in state:
            step = _unified(task, needs[0], fact, arguments)
            if step is not None and set(step.needs) <= set(state):
                yield step
                break


def _unified(task: AtomicTask, fact: Fact, with_fact: Fact, arguments: Mapping[str, Argument]) -> Step | None:
    """The task with its arguments renamed so that `fact` becomes `with_fact`, or None if origins clash."""
    if fact.predicate != with_fact.predicate or len(fact.arguments) != len(with_fact.arguments):
        return None
    names = dict(zip(fact.arguments, with_fact.arguments, strict=True))
    if len(set(names.values())) < len(names):
        return None
    taken = set(names.values())
    if any(name in taken and name not in names for name in task.arguments):
        return None  # a renamed argument would fall together with another of the task's own
    step = Step(task, {name: new for name, new in names.items() if name != new})
    clash = any(name in arguments and not same_origin(arguments[name], argument) for name, argument in step.arguments.items())
    return None if clash else step


def _arguments(steps: Sequence[Step]) -> dict[str, Argument]:
    return {name: argument for step in steps for name, argument in step.arguments.items()}


def _checked(composition: Composition) -> Composition | None:
    return None if broken_constraints(composition) else composition
