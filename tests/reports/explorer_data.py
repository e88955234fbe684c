"""A small data folder with what the explorer must show: runs of selectors and of models, one failed throughout, graphs, a nasty text."""

import json
import shutil
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from eval_flows.selection.pipeline import Choices, evaluate_selection
from flows.pipeline import build_dataset
from flows.recipe import read_recipe
from runners.processes import process_pool_map
from warehouse.layout import DataFolder
from warehouse.loader import load_warehouse
from warehouse.parquet import write_table
from warehouse.query import connect, rows_of

NASTY = '<script>document.title = "broken"</script> say "café"\nand \\ leave'
OTHER = "d" * 16
Row = dict[str, Any]


def quiet(stage: str, done: int, total: int, note: str = "") -> None:
    """No progress in tests."""


def layout(title: str, body: str, root: str) -> str:
    return f'<!doctype html><html lang="en"><head><meta charset="utf-8"><link rel="icon" href="data:,"><title>{title}</title></head><body>{body}</body></html>'


def prompt_of(call: str) -> list[dict[str, str]] | None:
    return [{"role": "system", "content": "choose\none"}, {"role": "user", "content": "the task <b>of</b> it"}] if call == "kept" else None


def add_run(folder: DataFolder, like: str, run_id: str, change: Callable[[Row], Row], rows: int) -> None:
    """A run of a language model made of the first rows of another run."""
    description = json.loads((folder.runs / like / "run.json").read_text())
    model = {"run_id": run_id, "protocol": "zero_shot", "model": run_id, "prompt": "hash"}
    (folder.runs / run_id).mkdir()
    (folder.runs / run_id / "run.json").write_text(json.dumps(description | model))
    tables = [pq.read_table(path) for path in sorted((folder.runs / like / "predictions").glob("*.parquet"))]
    made = [
        change(row | {"run_id": run_id, "calls": ["kept", "lost"], "said": "I say <i>this</i>", "input_tokens": 1200})
        for row in pa.concat_tables(tables).to_pylist()[:rows]
    ]
    write_table(folder.runs / run_id / "predictions" / "0.parquet", "predictions", pa.Table.from_pylist(made, tables[0].schema))


def add_dataset(folder: DataFolder, like: str) -> None:
    """A second dataset, of one task with a nasty text and no runs."""
    place = folder.datasets / OTHER
    shutil.copytree(folder.datasets / like, place)
    manifest = json.loads((place / "dataset" / "manifest.json").read_text())
    (place / "dataset" / "manifest.json").write_text(
        json.dumps(manifest | {"dataset_id": OTHER, "dataset": "other", "built_at": "2020-01-01T00:00:00+00:00"})
    )
    files = sorted((place / "dataset" / "data").glob("*.parquet"))
    table = pq.read_table(files[0]).slice(0, 1)
    for file in files:
        file.unlink()
    write_table(files[0], "user_tasks", table.set_column(table.column_names.index("text"), "text", pa.array([NASTY])))
    (folder.labels / "other").symlink_to(place / "dataset")


def make_data(folder: DataFolder) -> None:
    """Runs of two selectors and of two models, one of which failed throughout, and a second dataset."""
    build_dataset("tiny", read_recipe("tiny")[1].model_copy(update={"graph_tasks": 60}), folder, process_pool_map(1), quiet)
    evaluate_selection("tiny", ["random", "heuristic"], folder, quiet, Choices(split="all"))
    run = rows_of(connect(folder.warehouse), "select run_id, dataset_id from runs where protocol = 'heuristic'")[0]
    add_run(folder, run["run_id"], "model_a", lambda row: row | {"retrieved": ["excel", "word"]}, 60)
    failed = {"status": "failed", "is_correct": False, "predicted_application": None, "predicted_applications": [], "said": None}
    add_run(folder, run["run_id"], "model_b", lambda row: row | failed, 40)
    add_dataset(folder, run["dataset_id"])
    load_warehouse(folder)
