"""The rules of the catalog that concern several declarations at once, so that pydantic cannot check them.

Each rule yields problems, and `validate_catalog` collects all of them. Run this module to check the catalog alone.
"""

import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from atomic_tasks.arguments.locales import locales
from atomic_tasks.arguments.registry import computed_generators
from atomic_tasks.arguments.worlds import OF_TABLE, TABLE_FILES, Worlds
from atomic_tasks.catalog import Catalog, read_catalog
from atomic_tasks.executable import executable_tasks
from atomic_tasks.facts import Fact
from atomic_tasks.names import addresses
from atomic_tasks.problems import Place, Problem, Source, suggestion
from atomic_tasks.repeats import repeats, repeats_in
from atomic_tasks.schema import DEFAULT_LOCALE, PLACEHOLDER, Application, AtomicTask, is_sentence, placeholders

MOST_APPLICATIONS_PER_PHRASING = 3
Rule = Callable[[Catalog], Iterator[Problem]]


def validate_catalog(catalog: Catalog) -> list[Problem]:
    """Return every broken rule, in no particular order. A rule is skipped if it depends on a file with mistakes of form."""
    broken = {name.partition("/")[0] for name in catalog.unreadable}
    return [problem for rule in RULES if not broken.intersection(_RESTS_ON.get(rule, ())) for problem in rule(catalog)]


def troubled_applications(catalog: Catalog, problems: Iterable[Problem]) -> frozenset[str]:
    """Return the applications whose files have problems. Problems that follow from these are not reported."""
    files = {problem.file for problem in problems}
    return catalog.unreadable | {name for name in catalog.applications if name in catalog.sources and catalog.sources[name].file in files}


def _each_task(catalog: Catalog) -> Iterator[tuple[Application, AtomicTask, Place, Callable[[Place, str], Problem]]]:
    """Yield every task with its place in the file and a function that makes problems for that file."""
    for application in catalog.applications.values():
        source = catalog.sources.get(application.application)
        if source is None:
            continue  # the file's name is wrong, which another rule reports
        for number, task in enumerate(application.tasks):
            yield application, task, ("tasks", number), source.problem


def file_names(catalog: Catalog) -> Iterator[Problem]:
    """Check that each application is in a file of its own name."""
    for application in catalog.applications.values():
        if application.application not in catalog.sources:
            for name, source in catalog.sources.items():
                if isinstance(source.data, dict) and source.data.get("application") == application.application:
                    yield source.problem(("application",), f"'{application.application}' must be in a file of that name, not in {name}.yaml")


def packages(catalog: Catalog) -> Iterator[Problem]:
    """Check what installed packages declare."""
    yield from catalog.mistakes_of_packages


def identifiers(catalog: Catalog) -> Iterator[Problem]:
    """Check that ids are unique and begin with the name of their application."""
    seen: dict[str, str] = {}
    for application, task, place, problem in _each_task(catalog):
        if task.application != application.application:
            yield problem((*place, "id"), f"'{task.id}' must begin with '{application.application}.'")
        if task.id in seen:
            yield problem((*place, "id"), f"'{task.id}' is already used in {seen[task.id]}")
        seen[task.id] = f"{application.application}.yaml"


def categories(catalog: Catalog) -> Iterator[Problem]:
    """Check that categories are in categories.yaml."""
    known = ", ".join(catalog.categories)
    for application in catalog.applications.values():
        source = catalog.sources.get(application.application)
        for key, names in (("category", (application.category,)), ("also_in", application.also_in)):
            for name in names:
                if source and name not in catalog.categories:
                    yield source.problem((key,), f"unknown category '{name}'{suggestion(name, catalog.categories)} (categories: {known})")


def generators(catalog: Catalog) -> Iterator[Problem]:
    """Check that arguments use known generators, and are tied to arguments of their task."""
    known = catalog.generators
    for _, task, place, problem in _each_task(catalog):
        for name, argument in task.arguments.items():
            where = (*place, "arguments", name)
            if argument.generator is not None and argument.generator not in known:
                yield problem(where, f"unknown generator '{argument.generator}'{suggestion(argument.generator, known)}")
            elif argument.generator is not None and known[argument.generator].needs_of and argument.of is None:
                yield problem(where, f"generator '{argument.generator}' needs `of`: name the argument that it follows")
            if argument.of is not None and (argument.of not in task.arguments or argument.of == name):
                yield problem(where, f"`of` names '{argument.of}', but {task.id} has no other argument of this name")


