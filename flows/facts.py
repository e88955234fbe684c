"""What follows from a row and the catalog alone: valid applications, nodes, shape, split."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any

import polars as pl

from atomic_tasks.catalog import Catalog
from compositions.splits import split_of
from flows.recipe import Recipe
from narrators.valid_applications import valid_applications

_REMEMBERED = 50_000  # combinations, so that memory does not grow with the dataset
_ASKED = ["said_capabilities", "named"]  # what the valid applications of a text follow from, for a set of candidates
LOOKED_AT = [*_ASKED, "said_tasks", "target_application", "node_applications", "node_capabilities", "edges"]
"""The columns of a shard that facts follow from."""


class Facts:
    """Gives facts of rows, a few thousand at once. Each combination of what they follow from is computed once, while it is remembered."""

    def __init__(self, catalog: Catalog, recipe: Recipe) -> None:
        candidates = catalog.candidates[recipe.candidates].applications
        equivalence = {name: frozenset(entry.applications) for name, entry in catalog.capabilities.items()}

        @lru_cache(_REMEMBERED)
        def valid(said: Collection[str], named: Collection[str] | None) -> list[str]:
            return valid_applications(said, equivalence, candidates, named)

        self._valid = valid
        self._split = lru_cache(_REMEMBERED)(lambda tasks: split_of(tasks, recipe.splits))

    def of(self, shard_rows: pl.DataFrame) -> pl.DataFrame:
        """Return a row for each row of a shard, in their order: `is_graph`, `valid_applications`, `split`, and `nodes` and `shape` of graphs."""
        rows = shard_rows.select(LOOKED_AT).with_row_index("row").with_columns(pl.col("target_application").is_null().alias("is_graph"))
        of_nodes = rows.filter("is_graph").select(pl.col("node_capabilities").explode().alias("said_capabilities"))
        asked = pl.concat([rows.select(_ASKED), of_nodes.with_columns(pl.lit(None, pl.List(pl.String)).alias("named"))])
        valid = _found(asked, self._valid, "valid_applications", pl.List(pl.String))
        splits = _found(rows.select("said_tasks"), self._split, "split", pl.String)
        return (
            rows.join(valid, on=_ASKED, how="left", nulls_equal=True, maintain_order="left")
            .join(splits, on="said_tasks", how="left", maintain_order="left")
            .join(_graphs(rows.filter("is_graph"), valid), on="row", how="left", maintain_order="left")
            .select("is_graph", "valid_applications", "split", "nodes", "shape")
        )


def _found(keys: pl.DataFrame, value: Callable[..., Any], name: str, kind: Any) -> pl.DataFrame:
    """The value of each combination of the keys."""
    distinct = keys.unique()
    values = [value(*(None if part is None else tuple(part) for part in key)) for key in distinct.iter_rows()]
    return distinct.with_columns(pl.Series(name, values, kind))


def _graphs(graphs: pl.DataFrame, valid: pl.DataFrame) -> pl.DataFrame:
    """The rows of several applications, by `row`: their shapes, and their nodes, each with its own valid applications."""
    shapes = [shape_of(edges, len(nodes)) for edges, nodes in graphs.select("edges", "node_applications").iter_rows()]
    of_nodes = valid.filter(pl.col("named").is_null()).select(pl.col("said_capabilities").alias("node_capabilities"), "valid_applications")
    nodes = (
        graphs.select("row", "node_applications", "node_capabilities")
        .explode("node_applications", "node_capabilities")
        .join(of_nodes, on="node_capabilities", how="left", maintain_order="left")
        .select("row", pl.struct(pl.col("node_applications").alias("target_application"), "valid_applications").alias("nodes"))
        .group_by("row", maintain_order=True)
        .agg("nodes")
    )
    return nodes.with_columns(pl.Series("shape", shapes, pl.String))


def shape_of(edges: Sequence[Mapping[str, int]], nodes: int) -> str:
    """The shape of a task of so many nodes: one is a singleton; edges that chain all nodes in their order are sequential, all others parallel."""
    if nodes == 1:
        return "singleton"
    return "sequential" if [(edge["source"], edge["target"]) for edge in edges] == [(n, n + 1) for n in range(nodes - 1)] else "parallel"
