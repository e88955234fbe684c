"""Check proposed atomic tasks by the rules, as if they were in the catalog, and find the faulty ones."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path

from atomic_tasks.catalog import Catalog
from atomic_tasks.problems import Source
from atomic_tasks.schema import PLACEHOLDER, Application, AtomicTask, Capability
from atomic_tasks.validator import validate_catalog
from compositions.library import Located
from compositions.validator import validate_workflows
from narrators.near_duplicates import trigrams

Faults = Mapping[int, list[str]]
SAID = ("say", "named")
_TOO_NEAR = 0.6  # Jaccard of masked word trigrams; two in a thousand phrasings of the catalog are as near to one of another task


def settled(tasks: Sequence[AtomicTask], faults_of: Callable[[Sequence[AtomicTask]], Faults]) -> tuple[list[AtomicTask], dict[int, list[str]]]:
    """Return the tasks that the catalog can take together, and the faults of the others by their place among `tasks`.

    `faults_of(some)` returns the faults of some tasks, by place, if the catalog had all of them. A task may need another one,
    so all are tried at once, and faulty ones are taken out until none is faulty. A task that was faulty only because of
    another faulty task (its duplicate, for example) is put back.
    """
    kept = list(range(len(tasks)))
    faults: dict[int, list[str]] = {}
    while found := faults_of([tasks[place] for place in kept]):
        faults |= {kept[number]: reasons for number, reasons in found.items()}
        kept = [place for number, place in enumerate(kept) if number not in found]
    before = -1
    while before != len(faults):
        before = len(faults)
        for place in sorted(faults):
            together = sorted((*kept, place))
            found = faults_of([tasks[each] for each in together])
            if not found:
                kept = together
                del faults[place]
            else:
                faults[place] = found.get(together.index(place), faults[place])
    return [tasks[place] for place in kept], faults


def entries(tasks: Sequence[AtomicTask], base: Application, offered: Mapping[str, Capability], catalog: Catalog) -> dict[str, Capability]:
    """Return the entries of the equivalence map that the tasks need: the offered ones, and the known ones with the application added."""
    entries = {**offered, **catalog.capabilities}
    needed = {name: entries[name] for name in dict.fromkeys(task.capability for task in tasks) if name in entries}
    return {
        name: entry.model_copy(update={"applications": tuple(sorted({*entry.applications, base.application}))})
        for name, entry in needed.items()
        if name not in catalog.capabilities or base.application not in entry.applications
    }


def faults_of(
    tasks: Sequence[AtomicTask], base: Application, offered: Mapping[str, Capability], catalog: Catalog, workflows: Sequence[Located]
) -> dict[int, list[str]]:
    """Return the faults of the tasks, by place, if these are added to the catalog, which is sound without them."""
    known = len(base.tasks)
    source = Source(Path(f"{base.application}.yaml"), line_of=lambda place: int(place[1]) - known)  # its lines are the places of the tasks
    trial = replace(
        catalog,
        applications={**catalog.applications, base.application: base.model_copy(update={"tasks": (*base.tasks, *tasks)})},
        capabilities={**catalog.capabilities, **entries(tasks, base, offered, catalog)},
        sources={**catalog.sources, base.application: source},
    )
    faults: dict[int, list[str]] = defaultdict(list)
    for problem in sorted({*validate_catalog(trial), *validate_workflows(workflows, trial)}):
        if problem.file == source.file:
            reason = f"{problem.field.partition('].')[2]}: {problem.reason}"
            for place in [problem.line] if problem.line >= 0 else range(len(tasks)):
                faults[place].append(reason)
            continue
        at = problem.field.partition(".")[0]
        steps = (
            step for workflow, file, number in workflows if at == f"workflows[{number}]" and file.file == problem.file for step in workflow.steps
        )
        told = {trial.tasks[step.task].capability for step in steps}
        for place, task in enumerate(tasks):
            if task.capability in told or problem.field.startswith(f"capabilities.{task.capability}."):
                faults[place].append(str(problem))
    for place, task in enumerate(tasks):
        faults[place] += _echoes(task, (*base.tasks, *tasks[:place]))
    return {place: reasons for place, reasons in faults.items() if reasons}


def _echoes(task: AtomicTask, others: Sequence[AtomicTask]) -> Iterator[str]:
    """Yield faults that only a person would find in one application: titles and phrasings that nearly exist already."""
    for other in others:
        if other.title.casefold() == task.title.casefold():
            yield f"title: '{task.title}' is the title of {other.id}"
    if not task.generic and not task.named:
        yield "named is missing, which only generic tasks do without"
    there = [(other.id, said) for other in others for key in SAID for said in getattr(other, key)]
    for key in SAID:
        for number, phrasing in enumerate(getattr(task, key)):
            grams, before = _grams(phrasing), [(task.id, said) for said in getattr(task, key)[:number]]
            near = ((name, said) for name, said in (*there, *before) if len(grams & _grams(said)) >= _TOO_NEAR * len(grams | _grams(said)))
            for name, said in islice(near, 1):
                yield f"{key}[{number}]: '{phrasing}' is nearly '{said}' of {name}"


@cache
def _grams(phrasing: str) -> frozenset[tuple[str, ...]]:
    """Return the word trigrams of a phrasing with masked arguments."""
    return trigrams(PLACEHOLDER.sub("{}", phrasing))
