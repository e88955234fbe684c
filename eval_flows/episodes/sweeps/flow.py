"""The Prefect flow that plays a sweep, cell after cell, as `deskmill sweep` does. The workers of a cell are processes, watched by the wall clock."""

from prefect import flow, get_run_logger
from prefect.artifacts import create_markdown_artifact, create_table_artifact

from eval_flows.episodes.runs.run_log import log_what_is_left, logged_progress
from eval_flows.episodes.sweeps.cells import cells_of
from eval_flows.episodes.sweeps.recipe import read_sweep
from eval_flows.episodes.sweeps.sweep import Sweep, planned_sweep, run_sweep
from warehouse.layout import DataFolder
from warehouse.query import connect, rows_of
from warehouse.run_page import artifact_key, places

_RESULTS = "select * exclude (sweep_id, sweep, slice, value) from sweep_results where sweep_id = ? and slice = 'all' order by number"


@flow(name="run-sweep")
def play_sweep(recipe: str = "demo", workers: int | None = None, limit: int | None = None, budget: float | None = None) -> str:
    """Play what is left of a sweep, load the warehouse, leave artifacts with results and links, and return the sweep's id.

    `recipe` is a name or a file; the other parameters replace its values.
    """
    logger = get_run_logger()
    data = DataFolder.from_environment()
    name, declared, source = read_sweep(recipe)
    declared = declared.with_changes(workers, limit, budget)
    sweep = planned_sweep(name, declared, cells_of(declared, source, data), data)
    for played in run_sweep(sweep, data, logged_progress(logger)):
        log_what_is_left(logger, played.rows, f"{played.cell.label}: {played.ended_by}" if played.ended_by else None)
    leave_artifacts(sweep, data)
    return sweep.sweep_id


def leave_artifacts(sweep: Sweep, data: DataFolder) -> None:
    """Put on the run page what people want to see of the sweep: the results of its cells, and links."""
    with connect(data.warehouse) as connection:
        results = rows_of(connection, _RESULTS, [sweep.sweep_id])
    about = f"Sweep {sweep.name}"
    create_table_artifact(results, key=artifact_key("sweep", sweep.name, "results"), description=f"{about}: success with intervals, and cost")
    files = {"report": data.report / "index.html", "page of the sweep": data.report / "sweeps" / f"{sweep.sweep_id}.html"}
    create_markdown_artifact(places(files), key=artifact_key("sweep", sweep.name, "links"), description=f"{about}: files")
