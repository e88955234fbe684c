"""The late stage: what looks across shards. Valid applications, shape, split, texts that recur, and the wanted numbers."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
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

    def judge(self, row: Row) -> Row:
        """What the dataset knows of the row beyond its shard, or the stage and the reason of its rejection."""
        if row["rejected_stage"]:
            return {"stage": row["rejected_stage"], "reason": row["rejected_reason"]}
        nodes = self._nodes(row)
        if not all(node["valid_applications"] for node in nodes):
            return {"stage": "valid_applications", "reason": "no candidate can do what the text says"}
        if row["target_application"] is None and self._able(row["said_capabilities"], None):
            return {"stage": "valid_applications", "reason": "one application can do what was to take several"}
        text = " ".join(row["text"].casefold().split())
        if text in self.texts:
            return {"stage": "duplicates", "reason": "the same text stands elsewhere in the dataset"}
        quota = row["target_application"] or row["workflow"]
        if not self.wanted.get(quota):
            return {"stage": "quota", "reason": "made in reserve and not needed"}
        self.wanted[quota] -= 1
        self.texts.add(text)
        return self._completed(row, nodes)

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

    def _completed(self, row: Row, nodes: list[Row]) -> Row:
        single = len(nodes) == 1
        chain = [(edge["source"], edge["target"]) for edge in row["edges"]] == [(n, n + 1) for n in range(len(nodes) - 1)]
        return {
            "stage": None,
            "paraphrase_call": None,
            "valid_applications": nodes[0]["valid_applications"] if single else [],
            "category": self.categories[row["target_application"]] if single else None,
            "split": split_of([task for task in row["atomic_tasks"] if task not in self.generic], self.recipe.splits),
            "shape": "singleton" if single else "sequential" if chain else "parallel",
            "nodes": nodes,
        }


def assemble(shards: Sequence[Path], catalog: Catalog, recipe: Recipe, wanted: Mapping[str, int]) -> Assembled:
    """The dataset's rows from its shards, in their order. Only the columns that are judged become Python objects."""
    assembler = Assembler(catalog, recipe, wanted)
    kept: list[pa.Table] = []
    rejected: list[pa.Table] = []
    counts: dict[str, Counter[str]] = {}
    for shard in shards:
        table = pq.read_table(shard)
        verdicts = [assembler.judge(row) for row in table.select(_JUDGED).to_pylist()]
        is_kept = pa.array([verdict["stage"] is None for verdict in verdicts])
        kept.append(_beside(table.filter(is_kept), [verdict for verdict in verdicts if verdict["stage"] is None], "user_tasks"))
        refused = [verdict for verdict in verdicts if verdict["stage"] is not None]
        rejected.append(_beside(table.filter(pc.invert(is_kept)), refused, "rejected"))
        for verdict in refused:
            counts.setdefault(verdict["stage"], Counter())[verdict["reason"]] += 1
    user_tasks, refusals = pa.concat_tables(kept), pa.concat_tables(rejected)
    return Assembled(
        user_tasks=user_tasks,
        rejected=refusals,
        rows_made=user_tasks.num_rows + refusals.num_rows,
        rejected_counts={stage: dict(sorted(reasons.items())) for stage, reasons in sorted(counts.items())},
        missing={name: number for name, number in assembler.wanted.items() if number},
    )


_JUDGED = [
    "text",
    "target_application",
    "workflow",
    "names_application",
    "said_capabilities",
    "node_applications",
    "node_capabilities",
    "edges",
    "atomic_tasks",
    "rejected_stage",
    "rejected_reason",
]


def _beside(table: pa.Table, verdicts: list[Row], name: str) -> pa.Table:
    """The shard's columns and the verdicts', in the columns of the table of that name."""
    schema = SCHEMAS[name]
    judged = pa.schema([field for field in schema if field.name not in table.schema.names])
    added = pa.Table.from_pylist(verdicts, schema=judged)
    for column in judged:
        table = table.append_column(column, added[column.name])
    return table.select(schema.names).cast(schema)


def split_of(telling_tasks: Sequence[str], shares: SplitShares) -> str:
    """The split of a composition: test if it holds a test task, else dev if it holds a dev task, else train.

    Each task falls by a stable hash of its id, so that no later task moves an earlier one.
    """
    splits = {_task_split(task, shares) for task in telling_tasks}
    return "test" if "test" in splits else "dev" if "dev" in splits else "train"


def _task_split(task: str, shares: SplitShares) -> str:
    place = share("split", task)
    return "test" if place < shares.test else "dev" if place < shares.test + shares.dev else "train"
