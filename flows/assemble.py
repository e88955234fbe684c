"""The late stage: what looks across shards. Valid applications, shape, split, texts that recur, and the wanted numbers."""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from atomic_tasks.catalog import Catalog
from atomic_tasks.seeds import share
from flows.recipe import Recipe, SplitShares
from narrators.valid_applications import valid_applications
from warehouse.parquet import SCHEMAS

Row = dict[str, Any]


@dataclass
class Assembled:
    """The rows of the dataset and the rejected ones, each as an Arrow table, with the counts of both."""

    user_tasks: pa.Table
    rejected: pa.Table
    rows_made: int
    rejected_counts: dict[str, dict[str, int]]
    missing: dict[str, int] = field(default_factory=dict)


class Assembler:
    """Judges shard rows one after another, in the order of the shards."""

    def __init__(self, catalog: Catalog, recipe: Recipe, wanted: Mapping[str, int]) -> None:
        self.candidates = catalog.candidates[recipe.candidates].applications
        self.equivalence = {name: frozenset(entry.applications) for name, entry in catalog.capabilities.items()}
        self.categories = {name: application.category for name, application in catalog.applications.items()}
        self.generic = {name for name, task in catalog.tasks.items() if task.generic}
        self.recipe = recipe
        self.wanted = dict(wanted)
        self.texts: set[str] = set()
        self._valid: dict[tuple[Any, ...], list[str]] = {}

    def judge(self, row: Row) -> tuple[str, str] | None:
        """Complete the row in place, or give the stage and the reason of its rejection."""
        nodes = self._nodes(row)
        if not all(node["valid_applications"] for node in nodes):
            return "valid_applications", "no candidate can do what the text says"
        if row["target_application"] is None and self._able(row["said_capabilities"], None):
            return "valid_applications", "one application can do what was to take several"
        text = " ".join(row["text"].casefold().split())
        if text in self.texts:
            return "duplicates", "the same text stands elsewhere in the dataset"
        quota = row["target_application"] or row["workflow"]
        if not self.wanted.get(quota):
            return "quota", "made in reserve and not needed"
        self.wanted[quota] -= 1
        self.texts.add(text)
        self._complete(row, nodes)
        return None

    def _nodes(self, row: Row) -> list[Row]:
        """The nodes of the row's graph with their valid applications; a singleton's node says all that the text says."""
        target = row["target_application"]
        if target is not None:
            addressed = target if row["names_application"] else None
            return [{"target_application": target, "valid_applications": self._able(row["said_capabilities"], addressed)}]
        pairs = zip(row["node_applications"], row["node_capabilities"], strict=True)
        return [{"target_application": application, "valid_applications": self._able(said, None)} for application, said in pairs]

    def _able(self, said: Sequence[str], addressed: str | None) -> list[str]:
        key = (addressed, *said)
        if key not in self._valid:
            self._valid[key] = valid_applications(said, self.equivalence, self.candidates, addressed)
        return self._valid[key]

    def _complete(self, row: Row, nodes: list[Row]) -> None:
        single = len(nodes) == 1
        chain = [(edge["source"], edge["target"]) for edge in row["edges"]] == [(n, n + 1) for n in range(len(nodes) - 1)]
        row["nodes"] = nodes
        row["valid_applications"] = nodes[0]["valid_applications"] if single else []
        row["shape"] = "singleton" if single else "sequential" if chain else "parallel"
        row["category"] = self.categories[row["target_application"]] if single else None
        row["split"] = split_of([task for task in row["atomic_tasks"] if task not in self.generic], self.recipe.splits)
        row["task_id"] = _task_id(row)
        row["paraphrase_call"] = None


def assemble(shards: Sequence[Path], catalog: Catalog, recipe: Recipe, wanted: Mapping[str, int]) -> Assembled:
    """The dataset's rows from its shards, in their order."""
    assembler = Assembler(catalog, recipe, wanted)
    kept: list[Row] = []
    rejected: list[Row] = []
    counts: dict[str, Counter[str]] = {}
    made = 0
    for shard in shards:
        for row in pq.read_table(shard).to_pylist():
            made += 1
            verdict = (row["rejected_stage"], row["rejected_reason"]) if row["rejected_stage"] else assembler.judge(row)
            if verdict is None:
                kept.append(row)
                continue
            row["stage"], row["reason"] = verdict
            counts.setdefault(verdict[0], Counter())[verdict[1]] += 1
            rejected.append(row)
    return Assembled(
        user_tasks=_table(kept, "user_tasks"),
        rejected=_table(rejected, "rejected"),
        rows_made=made,
        rejected_counts={stage: dict(sorted(reasons.items())) for stage, reasons in sorted(counts.items())},
        missing={name: number for name, number in assembler.wanted.items() if number},
    )


def split_of(telling_tasks: Sequence[str], shares: SplitShares) -> str:
    """The split of a composition: test if it holds a test task, else dev if it holds a dev task, else train.

    Each task falls by a stable hash of its id, so that no later task moves an earlier one.
    """
    splits = {_task_split(task, shares) for task in telling_tasks}
    return "test" if "test" in splits else "dev" if "dev" in splits else "train"


def _task_split(task: str, shares: SplitShares) -> str:
    place = share("split", task)
    return "test" if place < shares.test else "dev" if place < shares.test + shares.dev else "train"


def _task_id(row: Row) -> str:
    """A hash of what made the text: the composition, its values, what was said and how."""
    made_of = [row["composition_id"], row["arguments"], row["dropped_steps"], row["style"], row["masked_text"], row["text"]]
    return hashlib.blake2b(json.dumps(made_of, sort_keys=True).encode(), digest_size=8).hexdigest()


def _table(rows: list[Row], name: str) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=SCHEMAS[name])
