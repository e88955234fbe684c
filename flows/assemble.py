"""The late stage: what looks across shards. Valid applications, shape, split, texts that recur, and the wanted numbers.

`judged` looks at a few narrow columns of all shards at once, as a lazy frame, and gives every row what it lacks or the reason of its
refusal. `assembled` then passes over the shards a second time, some at once, and gives whole rows. So a dataset of any size needs the
memory of a few shards, and of some numbers for each row.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from atomic_tasks.catalog import Catalog
from compositions.splits import split_of
from flows.recipe import Recipe
from narrators.valid_applications import valid_applications

Refusal = tuple[str, str]  # stage and reason
_AT_ONCE = 4_000  # rows
_ASKED = ["said_capabilities", "named"]  # what the valid applications of a text follow from, for a set of candidates
_LOOKED_AT = [*_ASKED, "said_tasks", "text_key", "masked_key", "rejected_stage", "rejected_reason"]
_LOOKED_AT += ["node_applications", "node_capabilities", "edges"]
_NOBODY = ("valid_applications", "no candidate can do what the text says")
_ALONE = ("valid_applications", "one application can do what was to take several")
_TWICE = ("duplicates", "the same text stands elsewhere in the dataset")
_TOO_OFTEN = ("recurrences", "with arguments masked, the text stands as often as the recipe allows")
_SPARE = ("quota", "made in reserve and not needed")


@dataclass(frozen=True)
class Judged:
    """What the late stage finds.

    `rows` has a row for each row of the shards, in their order: `ask`, `split`, and `stage` and `reason` where it is refused.
    `valid` holds the valid applications of each `ask`, `graphs` the nodes and the shapes of the rows of several applications, by `row`.
    """

    rows: pl.DataFrame
    valid: pl.DataFrame
    graphs: pl.DataFrame
    wanted: Mapping[str, int]

    @property
    def accepted(self) -> int:
        """How many rows the dataset takes."""
        return self.rows["stage"].null_count()

    @cached_property
    def missing(self) -> dict[str, int]:
        """Rows still wanted, by application or workflow."""
        found = dict(self.rows.filter(pl.col("stage").is_null()).group_by("quota").len().iter_rows())
        return {name: number - found.get(name, 0) for name, number in self.wanted.items() if number > found.get(name, 0)}

    @cached_property
    def rejected(self) -> dict[str, dict[str, int]]:
        """Refused rows by stage and reason."""
        counted: dict[str, dict[str, int]] = {}
        for stage, reason, number in self.rows.drop_nulls("stage").group_by("stage", "reason").len().sort("stage", "reason").iter_rows():
            counted.setdefault(stage, {})[reason] = number
        return counted


def judged(shards: list[Path], catalog: Catalog, recipe: Recipe, wanted: Mapping[str, int]) -> Judged:
    """Judge the rows of the shards, of which the dataset is to have `wanted` of each application and of each workflow across applications.

    A rule looks at the rows that no rule before it refused; of those that are alike, the first ones stay.
    """
    quota = pl.coalesce("target_application", "workflow").alias("quota").cast(pl.Categorical)
    rows = pl.scan_parquet(shards, row_index_name="row").select("row", quota, pl.col("target_application").is_null().alias("is_graph"), *_LOOKED_AT)
    valid = _valid_applications(rows, catalog, recipe)
    splits = _found(rows, ["said_tasks"], lambda tasks: split_of(tasks, recipe.splits), "split", pl.Categorical)
    narrow = (
        rows.join(valid.lazy(), on=_ASKED, how="left", nulls_equal=True, maintain_order="left")
        .join(splits.lazy(), on="said_tasks", how="left", maintain_order="left")
        .select(
            *("row", "quota", "is_graph", "ask", "split", "text_key", "masked_key"),
            pl.col("rejected_stage").cast(pl.Categorical).alias("stage"),
            pl.col("rejected_reason").cast(pl.Categorical).alias("reason"),
            (pl.col("valid_applications").list.len() > 0).alias("one_can"),
        )
        .collect(engine="streaming")
    )
    graphs = _graphs(rows, valid)
    unable = graphs.filter(pl.col("nodes").list.eval(pl.element().struct.field("valid_applications").list.len() == 0).list.any())["row"]
    numbered, most = pl.int_range(pl.len()), recipe.recurrences
    refused = _refused(narrow, ~pl.col("is_graph") & ~pl.col("one_can") | pl.col("row").is_in(unable.implode()), _NOBODY)
    refused = _refused(refused, pl.col("is_graph") & pl.col("one_can"), _ALONE)
    refused = _refused(refused, ~pl.col("text_key").is_first_distinct(), _TWICE)
    refused = _refused(refused, numbered.over("masked_key") >= most if most else pl.lit(False), _TOO_OFTEN)
    fit = dict(refused.filter(pl.col("stage").is_null()).group_by(pl.col("quota").cast(pl.String)).len().iter_rows())
    settled = shared_shortage(wanted, fit, set(wanted) - set(catalog.candidates[recipe.candidates].applications))
    refused = _refused(refused, numbered.over("quota") >= pl.col("quota").cast(pl.String).replace_strict(settled, return_dtype=pl.Int64), _SPARE)
    return Judged(refused.drop("text_key", "masked_key", "one_can"), valid.select("valid_applications"), graphs, settled)


def shared_shortage(wanted: Mapping[str, int], fit: Mapping[str, int], workflows: Collection[str]) -> dict[str, int]:
    """Return the wanted rows after workflows across applications with rows to spare stand in for those that have too few.

    `fit` holds the rows that could be taken. The workflow with most to spare gives first, a row at a time; names decide between equals.
    """
    settled = dict(wanted)
    for short in sorted(name for name in workflows if fit.get(name, 0) < wanted[name]):
        while fit.get(short, 0) < settled[short]:
            giver = max(sorted(workflows), key=lambda name: fit.get(name, 0) - settled[name])
            if fit.get(giver, 0) <= settled[giver]:
                return settled
            settled[giver] += 1
            settled[short] -= 1
    return settled


def _refused(rows: pl.DataFrame, unfit: pl.Expr, refusal: Refusal) -> pl.DataFrame:
    """The rows, those refused that no rule has refused so far and that are unfit among these."""
    found = rows.filter(pl.col("stage").is_null()).filter(unfit)["row"].implode()
    stage, reason = (pl.lit(word, pl.Categorical) for word in refusal)
    is_found = pl.col("row").is_in(found)
    return rows.with_columns(
        pl.when(is_found).then(stage).otherwise("stage").alias("stage"), pl.when(is_found).then(reason).otherwise("reason").alias("reason")
    )


def _found(rows: pl.LazyFrame, keys: Sequence[str], value: Callable[..., Any], name: str, kind: Any) -> pl.DataFrame:
    """The value of each combination of the keys that stands in the rows, computed once for each of them."""
    distinct = rows.select(keys).unique().collect(engine="streaming")
    values = [value(*key) for key in distinct.iter_rows()]
    return distinct.with_columns(pl.Series(name, values, kind))


def _valid_applications(rows: pl.LazyFrame, catalog: Catalog, recipe: Recipe) -> pl.DataFrame:
    """The valid applications of all that texts, or the nodes of their graphs, ask for: numbered by `ask`."""
    candidates = catalog.candidates[recipe.candidates].applications
    equivalence = {name: frozenset(entry.applications) for name, entry in catalog.capabilities.items()}

    def valid(said: Collection[str], named: Collection[str] | None) -> list[str]:
        return valid_applications(said, equivalence, candidates, named)

    of_nodes = rows.filter("is_graph").select(pl.col("node_capabilities").explode().alias("said_capabilities"))
    asked = pl.concat([rows.select(_ASKED), of_nodes.with_columns(pl.lit(None, pl.List(pl.String)).alias("named"))])
    return _found(asked, _ASKED, valid, "valid_applications", pl.List(pl.String)).with_row_index("ask")


def _graphs(rows: pl.LazyFrame, valid: pl.DataFrame) -> pl.DataFrame:
    """The rows of several applications, by `row`: their shapes, and their nodes, each with its own valid applications."""
    graphs = rows.filter("is_graph").select("row", "node_applications", "node_capabilities", "edges").collect()
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


def assembled(shards: Sequence[Path], found: Judged, categories: Mapping[str, str]) -> Iterator[pl.DataFrame]:
    """The whole rows of the shards, in their order, with what the late stage found; `stage` and `reason` tell those that are refused.

    `categories` maps an application to its category.
    """
    start = 0
    for some in _groups(shards):
        rows = pl.read_parquet(some)
        of_rows = found.rows.slice(start, rows.height)
        start += rows.height
        valid = found.valid[of_rows["ask"]]["valid_applications"]
        graphs = of_rows.select("row").join(found.graphs, on="row", how="left", maintain_order="left").drop("row")
        words = of_rows.select("is_graph", pl.col("split", "stage", "reason").cast(pl.String))
        yield pl.concat([rows, words, graphs, valid.to_frame()], how="horizontal").with_columns(
            pl.when("is_graph").then(pl.lit([], pl.List(pl.String))).otherwise("valid_applications").alias("valid_applications"),
            pl.col("target_application").replace_strict(categories, return_dtype=pl.String).alias("category"),
            pl.when("is_graph").then("nodes").otherwise(pl.concat_list(pl.struct("target_application", "valid_applications"))).alias("nodes"),
            pl.col("shape").fill_null("singleton"),
        )


def _groups(shards: Sequence[Path]) -> Iterator[list[Path]]:
    """The shards in groups of a few thousand rows, since to open each for itself takes longer than to read it."""
    group: list[Path] = []
    rows = 0
    for shard in shards:
        group.append(shard)
        rows += pl.scan_parquet(shard).select(pl.len()).collect().item()
        if rows >= _AT_ONCE:
            yield group
            group, rows = [], 0
    if group:
        yield group


def shape_of(edges: Sequence[Mapping[str, int]], nodes: int) -> str:
    """The shape of a task of so many nodes: one is a singleton; edges that chain all nodes in their order are sequential, all others parallel."""
    if nodes == 1:
        return "singleton"
    return "sequential" if [(edge["source"], edge["target"]) for edge in edges] == [(n, n + 1) for n in range(nodes - 1)] else "parallel"
