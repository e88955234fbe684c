"""Protects the reader of the catalog: a file with a mistake is refused with its place, or still means something that is sound; none gives a traceback."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random

import pytest

from atomic_tasks.catalog import Catalog
from atomic_tasks.problems import Problem
from atomic_tasks.schema import Application, CandidateList, Capability
from atomic_tasks.validator import RULES
from atomic_tasks.yaml_source import read_yaml, validated
from flows.jobs import shard_jobs
from flows.recipe import Recipe
from flows.shard import ShardMaker
from narrators.styles import read_styles
from tests.atomic_tasks.mutations import HARMLESS_OR_REFUSED, OF_EXECUTABLE, REFUSED, REFUSED_LATER, Lines, Mistake

APPLICATIONS = ("excel", "spotify", "word", "github", "putty")
EXECUTABLE = ("mousepad", "galculator", "thunar", "gimp_linux", "libreoffice_writer")
Mutated = Callable[[str, Lines], tuple[Catalog, list[Problem]]]


@pytest.fixture(scope="module")
def mutated(catalog: Catalog, tmp_path_factory: pytest.TempPathFactory) -> Mutated:
    """The catalog of one application alone, with these lines as its file, and its problems."""
    folder = tmp_path_factory.mktemp("mutated")
    shared = catalog.generators  # made once, not for each file

    def found(name: str, lines: Lines) -> tuple[Catalog, list[Problem]]:
        path = folder / f"{name}.yaml"
        path.write_text("\n".join(lines) + "\n")
        noted: list[Problem] = []
        source = read_yaml(path, noted)
        application = validated(source, Application, noted) if source.data is not None else None
        if application is None:
            return catalog, noted
        alone = of_one_application(catalog, path.stem, application)
        alone = replace(alone, sources={**{key: catalog.sources[key] for key in ("equivalence", "kinds")}, name: source})
        alone.__dict__["generators"] = shared
        return alone, noted + [problem for rule in RULES for problem in rule(alone)]

    return found


def of_one_application(catalog: Catalog, name: str, application: Application) -> Catalog:
    """A catalog in which the application, whatever its file says now, can do what it could before, and no other is there."""
    capabilities = {task.capability for task in catalog.applications[name].tasks if task.infeasible is None}
    return replace(
        catalog,
        applications={name: application},
        capabilities={capability: Capability(applications=(name,), reason="It can.") for capability in capabilities},
        candidates={},
        kinds=catalog.kinds.model_copy(update={"kinds": {}, "vendors": ()}),
    )


def with_mistake(catalog: Catalog, name: str, mistake: Mistake, seed: str) -> Iterator[tuple[Lines, int]]:
    """The application's lines with the mistake, and the line of it; nothing where the file has no place for such a mistake."""
    lines = catalog.sources[name].path.read_text().splitlines()
    with contextlib.suppress(IndexError):
        yield lines, mistake(lines, Random(f"{name}/{seed}")) + 1


@pytest.mark.parametrize("name", [*APPLICATIONS, *EXECUTABLE])
def test_a_file_without_a_mistake_is_sound(catalog: Catalog, mutated: Mutated, name: str) -> None:
    assert mutated(name, catalog.sources[name].path.read_text().splitlines())[1] == []


@pytest.mark.parametrize("kind", [*REFUSED, *OF_EXECUTABLE])
def test_a_mistake_is_refused_at_its_line(catalog: Catalog, mutated: Mutated, kind: str) -> None:
    names, mistake = (APPLICATIONS, REFUSED[kind]) if kind in REFUSED else (EXECUTABLE, OF_EXECUTABLE[kind])
    tried = [(name, lines, line) for name in names for lines, line in with_mistake(catalog, name, mistake, kind)]
    assert len(tried) >= 3, "few of the files have a place for this mistake"
    for name, lines, line in tried:
        found = mutated(name, lines)[1]
        assert line in {problem.line for problem in found}, (lines[line - 1], list(map(str, found)))


@pytest.mark.parametrize("kind", REFUSED_LATER)
def test_a_mistake_that_shows_later_is_refused_after_its_line(catalog: Catalog, mutated: Mutated, kind: str) -> None:
    for name in APPLICATIONS:
        for lines, line in with_mistake(catalog, name, REFUSED_LATER[kind], kind):
            found = mutated(name, lines)[1]
            assert any(problem.line >= line for problem in found), (lines[line - 1], list(map(str, found)))


@pytest.mark.parametrize("kind", HARMLESS_OR_REFUSED)
def test_what_is_not_refused_makes_texts(catalog: Catalog, tiny_recipe: Recipe, mutated: Mutated, kind: str) -> None:
    recipe = tiny_recipe.model_copy(update={"candidates": "alone", "tasks": 40, "graph_tasks": 0})
    refused = 0
    for name in APPLICATIONS:
        for turn in range(6):
            for lines, _ in with_mistake(catalog, name, HARMLESS_OR_REFUSED[kind], f"{kind}/{turn}"):
                alone, found = mutated(name, lines)
                refused += bool(found)
                assert all(problem.file.endswith(f"{name}.yaml") and 1 <= problem.line <= len(lines) for problem in found)
                only = CandidateList.model_construct(title="One", description="One.", applications=(name,))
                (job,) = shard_jobs(replace(alone, candidates={"alone": only}), {}, read_styles(), recipe) if not found else (None,)
                assert job is None or len(list(ShardMaker(job).rows())) >= 40
    assert 0 < refused < 30, "either all such mistakes are harmless, or none is"
