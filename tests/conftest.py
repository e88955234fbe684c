"""Shared by the tests: a small catalog of three applications in a folder, and the real one, read once."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from atomic_tasks.catalog import Catalog, read_catalog
from compositions.library import by_id, read_workflows
from compositions.schema import Workflow
from flows.recipe import Recipe, read_recipe
from machines.image import Image, build_image, find_image
from warehouse.layout import DataFolder

REPOSITORY = Path(__file__).parent.parent


def quiet(stage: str, done: int, total: int, note: str = "") -> None:
    """No progress in tests."""


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    found, problems = read_catalog()
    assert problems == []
    return found


@pytest.fixture(scope="session")
def workflows() -> dict[str, Workflow]:
    located, problems = read_workflows()
    assert problems == []
    return dict(by_id(located))


@pytest.fixture(scope="session")
def tiny_recipe() -> Recipe:
    return read_recipe("tiny")[1]


@pytest.fixture(scope="session")
def image() -> Image:
    """The small image of a machine, made once for all tests of this checkout."""
    found = find_image("smoke", REPOSITORY / "data" / "machines")
    build_image(found, print)
    return found


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[DataFolder]:
    monkeypatch.setenv("DESKMILL_DATA", str(tmp_path / "data"))
    yield DataFolder.from_environment()


@pytest.fixture(scope="module")  # its event loop must not outlive the module: code that runs a loop of its own comes after
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    executable = shutil.which("chromium")
    assert executable, "chromium is missing: make setup-dev installs it"
    flags = [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
    ]
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=executable, args=flags)
        yield opened
        opened.close()
