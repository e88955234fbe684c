"""The Prefect flow that builds a dataset: the same pipeline as the command line, its shards as mapped tasks."""

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from prefect import flow, get_run_logger, task
from prefect.artifacts import create_markdown_artifact
from prefect.task_runners import ProcessPoolTaskRunner

from flows.parallel import Item, Made
from flows.pipeline import build_dataset as build
from flows.publish import summary
from flows.recipe import read_recipe
from warehouse.layout import DataFolder
from warehouse.loader import load_warehouse


@task(retries=2, retry_delay_seconds=5)
def apply(function: Callable[[Any], Any], item: Any) -> Any:
    """One item of a map: a shard."""
    return function(item)


def mapped_tasks(function: Callable[[Item], Made], items: Sequence[Item], /) -> Iterator[Made]:
    """A map that runs each item as a Prefect task on the flow's task runner."""
    from prefect import unmapped

    for future in apply.map(unmapped(function), list(items)):
        yield future.result()


_RUNNER: Any = ProcessPoolTaskRunner(max_workers=os.cpu_count())


@flow(name="build-dataset", task_runner=_RUNNER)
def build_dataset(recipe: str = "paper") -> str:
    """Build and publish the recipe's dataset, load the warehouse, and leave a summary; the dataset's id."""
    logger = get_run_logger()
    data = DataFolder.from_environment()
    name, content = read_recipe(recipe)
    built = build(name, content, data, mapped_tasks, lambda stage, done, total: logger.debug("%s: %s of %s", stage, done, total))
    load_warehouse(data)
    create_markdown_artifact(summary(built.manifest), key=f"dataset-{name.replace('_', '-')}", description=f"Dataset {name}")
    logger.info("%s: %s user tasks in %s", name, built.manifest["rows"]["accepted"], built.folder)
    return built.dataset_id
