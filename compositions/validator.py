"""Rules for workflows, and for what the engine can compose."""

from collections.abc import Collection, Iterator, Sequence
from itertools import product
from random import Random

from atomic_tasks.catalog import Catalog
from atomic_tasks.problems import Place, Problem, suggestion
from atomic_tasks.repeats import repeats_in, repeats_in_talk
from atomic_tasks.schema import placeholders
from compositions.engine import Engine
from compositions.graph import application_runs
from compositions.library import Located
from compositions.model import Composition, Step, broken_constraints
from compositions.schema import Goal, Joint, Workflow

_TRIES_TO_REACH = 12


def validate_workflows(located: Sequence[Located], catalog: Catalog, troubled: Collection[str] = ()) -> list[Problem]:
    """Return every broken rule of the workflows, and every task or capability that no composition uses.

    Problems that can follow from mistakes in the files of `troubled` applications are left out.
    """
    problems = [problem for entry in located for problem in _workflow(entry, catalog, troubled)]
    problems += _duplicates(located)
    problems += _unreached_tasks(located, catalog, troubled)
    problems += [] if troubled else _unused_capabilities(located, catalog)
    return problems


def _duplicates(located: Sequence[Located]) -> Iterator[Problem]:
    seen: dict[str, str] = {}
    for workflow, source, number in located:
        if workflow.id in seen:
            yield source.problem(("workflows", number, "id"), f"'{workflow.id}' is already used in {seen[workflow.id]}")
        seen[workflow.id] = source.path.name


def _workflow(entry: Located, catalog: Catalog, troubled: Collection[str]) -> Iterator[Problem]:
    """Check one workflow. Facts are checked only if all its steps are known."""
    workflow, source, number = entry
    place: Place = ("workflows", number)
    sound = True
    for position, step in enumerate(workflow.steps):
        where = (*place, "steps", position)
        task = catalog.tasks.get(step.task)
        if task is None:
            sound = False
            if step.task.rpartition(".")[0] in catalog.unreadable:
                continue
            yield source.problem((*where, "task"), f"unknown atomic task '{step.task}'{suggestion(step.task, catalog.tasks)}")
            continue
        for name in step.with_:
            if name not in task.arguments:
                sound = False
                yield source.problem((*where, "with", name), f"{task.id} has no argument '{name}'{suggestion(name, task.arguments)}")
        labels = [earlier.label for earlier in workflow.steps[:position]]
        for label in step.after:
            if label not in labels:
                sound = False
                yield source.problem((*where, "after"), f"no earlier step has the label '{label}'")
    if sound:
        composition = whole(workflow, catalog)
        settled = not any(step.task.application in troubled for step in composition.steps)
        for reason in broken_constraints(composition) if settled else ():
            yield source.problem((*place, "steps"), f"unmet need: {reason}" if " needs " in reason else reason)
        yield from _joint(entry, composition)
        if "equivalence" not in catalog.unreadable:
            yield from _goal(entry, catalog, composition)
            yield from _really_crosses(entry, catalog, composition)


def _really_crosses(entry: Located, catalog: Catalog, composition: Composition) -> Iterator[Problem]:
    """Check that no single application can do a workflow across applications, even if drop-out leaves one step of each."""
    _, source, number = entry
    if any(step.task.capability not in catalog.capabilities for step in composition.steps):
        return
    nodes = application_runs(composition)
    for left in product(*nodes) if len(nodes) > 1 else ():
        steps = [composition.steps[position].task for position in left]
        alone = catalog.doing((task.capability for task in steps), catalog.applications)
        if alone:
            names = f"{', '.join(sorted(alone))} can do {' and '.join(task.id for task in steps)} alone"
            yield source.problem(("workflows", number, "steps"), f"{names}; a workflow across applications needs several, also after drop-out")
            return


def whole(workflow: Workflow, catalog: Catalog) -> Composition:
    """Return the workflow with all its steps, in the order of the file."""
    labels = {step.label: position for position, step in enumerate(workflow.steps) if step.label}
    steps = (Step(catalog.tasks[step.task], step.with_, tuple(labels[label] for label in step.after), step.label) for step in workflow.steps)
    return Composition(tuple(steps), "workflow", workflow.id)


