"""The Prefect flow that evaluates application selection: one process, like the command line, since its answers share their caches."""

from prefect import flow, get_run_logger
from prefect.artifacts import create_table_artifact

from eval_flows.selection.pipeline import evaluate_selection as evaluate
from eval_flows.selection.run import SplitChoice
from retrieval.embedder import DEFAULT_EMBEDDER
from warehouse.layout import DataFolder
from warehouse.query import connect, rows_of


@flow(name="evaluate-selection")
def evaluate_selection(
    dataset: str = "demo",
    protocols: tuple[str, ...] = ("random", "heuristic", "nearest"),
    limit: int | None = None,
    split: SplitChoice = "test",
    embedder: str = DEFAULT_EMBEDDER,
) -> list[str]:
    """Run the protocols over the dataset, load the warehouse, and leave the accuracy table; the runs' ids."""
    logger = get_run_logger()
    data = DataFolder.from_environment()
    runs = evaluate(
        dataset,
        protocols,
        data,
        lambda stage, done, total: logger.info("%s: %s of %s", stage, done, total),
        limit=limit,
        split=split,
        embedder=embedder,
    )
    ids = [run.run_id for run in runs]
    connection = connect(data.warehouse)
    columns = "protocol, model, tasks, accuracy, accuracy_low, accuracy_high"
    rows = rows_of(connection, f"select {columns} from accuracy where list_contains(?, run_id) order by accuracy", [ids])
    connection.close()
    create_table_artifact(rows, key=f"selection-{dataset.replace('_', '-')}", description=f"Accuracy on {dataset}")
    return ids
