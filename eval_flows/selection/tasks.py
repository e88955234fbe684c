"""The tasks that a run scores, and their fixed order, so that a limit is a sample."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import pyarrow.compute as pc
import pyarrow.dataset as ds

from atomic_tasks.seeds import derive_seed
from eval_flows.datasets import Dataset

SplitChoice = Literal["test", "all"]
Shapes = Literal["singletons", "graphs", "all"]
_COLUMNS = ["task_id", "text", "valid_applications", "target_application", "nodes", "edges", "shape"]
_LINEAGE = ["said_tasks", "says_goal", "workflow", "composition_id"]


@dataclass(frozen=True)
class Task:
    """One user task: its text, and the right answers.

    `lineage` holds the non-generic atomic tasks that the text says, and the workflow whose goal it says; if there are none, its composition.
    """

    task_id: str
    text: str
    lineage: frozenset[str]
    valid_applications: tuple[str, ...]
    target_application: str | None
    nodes: tuple[frozenset[str], ...]
    edges: tuple[tuple[int, int], ...]


def scored_tasks(dataset: Dataset, split: str, shapes: Shapes = "singletons") -> list[Task]:
    """Return the dataset's tasks of that split and shape, in the order of every run (a hash of their ids).

    `all` means train, dev and test: a text of the split `mixed` says tasks that are learnt from and tasks that are scored.
    """
    singleton = pc.field("shape") == "singleton"
    wanted = {"singletons": singleton, "graphs": ~singleton, "all": singleton | ~singleton}[shapes]
    wanted = wanted & (pc.field("split") != "mixed" if split == "all" else pc.field("split") == split)
    table = ds.dataset(dataset.folder / "data").to_table(columns=[*_COLUMNS, *_LINEAGE], filter=wanted)
    return sorted(map(_task, table.to_pylist()), key=lambda task: derive_seed("sample", task.task_id))


def _task(row: dict[str, Any]) -> Task:
    return Task(
        task_id=row["task_id"],
        text=row["text"],
        lineage=frozenset(_lineage(row)),
        valid_applications=tuple(row["valid_applications"]),
        target_application=row["target_application"],
        nodes=tuple(frozenset(node["valid_applications"]) for node in row["nodes"]),
        edges=tuple((edge["source"], edge["target"]) for edge in row["edges"]),
    )


def _lineage(row: dict[str, Any]) -> Iterator[str]:
    if row["says_goal"]:
        yield f"goal of {row['workflow']}"
    yield from row["said_tasks"] or ([] if row["says_goal"] else [row["composition_id"]])
