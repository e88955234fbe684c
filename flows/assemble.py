"""The late stage: what looks across shards. Valid applications, shape, split, texts that recur, and the wanted numbers.

Shards pass through one after another, so that a dataset of any size needs the memory of a shard and of its texts' hashes.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from atomic_tasks.catalog import Catalog
from compositions.splits import split_of
from flows.recipe import Recipe
from flows.shard import SEPARATOR
from narrators.valid_applications import valid_applications
from warehouse.parquet import SCHEMAS

Refusal = tuple[str, str]  # stage and reason


@dataclass(frozen=True)
class Assembled:
    """The rows of one shard that the dataset takes, and those that it rejects, each as an Arrow table."""

    user_tasks: pa.Table
    rejected: pa.Table


class Assembler:
    """Judges shards one after another, in their order."""

    def __init__(self, catalog: Catalog, recipe: Recipe, wanted: Mapping[str, int]) -> None:
        self.candidates = catalog.candidates[recipe.candidates].applications
        self.equivalence = {name: frozenset(entry.applications) for name, entry in catalog.capabilities.items()}
        self.categories = {name: application.category for name, application in catalog.applications.items()}
        self.recipe = recipe
        self.wanted = dict(wanted)
        self.rejected_counts: dict[str, Counter[str]] = {}
        self._texts: set[int] = set()
        self._masked: Counter[int] = Counter()

    @property
    def missing(self) -> dict[str, int]:
        """Rows still wanted, by application or workflow."""
        return {name: number for name, number in self.wanted.items() if number}

    def assemble(self, shard: Path) -> Assembled:
        """The shard's rows, judged. Singletons come first in a shard, and graphs after them."""
        table = pq.read_table(shard)
        alone = pc.is_valid(table["target_application"])
        completed = pa.concat_tables([self._singletons(table.filter(alone)), self._graphs(table.filter(pc.invert(alone)))])
        refusals = self._refusals(completed)
        kept = pa.array([refusal is None for refusal in refusals], pa.bool_())
        user_tasks = completed.filter(kept)
        found = [refusal for refusal in refusals if refusal is not None]
        for stage, reason in found:
            self.rejected_counts.setdefault(stage, Counter())[reason] += 1
        rejected = completed.filter(pc.invert(kept))
        rejected = rejected.append_column("stage", pa.array([stage for stage, _ in found], pa.string()))
        rejected = rejected.append_column("reason", pa.array([reason for _, reason in found], pa.string()))
        return Assembled(_in_columns(user_tasks, "user_tasks"), _in_columns(rejected, "rejected"))

    def _refusals(self, table: pa.Table) -> list[Refusal | None]:
        """For each row the stage and reason of its rejection, or None; the first of several equal texts stays."""
        quotas = pc.coalesce(table["target_application"], table["workflow"]).to_pylist()
        keys = (table[name].to_pylist() for name in ("rejected_stage", "rejected_reason", "unfit", "text_key", "masked_key"))
        return [self._refusal(*row) for row in zip(quotas, *keys, strict=True)]

    def _refusal(self, quota: str, stage: str | None, reason: str | None, unfit: str | None, text: int, masked: int) -> Refusal | None:
        if stage is not None:
            return stage, reason or ""
        if unfit is not None:
            return "valid_applications", unfit
        if text in self._texts:
            return "duplicates", "the same text stands elsewhere in the dataset"
        if self.recipe.recurrences is not None and self._masked[masked] >= self.recipe.recurrences:
            return "recurrences", "with arguments masked, the text stands as often as the recipe allows"
        if not self.wanted.get(quota):
            return "quota", "made in reserve and not needed"
        self.wanted[quota] -= 1
        self._texts.add(text)
        self._masked[masked] += 1
        return None

    def _singletons(self, table: pa.Table) -> pa.Table:
        """Rows of one application: what depends on few distinct values is looked up once for each of them."""
        asked = pc.binary_join_element_wise(table["said_capabilities"], pc.fill_null(table["named"], ""), "\t")
        valid = _looked_up(asked, self._valid, pa.list_(pa.string()))
        target = pc.cast(table["target_application"], pa.string()).combine_chunks()
        nodes = pa.StructArray.from_arrays([target, valid], fields=list(_NODES.value_type))
        added = {
            "valid_applications": valid,
            "category": _looked_up(table["target_application"], lambda name: self.categories[name], pa.string()),
            "shape": pa.array(["singleton"] * table.num_rows, pa.string()),
            "nodes": pa.ListArray.from_arrays(pa.array(range(table.num_rows + 1), pa.int32()), nodes).cast(_NODES),
            "unfit": _looked_up(asked, lambda text: None if self._valid(text) else "no candidate can do what the text says", pa.string()),
        }
        return self._with(table, added)

    def _valid(self, asked: str) -> list[str]:
        said, _, named = asked.partition("\t")
        return self._able(said.split(SEPARATOR), named.split(SEPARATOR) if named else None)

    def _able(self, said: Sequence[str], named: Sequence[str] | None) -> list[str]:
        return valid_applications(said, self.equivalence, self.candidates, named)

    def _graphs(self, table: pa.Table) -> pa.Table:
        """Rows of several applications; they are few, so they are judged one by one."""
        rows = table.select(["said_capabilities", "node_applications", "node_capabilities", "edges"]).to_pylist()
        nodes = [
            [
                {"target_application": name, "valid_applications": self._able(said, None)}
                for name, said in zip(row["node_applications"], row["node_capabilities"], strict=True)
            ]
            for row in rows
        ]
        added = {
            "valid_applications": pa.array([[] for _ in rows], pa.list_(pa.string())),
            "category": pa.nulls(len(rows), pa.string()),
            "shape": pa.array([shape_of(row["edges"], len(row["node_applications"])) for row in rows], pa.string()),
            "nodes": pa.array(nodes, _NODES),
            "unfit": pa.array([self._unfit(row, of_row) for row, of_row in zip(rows, nodes, strict=True)], pa.string()),
        }
        return self._with(table, added)

    def _unfit(self, row: Mapping[str, Any], nodes: Sequence[Mapping[str, Any]]) -> str | None:
        if not all(node["valid_applications"] for node in nodes):
            return "no candidate can do what the text says"
        if self._able(row["said_capabilities"].split(SEPARATOR), None):
            return "one application can do what was to take several"
        return None

    def _with(self, table: pa.Table, added: Mapping[str, pa.Array]) -> pa.Table:
        """The table with its split and the added columns."""
        said = pc.binary_join(table["said_tasks"], SEPARATOR)
        split = _looked_up(said, lambda tasks: split_of(tasks.split(SEPARATOR) if tasks else [], self.recipe.splits), pa.string())
        for name, column in {"split": split, **added}.items():
            table = table.append_column(name, column)
        return table


_NODES = SCHEMAS["user_tasks"].field("nodes").type


def shape_of(edges: Sequence[Mapping[str, int]], nodes: int) -> str:
    """The shape of a task of so many nodes: one is a singleton; edges that chain all nodes in their order are sequential, all others parallel."""
    if nodes == 1:
        return "singleton"
    return "sequential" if [(edge["source"], edge["target"]) for edge in edges] == [(n, n + 1) for n in range(nodes - 1)] else "parallel"


def _looked_up(column: pa.ChunkedArray, value: Callable[[str], Any], kind: pa.DataType) -> pa.Array:
    """The value of each entry, computed once for each distinct one."""
    encoded = pc.dictionary_encode(column.combine_chunks())
    return pa.array([value(entry) for entry in encoded.dictionary.to_pylist()], kind).take(encoded.indices)


def _in_columns(table: pa.Table, name: str) -> pa.Table:
    """The table in the columns of the table of that name."""
    return table.select(SCHEMAS[name].names).cast(SCHEMAS[name])
