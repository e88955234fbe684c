"""The Prefect flow that builds a dataset: the same pipeline as the command line, its shards as mapped tasks."""

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from prefect import flow, get_run_logger, task
from prefect.artifacts import create_markdown_artifact, create_table_artifact
from prefect.task_runners import ProcessPoolTaskRunner

from flows.parallel import Item, Made
from flows.pipeline import Built
from flows.pipeline import build_dataset as build
from flows.publish import summary
from flows.recipe import read_recipe
from warehouse.layout import DataFolder
from warehouse.loader import load_warehouse
from warehouse.query import connect
from warehouse.run_page import artifact_key, dataset_picture, places, rows_table


@task(retries=2, retry_delay_seconds=5)
def apply(function: Callable[[Any], Any], item: Any) -> Any:
    """Apply the function to one item of a map: a shard."""
    return function(item)


def mapped_tasks(function: Callable[[Item], Made], items: Sequence[Item], /) -> Iterator[Made]:
    """Map the function over the items; each item is a Prefect task on the flow's task runner."""
    from prefect import unmapped

    for future in apply.map(unmapped(function), list(items)):
        yield future.result()


_RUNNER: Any = ProcessPoolTaskRunner(max_workers=os.cpu_count())


@flow(name="build-dataset", task_runner=_RUNNER)
def build_dataset(recipe: str = "paper") -> str:
    """Build and publish the recipe's dataset, load the warehouse, and leave a summary, row counts, a picture and links; return its id."""
    logger = get_run_logger()
    data = DataFolder.from_environment()
    name, content = read_recipe(recipe)
    built = build(name, content, data, mapped_tasks, lambda stage, done, total: logger.debug("%s: %s of %s", stage, done, total))
    load_warehouse(data)
    leave_artifacts(built, data)
    logger.info("%s: %s user tasks in %s", name, built.manifest["rows"]["accepted"], built.folder)
    return built.dataset_id


def leave_artifacts(built: Built, data: DataFolder) -> None:
    """Put a summary, row counts, a picture and links of the dataset on the run page."""
    about = f"Dataset {built.dataset}"
    connection = connect(data.warehouse)
    try:
        picture = dataset_picture(connection, built.dataset_id)
    finally:
        connection.close()
    page = data.report / "datasets" / f"{built.dataset_id}.html"
    files = {"dataset card": built.folder / "README.md", "Data Docs": built.folder / "data_docs" / "index.html", "page in the report": page}
    create_markdown_artifact(summary(built.manifest), key=artifact_key("dataset", built.dataset), description=about)
    create_table_artifact(rows_table(built.manifest), key=artifact_key("dataset", built.dataset, "rows"), description=f"{about}: rows")
    create_markdown_artifact(picture, key=artifact_key("dataset", built.dataset, "picture"), description=f"{about}: user tasks by category")
    create_markdown_artifact(places(files), key=artifact_key("dataset", built.dataset, "links"), description=f"{about}: files")