def _goal(entry: Located, catalog: Catalog, composition: Composition) -> Iterator[Problem]:
    """Check the capability of a goal: needed within one application, forbidden across several."""
    workflow, source, number = entry
    place: Place = ("workflows", number, "goal")
    applications = {step.task.application for step in composition.steps}
    capability = workflow.goal.capability
    if len(applications) > 1 and capability is not None:
        yield source.problem(
            (*place, "capability"), "a goal across applications needs no capability, since no application can do it alone: remove it"
        )
    if len(applications) == 1 and capability is None:
        yield source.problem(place, "capability is missing: add the capability that the goal alone asks for")
    if len(applications) == 1 and capability is not None:
        known = catalog.capabilities.get(capability)
        if known is None:
            yield source.problem((*place, "capability"), f"'{capability}' is not in equivalence.yaml{suggestion(capability, catalog.capabilities)}")
        elif not applications <= set(known.applications):
            yield source.problem((*place, "capability"), f"'{capability}' does not list {', '.join(applications)} in equivalence.yaml")
    yield from repeats_in_talk(source, place, workflow.goal)
    always = {name for step, declared in zip(composition.steps, workflow.steps, strict=True) if not declared.optional for name in step.arguments}
    for where, text in _texts(workflow.goal):
        for name in placeholders(text):
            if name not in always:
                reason = f"uses {{{name}}}, but no step that is always kept has this argument{suggestion(name, always)}"
                yield source.problem((*place, *where), reason)


def _joint(entry: Located, composition: Composition) -> Iterator[Problem]:
    """Check joint words: they say known steps, one of every application in order, and no values but those of their steps."""
    workflow, source, number = entry
    steps = {step.label: (position, step) for position, step in enumerate(composition.steps)}
    nodes = application_runs(composition)
    always = {step.label for step, declared in zip(composition.steps, workflow.steps, strict=True) if not declared.optional}
    if len(nodes) > 1 and not any(always.issuperset(joint.says) for joint in workflow.joint):
        reason = "a workflow across applications needs joint words for steps that are always kept: without them, a text would glue unrelated wishes"
        yield source.problem(("workflows", number), reason)
    for item, joint in enumerate(workflow.joint):
        place: Place = ("workflows", number, "joint", item)
        for label in joint.says:
            if label not in steps:
                yield source.problem((*place, "says"), f"no step is called '{label}'{suggestion(label, steps)}")
        said = [steps[label] for label in joint.says if label in steps]
        if any(not {position for position, _ in said}.intersection(node) for node in nodes):
            yield source.problem((*place, "says"), "says no step of one of the applications: a text across applications says one of each")
        known = {name for _, step in said for name in step.arguments}
        yield from repeats_in(source, (*place, "say"), joint.say)
        for where, text in _texts(joint):
            for name in placeholders(text):
                if name not in known:
                    yield source.problem((*place, *where), f"uses {{{name}}}, which none of its steps has{suggestion(name, known)}")


def _texts(said: Goal | Joint) -> Iterator[tuple[Place, str]]:
    """Yield the phrasings and the rewordings with their places."""
    for number, text in enumerate(said.say):
        yield ("say", number), text
    for voice, text in said.rewordings.items():
        yield ("rewordings", voice), text


def _unreached_tasks(located: Sequence[Located], catalog: Catalog, troubled: Collection[str]) -> Iterator[Problem]:
    """Find tasks for which the engine has no composition. A generic task always stands beside others, so it is left out."""
    in_workflows = {step.task for workflow, _, _ in located for step in workflow.steps}
    for application in (application for name, application in catalog.applications.items() if name not in troubled):
        source = catalog.sources.get(application.application)
        engine = Engine(application.tasks)
        needed = {fact.predicate for task in application.tasks for fact in task.facts("needs")}
        for number, task in enumerate(application.tasks):
            reached = any(engine.single(task, Random(seed)) is not None for seed in range(_TRIES_TO_REACH))
            if source is not None and not reached:
                yield source.problem(("tasks", number, "needs"), f"no composition reaches {task.id}: no earlier tasks can meet all its needs")
            beside = task.id in in_workflows or task.needs or needed.intersection(fact.predicate for fact in task.facts("gives"))
            if source is not None and task.generic and not beside:
                reason = f"no composition reaches {task.id}: it is generic, needs nothing, and no other task needs what it gives"
                yield source.problem(("tasks", number, "gives"), reason)


def _unused_capabilities(located: Sequence[Located], catalog: Catalog) -> Iterator[Problem]:
    """Find capabilities that no task and no goal has."""
    used = {task.capability for task in catalog.tasks.values()} | {workflow.goal.capability for workflow, _, _ in located}
    source = catalog.sources["equivalence"]
    for name in catalog.capabilities:
        if name not in used:
            yield source.problem(("capabilities", name), "no atomic task and no goal has this capability")