def phrasings(catalog: Catalog) -> Iterator[Problem]:
    """Check that phrasings use all arguments of the task, have both forms, and never name their application."""
    for application, task, place, problem in _each_task(catalog):
        used: set[str] = set()
        for key, number, phrasing in _said(task):
            where = (*place, key, number)
            for name in placeholders(phrasing):
                used.add(name)
                if name != "application" and name not in task.arguments:
                    yield problem(where, f"uses {{{name}}}, but {task.id} has no such argument{suggestion(name, task.arguments)}")
            if (key == "named") != addresses(phrasing, application):
                reason = "does not name the application: move it to `say`" if key == "named" else "names its own application: move it to `named`"
                yield problem(where, reason)
        for name in sorted(set(task.arguments) - used - {argument.of for argument in task.arguments.values()}):
            yield problem((*place, "arguments", name), f"argument '{name}' is used in no phrasing")
        sentences = [is_sentence(phrasing) for phrasing in task.say]
        if not any(sentences) or all(sentences):
            reason = "needs both a clause (verb first, no end punctuation) and a sentence (ends in . ? or !)"
            yield problem((*place, "say"), reason)


def _said(task: AtomicTask) -> Iterator[tuple[str, int | str, str]]:
    """Yield all phrasings and rewordings of a task with their places."""
    for key in ("say", "named"):
        for number, text in enumerate(getattr(task, key)):
            yield key, number, text
    for voice, text in task.rewordings.items():
        yield "rewordings", voice, text


def shared_phrasings(catalog: Catalog) -> Iterator[Problem]:
    """Check that no phrasing with masked arguments is in more than three applications. Generic tasks do not count."""
    uses: dict[str, list[tuple[str, Callable[[Place, str], Problem], Place]]] = defaultdict(list)
    for application, task, place, problem in _each_task(catalog):
        for key, number, phrasing in () if task.generic else _said(task):
            uses[PLACEHOLDER.sub("{}", phrasing).casefold()].append((application.application, problem, (*place, key, number)))
    reason = f"this phrasing with masked arguments is in more than {MOST_APPLICATIONS_PER_PHRASING} applications: change it"
    for places in uses.values():
        if len({name for name, _, _ in places}) > MOST_APPLICATIONS_PER_PHRASING:
            yield from (problem(place, reason) for _, problem, place in places)


def capabilities(catalog: Catalog) -> Iterator[Problem]:
    """Check that the equivalence map lists each task's application for its capability, unless the task is infeasible. It lists only known ones."""
    for application, task, place, problem in _each_task(catalog):
        where = (*place, "capability")
        capability = catalog.capabilities.get(task.capability)
        if task.infeasible is not None:
            if capability is not None and application.application in capability.applications:
                reason = f"'{task.capability}' lists {application.application} in equivalence.yaml, but this task is infeasible there"
                yield problem(where, reason)
        elif capability is None:
            yield problem(where, f"'{task.capability}' is not in equivalence.yaml{suggestion(task.capability, catalog.capabilities)}")
        elif application.application not in capability.applications:
            yield problem(where, f"'{task.capability}' does not list {application.application} in equivalence.yaml")
    source = catalog.sources["equivalence"]
    for name, capability in catalog.capabilities.items():
        yield from _listed(catalog, source, ("capabilities", name, "applications"), capability.applications)


def facts(catalog: Catalog) -> Iterator[Problem]:
    """Check that facts use arguments of their task, and that a task of the same application gives what a task needs."""
    known = {None, *catalog.generators}
    sound = {  # in others the unknown generator must be corrected first
        application.application
        for application in catalog.applications.values()
        if all(argument.generator in known for task in application.tasks for argument in task.arguments.values())
    }
    for application, task, place, problem in _each_task(catalog):
        for kind in ("needs", "gives", "ends"):
            for number, fact in enumerate(task.facts(kind)):
                where = (*place, kind, number)
                for name in fact.arguments:
                    if name not in task.arguments:
                        yield problem(where, f"'{name}' is not an argument of {task.id}{suggestion(name, task.arguments)}")
                if kind == "needs" and application.application in sound and not _given(fact, task, application):
                    yield problem(where, f"unmet need: no other task of {application.application} gives '{fact}' with such arguments")


def _given(need: Fact, task: AtomicTask, application: Application) -> bool:
    """Tell whether another task of the application gives the fact with arguments from the same generators."""
    wanted = [_origin(task, name) for name in need.arguments]
    return any(
        given.predicate == need.predicate and [_origin(giver, name) for name in given.arguments] == wanted
        for giver in application.tasks
        if giver is not task
        for given in giver.facts("gives")
    )


def _origin(task: AtomicTask, name: str) -> object:
    """Return what decides whether two arguments can have the same value."""
    argument = task.arguments.get(name)
    return argument and (argument.generator or argument.one_of)


