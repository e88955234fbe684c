"""The composition engine: single tasks with the tasks that they need, chains of tasks that build on each other, and workflows.

Every composition of the engine satisfies `broken_constraints(...) == []` (AppSelectBench, section 5, composition).
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random

from atomic_tasks.facts import Fact
from atomic_tasks.schema import Argument, AtomicTask
from compositions.model import Composition, Kind, Step, broken_constraints, facts_after, same_origin
from compositions.schema import Workflow
from compositions.splits import SplitOf, no_split

_MOST_PREREQUISITES = 4
Steps = tuple[Step, ...]


class Engine:
    """Composes the tasks of one application. It prefers tasks of one split, so that one text can say all of them.

    The engine keeps its compositions and unified steps, because many rows are narrated from one composition.
    """

    def __init__(self, tasks: Iterable[AtomicTask], split_of: SplitOf = no_split) -> None:
        self._split_of = split_of
        self._givers: dict[str, list[tuple[AtomicTask, Fact]]] = defaultdict(list)
        self._needing: dict[str, list[tuple[AtomicTask, Fact]]] = defaultdict(list)
        for task in tasks:
            for fact in task.facts("gives"):
                self._givers[fact.predicate].append((task, fact))
            for fact in task.facts("needs")[:1]:
                self._needing[fact.predicate].append((task, fact))
        self._steps: dict[str, Step] = {}
        self._unified: dict[tuple[str, Fact, Fact], Step | None] = {}
        self._checked: dict[tuple[Kind, Steps], Composition | None] = {}
        self._following: dict[Steps, list[Step]] = {}
        self._beside_task: dict[tuple[str, Steps], Sequence[Step]] = {}
        self._with_one_more: dict[Steps, Sequence[Steps] | None] = {}
        self._of_workflows: dict[tuple[str, tuple[int, ...]], Composition] = {}
        self._reordered: dict[tuple[Composition, tuple[int, ...]], Composition] = {}

    def single(self, task: AtomicTask, random: Random) -> Composition | None:
        """Return the task behind the steps that give what it needs. Return None if the tasks of its application cannot give that."""
        steps = self._with_prerequisites(self._step(task), random)
        return None if steps is None else self._sound(steps, "single")

    def chain(self, task: AtomicTask, length: int, random: Random) -> Composition | None:
        """Return the task and up to `length` more tasks that need facts given before. Return None if no task can follow."""
        steps = self._with_prerequisites(self._step(task), random)
        if steps is None:
            return None
        started = len(steps)
        for _ in range(length):
            followers = () if steps[-1].task.last else self._followers_beside(task, steps)
            if not followers:
                break
            steps = (*steps, random.choice(followers))
        return self._sound(steps, "chain") if len(steps) > started else None

    def closed(self, composition: Composition) -> Composition:
        """Add the generic last steps, such as saving, once for each thing that needs one."""
        steps = composition.steps
        for _ in range(_MOST_PREREQUISITES):
            closing = [step for step in self._followers_of(steps) if step.task.generic and step.task.last]
            if not closing:
                break
            steps = (*steps, closing[0])
        return replace(composition, steps=steps)

    def from_workflow(self, workflow: Workflow, tasks: Mapping[str, AtomicTask], random: Random) -> Composition:
        """Return the workflow without some of its optional steps. If its order is free, draw an order that keeps all constraints.

        `tasks` maps ids to the tasks of all applications of the workflow.
        """
        kept = tuple(number for number, step in enumerate(workflow.steps) if not step.optional or random.random() < 0.5)
        key = (workflow.id, kept)
        if key not in self._of_workflows:
            composition = _listed(workflow, tasks, kept)
            if broken_constraints(composition):  # an optional step was needed after all: the whole workflow always fits
                composition = _listed(workflow, tasks, range(len(workflow.steps)))
            self._of_workflows[key] = composition
        composition = self._of_workflows[key]
        return self._in_order(composition, _order(composition, random)) if workflow.order == "free" else composition

    def _in_order(self, composition: Composition, order: tuple[int, ...] | None) -> Composition:
        """Return the composition with its steps in that order, or as it is for None."""
        if order is None:
            return composition
        if (composition, order) not in self._reordered:
            self._reordered[composition, order] = _reordered(composition, order)
        return self._reordered[composition, order]

    def _sound(self, steps: Steps, kind: Kind) -> Composition | None:
        """Return the composition of the steps, from the cache if it is there. Return None if it breaks a constraint."""
        key = (kind, steps)
        if key not in self._checked:
            composition = Composition(steps, kind)
            self._checked[key] = None if broken_constraints(composition) else composition
        return self._checked[key]

    def _step(self, task: AtomicTask) -> Step:
        if task.id not in self._steps:
            self._steps[task.id] = Step(task)
        return self._steps[task.id]

    def _with_prerequisites(self, step: Step, random: Random) -> Steps | None:
        """Return the step behind all steps that it depends on, or None if some need cannot be met."""
        steps: Steps = (step,)
        for _ in range(_MOST_PREREQUISITES + 1):
            if steps not in self._with_one_more:
                self._with_one_more[steps] = self._ways_to_go_on(steps)
            ways = self._with_one_more[steps]
            if ways is None:
                return steps
            if not ways:
                return None
            steps = random.choice(ways)
        return None

    def _ways_to_go_on(self, steps: Steps) -> list[Steps] | None:
        """Return the steps with one more step before the last one, which gives the first fact that is missing. Return None if none is missing."""
        missing = _first_missing(steps)
        if missing is None:
            return None
        position, need = missing
        before, last = steps[:-1], steps[-1]
        places = [(giver, _latest_place(giver, before, position)) for giver in self._givers_of(need, steps, last.task)]
        return [(*before[:place], giver, *before[place:], last) for giver, place in places]

    def _givers_of(self, need: Fact, steps: Steps, task: AtomicTask) -> Sequence[Step]:
        """Return new steps that give the fact and can stand beside the task. Their other arguments clash with no argument of the steps."""
        used = {step.task.id for step in steps}
        arguments = _arguments(steps)
        unified = [self._unify(giver, fact, need) for giver, fact in self._givers[need.predicate] if giver.id not in used]
        return self._beside(task, [giver for giver in unified if giver is not None and not _clash(giver, arguments)])

    def _beside(self, task: AtomicTask, steps: Sequence[Step]) -> Sequence[Step]:
        """Return the steps that a text can say beside the task: generic steps and steps of its split. If there are none, return all steps."""
        return [step for step in steps if self._split_of(step.task) in (None, self._split_of(task))] or steps

    def _followers_beside(self, task: AtomicTask, steps: Steps) -> Sequence[Step]:
        key = (task.id, steps)
        if key not in self._beside_task:
            self._beside_task[key] = self._beside(task, self._followers_of(steps))
        return self._beside_task[key]

    def _followers_of(self, steps: Steps) -> list[Step]:
        if steps not in self._following:
            self._following[steps] = list(self._followers(steps))
        return self._following[steps]

    def _followers(self, steps: Sequence[Step]) -> Iterator[Step]:
        """Yield the new steps that can come next: their needs hold, one is about an earlier step, and they revise nothing that was said."""
        state = facts_after(steps)
        used = {step.task.id for step in steps}
        arguments = _arguments(steps)
        told = {fact for step in steps if not step.task.generic for fact in step.gives}
        offered: set[str] = set()
        for fact in sorted(state):
            for task, need in self._needing[fact.predicate]:
                if task.id in used or task.id in offered:
                    continue
                step = self._unify(task, need, fact)
                if step is None or _clash(step, arguments) or not state.issuperset(step.needs):
                    continue
                if not (task.revises and told.intersection((*step.needs, *step.ends))):
                    offered.add(task.id)
                    yield step

    def _unify(self, task: AtomicTask, fact: Fact, with_fact: Fact) -> Step | None:
        """Rename the arguments of the task so that `fact` becomes `with_fact`. Return None if two arguments would get one name."""
        key = (task.id, fact, with_fact)
        if key not in self._unified:
            self._unified[key] = self._step(task) if fact == with_fact else _renamed(task, fact, with_fact)
        return self._unified[key]


def _renamed(task: AtomicTask, fact: Fact, with_fact: Fact) -> Step | None:
    if len(fact.arguments) != len(with_fact.arguments):
        return None
    names = dict(zip(fact.arguments, with_fact.arguments, strict=True))
    taken = set(names.values())
    if len(taken) < len(names) or any(name in taken and name not in names for name in task.arguments):
        return None  # a renamed argument would get the name of another argument of the task
    return Step(task, {name: new for name, new in names.items() if name != new})


def _clash(step: Step, arguments: Mapping[str, Argument]) -> bool:
    """Tell whether `arguments` has an argument of the step with another origin."""
    return any(name in arguments and not same_origin(arguments[name], argument) for name, argument in step.arguments.items())


def _listed(workflow: Workflow, tasks: Mapping[str, AtomicTask], kept: Sequence[int]) -> Composition:
    """Return the composition of the kept steps, in the order of the file."""
    labels = {step.label: position for position, number in enumerate(kept) if (step := workflow.steps[number]).label}
    steps = []
    for number in kept:
        declared = workflow.steps[number]
        after = tuple(labels[label] for label in declared.after if label in labels)
        steps.append(Step(tasks[declared.task], declared.with_, after, declared.label))
    return Composition(tuple(steps), "workflow", workflow.id)


def _order(composition: Composition, random: Random) -> tuple[int, ...] | None:
    """Draw an order of the steps that keeps all constraints (a linear extension), step by step. Return None for the listed order."""
    waiting = list(range(len(composition.steps)))
    order: list[int] = []
    while waiting:
        state = facts_after(composition.steps[number] for number in order)
        ready = [n for n in waiting if _ready(composition.steps[n], state, order)]
        if not ready:
            return None  # an earlier step ended a fact that is needed; the listed order always fits
        order.append(random.choice(ready))
        waiting.remove(order[-1])
    return tuple(order)


def _reordered(composition: Composition, order: Sequence[int]) -> Composition:
    """Return the composition with its steps in that order."""
    place = {number: position for position, number in enumerate(order)}
    steps = tuple(replace(composition.steps[n], after=tuple(place[a] for a in composition.steps[n].after)) for n in order)
    return replace(composition, steps=steps)


def _ready(step: Step, state: set[Fact], done: Sequence[int]) -> bool:
    return set(step.needs) <= state and set(step.after) <= set(done)


def _latest_place(giver: Step, steps: Sequence[Step], position: int) -> int:
    """Return the latest place up to `position` where the needs of the giver hold. Return `position` if there is none."""
    for place in range(position, -1, -1):
        if set(giver.needs) <= facts_after(steps[:place]):
            return place
    return position


def _first_missing(steps: Sequence[Step]) -> tuple[int, Fact] | None:
    """Return the first need that no earlier step gives, and the position of its step."""
    state: set[Fact] = set()
    for position, step in enumerate(steps):
        for need in step.needs:
            if need not in state:
                return position, need
        state = (state - set(step.ends)) | set(step.gives)
    return None


def _arguments(steps: Sequence[Step]) -> dict[str, Argument]:
    return {name: argument for step in steps for name, argument in step.arguments.items()}
