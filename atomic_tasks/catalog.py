"""Load the catalog: read every declared file, check its form, and join all of them into one object."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path

from atomic_tasks.arguments.pools import pool_generators
from atomic_tasks.arguments.registry import Generator, computed_generators
from atomic_tasks.arguments.worlds import World, Worlds
from atomic_tasks.checkers import Checkers, CheckersOfField, with_fields
from atomic_tasks.kept_catalog import kept
from atomic_tasks.memory import without_collecting
from atomic_tasks.plugged import with_plugged
from atomic_tasks.problems import BadInput, Problem, Source
from atomic_tasks.schema import Application, AtomicTask, CandidateList, Capability, Categories, Equivalence, Kinds
from atomic_tasks.value_schema import Pool, Pools
from atomic_tasks.yaml_source import Model, read_yaml, validated

CATALOG_ROOT = Path(__file__).parent


@dataclass(frozen=True)
class Catalog:
    """Applications, capabilities, candidate lists, pools and worlds. `sources` holds the file of each."""

    applications: Mapping[str, Application]
    capabilities: Mapping[str, Capability]
    candidates: Mapping[str, CandidateList]
    categories: tuple[str, ...]
    pools: tuple[Pool, ...]
    worlds: tuple[World, ...]
    kinds: Kinds
    checkers: Checkers
    sources: Mapping[str, Source] = field(repr=False)
    mistakes_of_packages: tuple[Problem, ...] = ()  # in what installed packages declare: the rest of the catalog is sound all the same
    unreadable: frozenset[str] = frozenset()  # keys of sources with mistakes of form: rules skip names of them, and all that depends on them

    @cached_property
    def tasks(self) -> dict[str, AtomicTask]:
        """Return every atomic task by its id."""
        return {task.id: task for application in self.applications.values() for task in application.tasks}

    @cached_property
    def generators(self) -> dict[str, Generator]:
        """Return every argument generator by name, computed or from pools."""
        return {**computed_generators(), **pool_generators(self.pools)}

    def capable(self, capability: str) -> tuple[str, ...]:
        """Return the applications that have the capability. There are none for the capability of an infeasible task."""
        return self.capabilities[capability].applications if capability in self.capabilities else ()

    def doing(self, capabilities: Iterable[str], among: Iterable[str]) -> frozenset[str]:
        """Return the applications of `among` that have all the capabilities."""
        able = set(among)
        for capability in capabilities:
            able &= set(self.capable(capability))
        return frozenset(able)


@cache
def sound_catalog() -> Catalog:
    """Return the catalog, read once. BadInput holds all problems of form. The rules of the catalog are checked when datasets are built."""
    catalog, problems = read_catalog()
    if problems:
        raise BadInput(problems)
    return catalog


@without_collecting()
def read_catalog(root: Path = CATALOG_ROOT) -> tuple[Catalog, list[Problem]]:
    """Return the catalog as far as its files can be read, with what installed packages add, and all problems of form."""
    own, problems = kept("catalog", [root], lambda: _read(root), lambda made: not made[1])
    plugged, mistakes = with_plugged(own.checkers)
    return replace(own, checkers=plugged, mistakes_of_packages=tuple(mistakes)), problems


def _read(root: Path) -> tuple[Catalog, list[Problem]]:
    problems: list[Problem] = []
    sources: dict[str, Source] = {}
    unreadable: set[str] = set()

    def read(path: Path, model: type[Model], name: str) -> Model | None:
        source = sources[name] = read_yaml(path, problems)
        made = None if source.data is None else validated(source, model, problems)
        if made is None:
            unreadable.add(name)
        return made

    applications: dict[str, Application] = {}
    for path in sorted((root / "applications").glob("*.yaml")):
        application = read(path, Application, path.stem)
        if application is not None:
            applications[application.application] = application
    equivalence = read(root / "equivalence.yaml", Equivalence, "equivalence")
    categories = read(root / "categories.yaml", Categories, "categories")
    kinds = read(root / "kinds.yaml", Kinds, "kinds")
    checkers = read(root / "checkers.yaml", Checkers, "checkers")
    lists = {path.stem: read(path, CandidateList, f"candidates/{path.stem}") for path in sorted((root / "candidates").glob("*.yaml"))}
    pools = [read(path, Pools, f"pools/{path.stem}") for path in sorted((root / "pools").glob("*.yaml"))]
    worlds = [read(path, Worlds, f"worlds/{path.stem}") for path in sorted((root / "worlds").glob("*.yaml"))]
    fields = {path.stem: read(path, CheckersOfField, f"checkers/{path.stem}") for path in sorted((root / "checkers").glob("*.yaml"))}
    base = checkers or Checkers(makers={}, getters={}, metrics={}, changes={}, oracle={})
    own, twice = with_fields(base, {name: field for name, field in fields.items() if field})
    problems += [sources[f"checkers/{one.partition(':')[0]}"].problem((), one.partition(": ")[2]) for one in twice]
    catalog = Catalog(
        applications=applications,
        capabilities=equivalence.capabilities if equivalence else {},
        candidates={name: entry for name, entry in lists.items() if entry},
        categories=categories.categories if categories else (),
        pools=tuple(pool for file in pools if file for pool in file.pools),
        worlds=tuple(world.of_walk(file.applications) for file in worlds if file for world in file.worlds),
        kinds=kinds or Kinds(vendors=(), kinds={}),
        checkers=own,
        sources=sources,
        unreadable=frozenset(unreadable),
    )
    return catalog, problems
