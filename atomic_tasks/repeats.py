"""Find items that are twice in a list, and report both lines."""

from collections.abc import Iterator, Sequence

from atomic_tasks.catalog import Catalog
from atomic_tasks.problems import Place, Problem, Source
from atomic_tasks.schema import Talk


def repeats_in(source: Source, place: Place, items: Sequence[str]) -> Iterator[Problem]:
    """Yield a problem for each item of the list that is in it before."""
    first: dict[str, int] = {}
    for number, item in enumerate(items):
        before = first.setdefault(item, number)
        if before != number:
            yield source.problem((*place, number), f"stands twice in this list: also in line {source.line_of((*place, before))}")


def repeats_in_talk(source: Source, place: Place, talk: Talk) -> Iterator[Problem]:
    """Yield repeats in the phrasings of a task or a goal."""
    for key in ("say", "named"):
        yield from repeats_in(source, (*place, key), getattr(talk, key, ()))


def repeats(catalog: Catalog) -> Iterator[Problem]:
    """Check that nothing is twice in a list of an application or of its tasks."""
    for name, application in catalog.applications.items():
        source = catalog.sources.get(name)
        if source is None:
            continue  # the file's name is wrong, which another rule reports
        for key in ("aliases", "also_in", "features", "typical_scenarios"):
            yield from repeats_in(source, (key,), getattr(application, key))
        for number, task in enumerate(application.tasks):
            yield from repeats_in_talk(source, ("tasks", number), task)
            for argument, declared in task.arguments.items():
                yield from repeats_in(source, ("tasks", number, "arguments", argument, "one_of"), declared.one_of or ())
