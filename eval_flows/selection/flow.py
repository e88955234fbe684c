"""The Prefect flow that evaluates application selection: one process, like the command line, since its answers share their caches and limits."""

from prefect import flow, get_run_logger
from prefect.artifacts import create_table_artifact

from eval_flows.selection.pipeline import Choices
from eval_flows.selection.pipeline import evaluate_selection as evaluate
from eval_flows.selection.tasks import SplitChoice
from language_models.registry import find_endpoint
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
    model: str | None = None,
    base_url: str | None = None,
    budget: float | None = None,
) -> list[str]:
    """Run the protocols over the dataset, load the warehouse, and leave the accuracy table; the runs' ids."""
    logger = get_run_logger()
    data = DataFolder.from_environment()

    def progress(stage: str, done: int, total: int, note: str = "") -> None:
        logger.debug("%s: %s of %s %s", stage, done, total, note)

    endpoint = find_endpoint(model, base_url, own=data.models) if model else None
    evaluated = evaluate(dataset, protocols, data, progress, Choices(limit=limit, split=split, embedder=embedder, endpoint=endpoint, budget=budget))
    if evaluated.ended_early:
        logger.warning(evaluated.ended_early)
    ids = [run.run_id for run in evaluated.runs]
    connection = connect(data.warehouse)
    columns = "protocol, model, tasks, accuracy, accuracy_low, accuracy_high, answered, accuracy_of_answered, cost_usd"
    rows = rows_of(connection, f"select {columns} from accuracy where list_contains(?, run_id) order by accuracy", [ids])
    connection.close()
    create_table_artifact(rows, key=f"selection-{dataset.replace('_', '-')}", description=f"Accuracy on {dataset}")
    return ids
