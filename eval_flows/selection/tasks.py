"""The tasks that a run scores, and their fixed order, so that a limit is a sample."""

from dataclasses import dataclass
from typing import Any, Literal

import pyarrow.compute as pc
import pyarrow.dataset as ds

from atomic_tasks.seeds import derive_seed
from eval_flows.datasets import Dataset

SplitChoice = Literal["test", "all"]
Shapes = Literal["singletons", "graphs", "all"]
_COLUMNS = ["task_id", "text", "composition_id", "valid_applications", "target_application", "nodes", "edges", "shape"]


@dataclass(frozen=True)
class Task:
    """One user task: what is asked, and what is right."""

    task_id: str
    text: str
    composition_id: str
    valid_applications: tuple[str, ...]
    target_application: str | None
    nodes: tuple[frozenset[str], ...]
    edges: tuple[tuple[int, int], ...]


def scored_tasks(dataset: Dataset, split: str, shapes: Shapes = "singletons") -> list[Task]:
    """The dataset's tasks of that split and shape, in the order of every run (a hash of their ids)."""
    singleton = pc.field("shape") == "singleton"
    wanted = {"singletons": singleton, "graphs": ~singleton, "all": singleton | ~singleton}[shapes]
    if split != "all":
        wanted = wanted & (pc.field("split") == split)
    table = ds.dataset(dataset.folder / "data").to_table(columns=_COLUMNS, filter=wanted)
    return sorted(map(_task, table.to_pylist()), key=lambda task: derive_seed("sample", task.task_id))


def _task(row: dict[str, Any]) -> Task:
    return Task(
        task_id=row["task_id"],
        text=row["text"],
        composition_id=row["composition_id"],
        valid_applications=tuple(row["valid_applications"]),
        target_application=row["target_application"],
        nodes=tuple(frozenset(node["valid_applications"]) for node in row["nodes"]),
        edges=tuple((edge["source"], edge["target"]) for edge in row["edges"]),
    )
