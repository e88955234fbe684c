"""A run: one protocol over one dataset's tasks, in slices that are written whole, so that a killed run goes on where it was."""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from atomic_tasks.catalog import Catalog
from atomic_tasks.seeds import derive_seed
from eval_flows.datasets import Dataset
from eval_flows.selection.selectors import Answer, Selector, SelectorOptions, make_selector
from warehouse.layout import DataFolder, written_file
from warehouse.parquet import write_rows

SLICE = 500
SplitChoice = Literal["test", "all"]
Row = dict[str, Any]
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Run:
    """A finished run."""

    run_id: str
    dataset_id: str
    protocol: str
    model: str
    tasks: int


def run_selection(dataset: Dataset, protocol: str, split: SplitChoice, limit: int | None, options: SelectorOptions, catalog: Catalog,
                  data: DataFolder, progress: Progress) -> Run:  # fmt: skip
    """Answer the dataset's singleton tasks in a fixed order, up to `limit`, and write what was answered and whether it is right.

    Slices that an earlier call finished are not answered again; a larger limit extends the run.
    """
    selector = make_selector(protocol, catalog, options)
    tasks = scored_tasks(dataset, split)
    if limit is not None:
        tasks = tasks[:limit]
    described = {
        "dataset_id": dataset.dataset_id,
        "protocol": protocol,
        "model": selector.model,
        "sampling": selector.sampling,
        "split": split,
        "candidates": list(options.candidates),
    }
    run_id = hashlib.blake2b(json.dumps(described, sort_keys=True).encode(), digest_size=8).hexdigest()
    folder = data.runs / run_id
    with data.locked(f"run-{run_id}"):
        if not (folder / "run.json").is_file():
            started = datetime.now(UTC).isoformat(timespec="seconds")
            with written_file(folder / "run.json") as path:
                path.write_text(json.dumps({"run_id": run_id, "dataset": dataset.name, "started_at": started, **described}, indent=2) + "\n")
        for first in range(0, len(tasks), SLICE):
            _answer_slice(folder / "predictions" / f"{first // SLICE:05}.parquet", tasks[first : first + SLICE], first, run_id, selector, options)
            progress(protocol, min(first + SLICE, len(tasks)), len(tasks))
    return Run(run_id, dataset.dataset_id, protocol, selector.model, len(tasks))


def scored_tasks(dataset: Dataset, split: SplitChoice) -> list[Row]:
    """The singleton tasks of the split in the fixed order of every run (a hash of their ids), so that a limit is a sample."""
    wanted = pc.field("shape") == "singleton"
    if split != "all":
        wanted = wanted & (pc.field("split") == split)
    table = ds.dataset(dataset.folder / "data").to_table(columns=["task_id", "text", "valid_applications"], filter=wanted)
    return sorted(table.to_pylist(), key=lambda row: derive_seed("sample", row["task_id"]))


def _answer_slice(path: Path, tasks: Sequence[Row], first: int, run_id: str, selector: Selector, options: SelectorOptions) -> None:
    """Write the slice's predictions, unless a file with as many rows or more is there."""
    if path.is_file() and pq.read_metadata(path).num_rows >= len(tasks):
        return
    answers = selector.select([task["task_id"] for task in tasks], [task["text"] for task in tasks])
    write_rows(path, "predictions", list(_predictions(tasks, answers, first, run_id, options.candidates)))


def _predictions(tasks: Sequence[Row], answers: Sequence[Answer], first: int, run_id: str, candidates: Sequence[str]) -> Iterator[Row]:
    for position, (task, answer) in enumerate(zip(tasks, answers, strict=True), first):
        valid = set(task["valid_applications"]) & set(candidates)
        yield {
            "run_id": run_id,
            "task_id": task["task_id"],
            "position": position,
            "predicted_application": answer.application,
            "status": answer.status if valid else "not_applicable",
            "is_correct": answer.application in valid if valid else None,
            "latency_ms": answer.latency_ms,
            "cost_usd": answer.cost_usd,
        }