def pools(catalog: Catalog) -> Iterator[Problem]:
    """Check that the name of a generator is used once in each locale, in pools and computed generators, and that `later` names columns."""
    computed = computed_generators()
    seen: dict[tuple[str, str], str] = {}
    for key, source in catalog.sources.items():
        if not key.startswith("pools/") or not isinstance(source.data, dict):
            continue
        for number, pool in enumerate(source.data.get("pools") or []):
            columns = pool.get("columns", []) if isinstance(pool, dict) else []
            locale = pool.get("locale", DEFAULT_LOCALE) if isinstance(pool, dict) else DEFAULT_LOCALE
            if locale not in locales():
                yield source.problem(("pools", number, "locale"), f"unknown locale '{locale}'{suggestion(str(locale), locales())}")
            for column in columns:
                before = "the computed generators" if column in computed else seen.get((column, locale))
                if before:
                    yield source.problem(("pools", number, "columns"), f"generator '{column}' is already defined in {before}")
                seen[column, locale] = f"{key}.yaml"
            for column in (pool.get("later") or {}) if isinstance(pool, dict) else ():
                if column not in columns:
                    yield source.problem(("pools", number, "later", column), f"'{column}' is not a column of this pool")


def worlds(catalog: Catalog) -> Iterator[Problem]:
    """Check that worlds have ids of their own, known locales, and values for known generators that are tied to nothing."""
    seen: set[str] = set()
    for key, source in catalog.sources.items():
        if not key.startswith("worlds/") or not isinstance(source.data, dict):
            continue
        walk = Worlds.model_validate(source.data)
        yield from _listed(catalog, source, ("applications",), walk.applications)
        for number, world in enumerate(walk.worlds):
            place: Place = ("worlds", number)
            yield from _listed(catalog, source, (*place, "applications"), world.applications)
            if world.id in seen:
                yield source.problem((*place, "id"), f"'{world.id}' is the id of another world")
            seen.add(world.id)
            if world.locale not in locales():
                yield source.problem((*place, "locale"), f"unknown locale '{world.locale}'{suggestion(world.locale, locales())}")
            for name, values in world.values.items():
                if name not in catalog.generators:
                    yield source.problem((*place, "values", name), f"unknown generator '{name}'{suggestion(name, catalog.generators)}")
                elif name in OF_TABLE or name in TABLE_FILES:
                    yield source.problem((*place, "values", name), "belongs to a table: declare it under `tables`")
                yield from repeats_in(source, (*place, "values", name), values)


def kinds(catalog: Catalog) -> Iterator[Problem]:
    """Check that kinds list applications of the catalog once each, that each vendor makes one, and that no words stand for two kinds."""
    source = catalog.sources["kinds"]
    seen: dict[str, str] = {}
    for name, kind in catalog.kinds.kinds.items():
        place: Place = ("kinds", name)
        yield from _listed(catalog, source, (*place, "applications"), kind.applications)
        for number, words in enumerate(kind.say):
            if words in seen:
                yield source.problem((*place, "say", number), f"'{words}' already stands for {seen[words]}")
            seen[words] = name
    makers = {application.vendor for application in catalog.applications.values()}
    for number, vendor in enumerate(catalog.kinds.vendors):
        if vendor not in makers and not catalog.unreadable:
            yield source.problem(("vendors", number), f"no application has the vendor '{vendor}'{suggestion(vendor, makers)}")


def _listed(catalog: Catalog, source: Source, place: Place, names: Sequence[str]) -> Iterator[Problem]:
    """Check that a list names applications of the catalog, once each."""
    for number, name in enumerate(names):
        if name not in catalog.applications and name not in catalog.unreadable:
            yield source.problem((*place, number), f"unknown application '{name}'{suggestion(name, catalog.applications)}")
        elif name in names[:number]:
            yield source.problem((*place, number), f"'{name}' stands twice")


def candidate_lists(catalog: Catalog) -> Iterator[Problem]:
    """Check that candidate lists name applications of the catalog, once each."""
    for name, entry in catalog.candidates.items():
        yield from _listed(catalog, catalog.sources[f"candidates/{name}"], ("applications",), entry.applications)


RULES: tuple[Rule, ...] = (
    file_names,
    packages,
    identifiers,
    categories,
    generators,
    phrasings,
    repeats,
    shared_phrasings,
    capabilities,
    facts,
    pools,
    worlds,
    kinds,
    candidate_lists,
    executable_tasks,
)
_RESTS_ON: Mapping[Rule, tuple[str, ...]] = {
    categories: ("categories",),
    generators: ("pools",),
    facts: ("pools",),
    worlds: ("pools", "worlds"),
    capabilities: ("equivalence",),
    executable_tasks: ("checkers",),
}


if __name__ == "__main__":
    catalog, form = read_catalog()
    for problem in sorted({*form, *validate_catalog(catalog)}):
        print(problem)
    sys.exit(2 if form or validate_catalog(catalog) else 0)
