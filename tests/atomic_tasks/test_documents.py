"""Protects docs/catalog.md and docs/generators.md: they tell what the code knows, and all of it."""

import re

from atomic_tasks.arguments.document import DOCUMENT, document
from atomic_tasks.catalog import Catalog
from atomic_tasks.schema import AtomicTask
from atomic_tasks.shapes import SHAPES
from tests.conftest import REPOSITORY

PAGE = REPOSITORY / "docs/catalog.md"


def listed(heading: str) -> list[str]:
    """What stands in the first column of the tables below a heading."""
    part = PAGE.read_text().split(f"## {heading}\n")[1].split("\n## ")[0]
    cells = re.findall(r"^\| (`[^|]*`) \|", part, re.MULTILINE)
    return [name for cell in cells for name in re.findall(r"`([^`]+)`", cell)]


def test_the_page_of_generators_is_current(catalog: Catalog) -> None:
    assert DOCUMENT.read_text() == document(catalog), "run: python -m atomic_tasks.arguments.document"


def test_the_page_of_generators_lists_each_one_once(catalog: Catalog) -> None:
    names = re.findall(r"^\| `(\w+)` \|", DOCUMENT.read_text(), re.MULTILINE)
    assert sorted(names) == sorted(catalog.generators)


def test_the_page_of_the_catalog_tells_every_key_of_a_task_and_every_shape() -> None:
    told = listed("An atomic task")
    assert set(AtomicTask.model_fields) | set(SHAPES) == set(told) and len(told) == len(set(told))
