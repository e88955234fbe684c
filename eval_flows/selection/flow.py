"""The Prefect flow that evaluates application selection, with the parameters of the command line.

It is one process, like the command line, so that answers share caches and limits.
"""

from collections.abc import Mapping
from typing import Any

from prefect import flow, get_run_logger
from prefect.artifacts import create_markdown_artifact, create_table_artifact

from eval_flows.selection.pipeline import Choices, Evaluated
from eval_flows.selection.pipeline import evaluate_selection as evaluate
from eval_flows.selection.selectors.options import Choose, ExampleChoice, Reply
from eval_flows.selection.tasks import SplitChoice
from language_models.endpoint import Interface
from language_models.registry import find_endpoint
from retrieval.embedder import DEFAULT_EMBEDDER
from warehouse.layout import DataFolder
from warehouse.query import connect, rows_of
from warehouse.run_page import accuracy_picture, artifact_key, places


@flow(name="evaluate-selection")
def evaluate_selection(
    dataset: str = "demo",
    protocols: tuple[str, ...] = ("random", "heuristic", "nearest"),
    limit: int | None = None,
    split: SplitChoice = "test",
    seed: int = 0,
    embedder: str = DEFAULT_EMBEDDER,
    pool: str | None = None,
    model: str | None = None,
    base_url: str | None = None,
    interface: Interface | None = None,
    key_variable: str | None = None,
    at_once: int | None = None,
    ask_anew: str | None = None,
    reply: Reply = "text",
    choose: Choose = "one",
    examples: int = 5,
    example_choice: ExampleChoice = "fixed",
    cards: int = 10,
    with_singletons: bool = False,
    budget: float | None = None,
    replay: bool = False,
    batch: bool = False,
) -> list[str]:
    """Run the protocols over the dataset, load the warehouse, and leave scores, a picture and links; return the ids of the runs."""
    logger = get_run_logger()
    data = DataFolder.from_environment()

    def progress(stage: str, done: int, total: int, note: str = "") -> None:
        logger.debug("%s: %s of %s %s", stage, done, total, note)

    endpoint = find_endpoint(model, base_url, key_variable, at_once, interface, ask_anew, data.models) if model else None
    asked: Mapping[str, Any] = {"reply": reply, "choose": choose, "examples": examples, "example_choice": example_choice, "cards": cards or None}
    paid: Mapping[str, Any] = {"with_singletons": with_singletons, "budget": budget, "replay": replay, "batch": batch}
    choices = Choices(limit, split, seed, embedder, endpoint, pool=pool, **asked, **paid)
    evaluated = evaluate(dataset, protocols, data, progress, choices)
    if evaluated.ended_early:
        logger.warning(evaluated.ended_early)
    leave_artifacts(dataset, evaluated, data)
    return [run.run_id for run in evaluated.runs]


def leave_artifacts(dataset: str, evaluated: Evaluated, data: DataFolder) -> None:
    """Put the results on the run page: a table for each kind of answer, a picture of the intervals, and links."""
    about = f"Selection on {dataset}"
    ids = [run.run_id for run in evaluated.runs]
    connection = connect(data.warehouse)
    try:
        tables = [rows_of(connection, query) for query in evaluated.tables] if ids else []
        runs = rows_of(connection, "select * from accuracy where list_contains(?, run_id) order by accuracy desc", [ids])
    finally:
        connection.close()
    for number, rows in enumerate(tables, 1):
        create_table_artifact(rows, key=artifact_key("selection", dataset, f"scores-{number}"), description=f"{about}: scores with intervals")
    create_markdown_artifact(accuracy_picture(runs), key=artifact_key("selection", dataset, "picture"), description=f"{about}: accuracy")
    card = data.labels / dataset
    files = {"report": data.report / "index.html", "dataset card": card / "README.md", "Data Docs": card / "data_docs" / "index.html"}
    files |= {f"page of run {run_id}": data.report / "runs" / f"{run_id}.html" for run_id in ids}
    create_markdown_artifact(places(files), key=artifact_key("selection", dataset, "links"), description=f"{about}: files")
