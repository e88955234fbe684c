"""Loading the catalog: every declared file read, checked for its form, and joined into one object."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from atomic_tasks.arguments.pools import pool_generators
from atomic_tasks.arguments.registry import Generator, computed_generators
from atomic_tasks.memory import without_collecting
from atomic_tasks.problems import BadInput, Problem, Source
from atomic_tasks.schema import Application, AtomicTask, CandidateList, Capability, Categories, Checkers, Equivalence, Kinds, Pool, Pools
from atomic_tasks.yaml_source import Model, read_yaml, validated

CATALOG_ROOT = Path(__file__).parent


@dataclass(frozen=True)
class Catalog:
    """Applications, capabilities, candidate lists and pools; `sources` tells where each stands."""

    applications: Mapping[str, Application]
    capabilities: Mapping[str, Capability]
    candidates: Mapping[str, CandidateList]
    categories: tuple[str, ...]
    pools: tuple[Pool, ...]
    kinds: Kinds
    checkers: Checkers
    sources: Mapping[str, Source] = field(repr=False)
    unreadable: frozenset[str] = (
        frozenset()
    )  # keys of sources that have mistakes of form: rules pass over mentions of them, and over what rests on them

    @cached_property
    def tasks(self) -> dict[str, AtomicTask]:
        """Every atomic task by its id."""
        return {task.id: task for application in self.applications.values() for task in application.tasks}

    @cached_property
    def generators(self) -> dict[str, Generator]:
        """Every argument generator by name, computed and pooled."""
        return {**computed_generators(), **pool_generators(self.pools)}

    def capable(self, capability: str) -> tuple[str, ...]:
        """The applications that can do it; none where it is what an infeasible task asks for."""
        return self.capabilities[capability].applications if capability in self.capabilities else ()

    def doing(self, capabilities: Iterable[str], among: Iterable[str]) -> frozenset[str]:
        """The applications among the given ones that can do every one of the capabilities."""
        able = set(among)
        for capability in capabilities:
            able &= set(self.capable(capability))
        return frozenset(able)


def sound_catalog() -> Catalog:
    """The catalog, if its files are in order; BadInput holds every problem of form. Its rules are checked where datasets are built."""
    catalog, problems = read_catalog()
    if problems:
        raise BadInput(problems)
    return catalog


@without_collecting()
def read_catalog(root: Path = CATALOG_ROOT) -> tuple[Catalog, list[Problem]]:
    """The catalog as far as its files can be read, and every problem of form on the way."""
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
    catalog = Catalog(
        applications=applications,
        capabilities=equivalence.capabilities if equivalence else {},
        candidates={name: entry for name, entry in lists.items() if entry},
        categories=categories.categories if categories else (),
        pools=tuple(pool for file in pools if file for pool in file.pools),
        kinds=kinds or Kinds(vendors=(), kinds={}),
        checkers=checkers or Checkers(makers={}, getters={}, metrics={}, changes={}, oracle={}),
        sources=sources,
        unreadable=frozenset(unreadable),
    )
    return catalog, problems
