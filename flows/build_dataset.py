"""The Prefect flow that builds a dataset: the same pipeline as the command line, its shards as mapped tasks."""

from prefect import flow, get_run_logger
from prefect.artifacts import create_markdown_artifact, create_table_artifact

from flows.pipeline import WORKER_IMPORTS, Built
from flows.pipeline import build_dataset as build
from flows.publish import summary
from flows.recipe import read_recipe
from runners.prefect_tasks import in_tasks
from runners.runner import RunnerChoice
from warehouse.layout import DataFolder
from warehouse.loader import load_warehouse
from warehouse.query import connect
from warehouse.run_page import artifact_key, dataset_picture, places, rows_table


@flow(name="build-dataset")
def build_dataset(recipe: str = "paper", runner: str = "processes", address: str | None = None, workers: int | None = None) -> str:
    """Build and publish the recipe's dataset, load the warehouse, and leave a summary, row counts, a picture and links; return its id.

    Its shards are tasks on Prefect's task runner for the runner (processes, dask, ray) that a deployment names, as on the command line.
    """
    logger = get_run_logger()
    data = DataFolder.from_environment()
    name, content = read_recipe(recipe)
    with in_tasks(RunnerChoice(runner, address, workers, WORKER_IMPORTS)) as opened:
        built = build(name, content, data, opened.map, lambda stage, done, total: logger.debug("%s: %s of %s", stage, done, total))
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
