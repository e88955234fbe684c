"""Protects CONTRIBUTING: who follows it to add an application, in a new candidate list, gets a sound catalog, texts, and no failing test."""

import inspect
import shutil
from pathlib import Path

import pytest

from atomic_tasks.catalog import CATALOG_ROOT, Catalog, read_catalog
from atomic_tasks.validator import validate_catalog
from compositions.library import WORKFLOWS_ROOT, by_id, read_workflows
from compositions.schema import Workflow
from compositions.validator import validate_workflows
from flows.jobs import shard_jobs
from flows.recipe import Recipe
from flows.shard import ShardMaker
from narrators.styles import read_styles
from tests.atomic_tasks import test_catalog
from tests.conftest import REPOSITORY

APPLICATION = """\
application: herbarium
title: Herbarium Desk
vendor: Leaf
kind: plant diary
platform: windows
category: Office & Knowledge Work
description: A diary of plants.
features: [entries, photos, reminders]
typical_scenarios: [a balcony, a school garden, a walk]
tasks:
""" + "".join(
    f"""\
  - id: herbarium.{what}_plant
    title: {what.capitalize()}Plant
    capability: herbarium.keep
    arguments: {{plant: {{one_of: [fern, ivy, moss]}}}}
    say:
      - {what} the {{plant}} in my plant diary
      - "{what} {{plant}}, plant diary"
      - "My plant diary should {what} the {{plant}}."
"""
    for what in ("add", "water", "photograph", "remove", "share")
)
WORKFLOW = """\
workflows:
  - id: new_plant
    goal:
      say: [start on a new plant in my diary, "My new plant is not in the diary yet."]
      capability: herbarium.keep
    steps:
      - {task: herbarium.add_plant}
      - {task: herbarium.photograph_plant}
"""


@pytest.fixture(scope="module")
def enlarged(tmp_path_factory: pytest.TempPathFactory) -> tuple[Catalog, dict[str, Workflow]]:
    """The catalog and its workflows after the steps of CONTRIBUTING; the form and the rules hold."""
    root = tmp_path_factory.mktemp("enlarged")
    for folder in ("applications", "candidates", "checkers", "pools"):
        shutil.copytree(CATALOG_ROOT / folder, root / folder)
    for file in CATALOG_ROOT.glob("*.yaml"):
        shutil.copy(file, root)
    shutil.copytree(WORKFLOWS_ROOT, root / "workflows")
    (root / "applications/herbarium.yaml").write_text(APPLICATION)
    (root / "workflows/herbarium.yaml").write_text(WORKFLOW)
    (root / "candidates/green.yaml").write_text("title: Green\ndescription: Plants.\napplications: [excel, herbarium]\n")
    with (root / "equivalence.yaml").open("a") as equivalence:
        equivalence.write("  herbarium.keep:\n    applications: [herbarium]\n    reason: Its diary.\n")
    catalog, problems = read_catalog(root)
    located, more = read_workflows(root / "workflows")
    found = [*problems, *more, *validate_catalog(catalog), *validate_workflows(located, catalog)]
    assert [str(problem) for problem in found] == []
    return catalog, dict(by_id(located))


def test_the_tests_of_the_catalog_pass_with_a_new_application(enlarged: tuple[Catalog, dict[str, Workflow]]) -> None:
    tests = [
        test for name, test in vars(test_catalog).items() if name.startswith("test_") and list(inspect.signature(test).parameters) == ["catalog"]
    ]
    assert len(tests) >= 8
    for test in tests:
        test(enlarged[0])


def test_the_new_list_makes_texts(enlarged: tuple[Catalog, dict[str, Workflow]], tiny_recipe: Recipe) -> None:
    jobs = shard_jobs(*enlarged, read_styles(), tiny_recipe.model_copy(update={"candidates": "green", "tasks": 60}))
    assert [job.application for job in jobs] == ["excel", "herbarium"]
    assert len(list(ShardMaker(jobs[1]).rows())) >= 30


def test_contributing_links_the_pages_that_it_needs() -> None:
    text = Path(REPOSITORY / "CONTRIBUTING.md").read_text()
    assert "docs/catalog.md" in text and "docs/generators.md" in text
