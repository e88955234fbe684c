"""Shared by the tests of language models under the protocols: a small dataset, and a model that knows its answers."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from atomic_tasks.catalog import Catalog
from flows.pipeline import build_dataset
from flows.recipe import Recipe
from runners.processes import process_pool_map
from tests.conftest import made_once, quiet
from tests.eval_flows.knowing_model import Knowing
from warehouse.layout import DataFolder


@pytest.fixture(scope="session")
def built(tiny_recipe: Recipe, tmp_path_factory: pytest.TempPathFactory) -> DataFolder:
    """The dataset `tiny`, with graphs."""
    recipe = tiny_recipe.model_copy(update={"tasks": 660, "graph_tasks": 60})
    return made_once("with_graphs", lambda data: build_dataset("tiny", recipe, data, process_pool_map(1), quiet), tmp_path_factory)


@pytest.fixture
def data(built: DataFolder, tmp_path: Path) -> Iterator[DataFolder]:
    """The built dataset in a data folder of the test's own."""
    (tmp_path / "datasets").symlink_to(built.labels)
    (tmp_path / "store").symlink_to(built.root / "store")
    yield DataFolder(tmp_path)


@pytest.fixture
def knowing(built: DataFolder, catalog: Catalog) -> Knowing:
    return Knowing(built, catalog)
