"""The late stage: what looks across shards. Valid applications, shape, split, texts that recur, and the wanted numbers.

`judged` passes over a few narrow columns of the shards, some at once, and gives every row a verdict. `assembled` passes over the shards
a second time and gives whole rows. So a dataset of any size needs the memory of a few shards, and of four bytes for each row.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow.parquet as pq

from atomic_tasks.catalog import Catalog
from compositions.splits import SPLITS
from flows.facts import LOOKED_AT, Facts
from flows.recipe import Recipe
from flows.shard import NEARLY_THE_SAME

Numbers = np.ndarray[Any, np.dtype[Any]]
_AT_ONCE = 4_000  # rows of shards
_COMPARED_AT_ONCE = 500_000  # rows whose keys are compared with each other
_STANDS, _NEAR, _NOBODY, _ALONE, _TWICE, _TOO_OFTEN, _SPARE, _BY_ITS_SHARD = range(8)  # verdicts
_REFUSALS = {
    _NEAR: NEARLY_THE_SAME,
    _NOBODY: ("valid_applications", "no candidate can do what the text says"),
    _ALONE: ("valid_applications", "one application can do what was to take several"),
    _TWICE: ("duplicates", "the same text stands elsewhere in the dataset"),
    _TOO_OFTEN: ("recurrences", "with arguments masked, the text stands as often as the recipe allows"),
    _SPARE: ("quota", "made in reserve and not needed"),
}
"""Stage and reason of each refusal of this stage."""


@dataclass(frozen=True)
class Judged:
    """What the late stage finds.

    `verdicts`, `quotas` and `splits` have a number for each row of the shards, in their order: the refusal, or 0; its place in `wanted`,
    the applications and workflows of which rows are wanted; its place in `SPLITS`. `by_shards` counts what shards refused, by stage and reason.
    """

    verdicts: Numbers
    quotas: Numbers
    splits: Numbers
    wanted: Mapping[str, int]
    by_shards: Mapping[tuple[str, str], int]
    facts: Facts

    @property
    def made(self) -> int:
        """How many rows the shards have."""
        return len(self.verdicts)

    @cached_property
    def accepted(self) -> int:
        """How many rows the dataset takes."""
        return int(np.count_nonzero(self.verdicts == _STANDS))

    @cached_property
    def accepted_by_split(self) -> dict[str, int]:
        """How many rows the dataset takes of each split."""
        counted = np.bincount(self.splits[self.verdicts == _STANDS], minlength=len(SPLITS))
        return {split: int(number) for split, number in zip(SPLITS, counted, strict=True)}

    @cached_property
    def missing(self) -> dict[str, int]:
        """Rows still wanted, by application or workflow."""
        found = standing_by_quota(self.verdicts, self.quotas, self.wanted)
        return {name: number - found[name] for name, number in self.wanted.items() if number > found[name]}

    @cached_property
    def rejected(self) -> dict[str, dict[str, int]]:
        """Refused rows by stage and reason."""
        counted = Counter(self.by_shards)
        for verdict, number in enumerate(np.bincount(self.verdicts, minlength=_BY_ITS_SHARD)):
            if number and verdict in _REFUSALS:
                counted[_REFUSALS[verdict]] += int(number)
        found: dict[str, dict[str, int]] = {}
        for stage, reason in sorted(counted, key=str):
            found.setdefault(stage, {})[reason] = counted[stage, reason]
        return found


def judged(
    shards: Sequence[Path], catalog: Catalog, recipe: Recipe, wanted: Mapping[str, int], near: Mapping[Path, Collection[int]] | None = None
) -> Judged:
    """Judge the rows of the shards, of which the dataset is to have `wanted` of each application and of each workflow across applications.

    `near` holds the rows of shards that are near-duplicates of rows of other shards. A rule looks at the rows that no rule before it refused;
    of those that are alike, the first ones stay.
    """
    facts = Facts(catalog, recipe)
    numbers = {name: number for number, name in enumerate(wanted)}
    looked_at = [_looked_at(some, facts, numbers, near or {}) for some in _groups(shards)]
    verdicts, quotas, splits = (np.concatenate([part[column] for part, _ in looked_at]) for column in range(3))
    by_shards = sum((counted for _, counted in looked_at), Counter[tuple[str, str]]())
    _refuse(verdicts, shards, "text_key", 1, _TWICE)
    if recipe.recurrences:
        _refuse(verdicts, shards, "masked_key", recipe.recurrences, _TOO_OFTEN)
    fit = standing_by_quota(verdicts, quotas, wanted)
    settled = shared_shortage(wanted, fit, set(wanted) - set(catalog.candidates[recipe.candidates].applications))
    _refuse_spare(verdicts, quotas, list(settled.values()))
    return Judged(verdicts, quotas, splits, settled, by_shards, facts)


def _looked_at(
    shards: Sequence[Path], facts: Facts, numbers: Mapping[str, int], near: Mapping[Path, Collection[int]]
) -> tuple[tuple[Numbers, Numbers, Numbers], Counter[tuple[str, str]]]:
    """The verdicts of the rules that look at one row, the quotas and the splits of rows, and what their shards refused."""
    rows = pl.read_parquet(list(shards), columns=list(dict.fromkeys([*LOOKED_AT, "workflow", "rejected_stage", "rejected_reason"])))
    found = facts.of(rows)
    one_can = pl.col("valid_applications").list.len() > 0
    unable = pl.col("nodes").list.eval(pl.element().struct.field("valid_applications").list.len() == 0).list.any().fill_null(False)
    verdict = (
        pl.when(pl.Series(_marked(shards, near)))
        .then(_NEAR)
        .when(~pl.col("is_graph") & ~one_can | unable)
        .then(_NOBODY)
        .when(pl.col("is_graph") & one_can)
        .then(_ALONE)
        .otherwise(_STANDS)
    )
    narrow = pl.concat([found, rows.select("rejected_stage", "workflow", "target_application")], how="horizontal").select(
        pl.when(pl.col("rejected_stage").is_not_null()).then(_BY_ITS_SHARD).otherwise(verdict).cast(pl.UInt8).alias("verdict"),
        pl.coalesce("target_application", "workflow").replace_strict(numbers, return_dtype=pl.UInt16).alias("quota"),
        pl.col("split").replace_strict({split: number for number, split in enumerate(SPLITS)}, return_dtype=pl.UInt8),
    )
    refused = rows.drop_nulls("rejected_stage").group_by("rejected_stage", "rejected_reason").len()
    counted = Counter({(stage, reason): number for stage, reason, number in refused.iter_rows()})
    return (narrow["verdict"].to_numpy(), narrow["quota"].to_numpy(), narrow["split"].to_numpy()), counted


def _marked(shards: Sequence[Path], near: Mapping[Path, Collection[int]]) -> Numbers:
    """Of each row of the shards, whether it is near one of another shard."""
    parts = []
    for shard in shards:
        part = np.zeros(_rows_in(shard), dtype=bool)
        part[list(near.get(shard, ()))] = True
        parts.append(part)
    return np.concatenate(parts)


def _refuse(verdicts: Numbers, shards: Sequence[Path], key: str, most: int, verdict: int) -> None:
    """Refuse the standing rows that come after so many others with the same key; rows are compared in groups that share no key."""
    groups = math.ceil(len(verdicts) / _COMPARED_AT_ONCE)
    keys = pl.scan_parquet(list(shards), row_index_name="row").select("row", key)
    for group in range(groups):
        some = keys.filter(pl.col(key).reinterpret(signed=False) % groups == group).collect(engine="streaming").sort("row")
        some = some.filter(pl.Series(verdicts[some["row"].to_numpy()] == _STANDS))
        verdicts[some.filter(pl.int_range(pl.len()).over(key) >= most)["row"].to_numpy()] = verdict


def standing_by_quota(verdicts: Numbers, quotas: Numbers, wanted: Mapping[str, int]) -> dict[str, int]:
    """How many rows stand, of each application or workflow."""
    counted = np.bincount(quotas[verdicts == _STANDS], minlength=len(wanted))
    return {name: int(number) for name, number in zip(wanted, counted, strict=True)}


def _refuse_spare(verdicts: Numbers, quotas: Numbers, wanted: Sequence[int]) -> None:
    """Refuse the standing rows after so many of their application or workflow."""
    for quota, number in enumerate(wanted):
        verdicts[np.flatnonzero((quotas == quota) & (verdicts == _STANDS))[number:]] = _SPARE


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


def assembled(shards: Sequence[Path], found: Judged, categories: Mapping[str, str]) -> Iterator[pl.DataFrame]:
    """The whole rows of the shards, in their order, with what the late stage found; `stage` and `reason` tell those that are refused.

    `categories` maps an application to its category.
    """
    start = 0
    for some in _groups(shards):
        rows = pl.read_parquet(some)
        verdict = pl.Series("verdict", found.verdicts[start : start + rows.height])
        start += rows.height
        said = [{number: refusal[place] for number, refusal in _REFUSALS.items()} for place in range(2)]
        words = [verdict.replace_strict(words, default=None, return_dtype=pl.String).alias(name) for words, name in zip(said, _SAID, strict=True)]
        yield pl.concat([rows, found.facts.of(rows), pl.DataFrame(words)], how="horizontal").with_columns(
            pl.when("is_graph").then(pl.lit([], pl.List(pl.String))).otherwise("valid_applications").alias("valid_applications"),
            pl.col("target_application").replace_strict(categories, return_dtype=pl.String).alias("category"),
            pl.when("is_graph").then("nodes").otherwise(pl.concat_list(pl.struct("target_application", "valid_applications"))).alias("nodes"),
            pl.col("shape").fill_null("singleton"),
            *(pl.coalesce(f"rejected_{name}", name).alias(name) for name in _SAID),
        )


_SAID = ("stage", "reason")  # of a refusal


def _groups(shards: Sequence[Path]) -> Iterator[list[Path]]:
    """The shards in groups of a few thousand rows, since to open each for itself takes longer than to read it."""
    group: list[Path] = []
    rows = 0
    for shard in shards:
        group.append(shard)
        rows += _rows_in(shard)
        if rows >= _AT_ONCE:
            yield group
            group, rows = [], 0
    if group:
        yield group


def _rows_in(shard: Path) -> int:
    rows: int = pq.read_metadata(shard).num_rows
    return rows
