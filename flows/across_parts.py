"""Near-duplicates across the parts of an application. A shard refuses those within itself; this stage refuses those of earlier parts.

A row is refused if it is nearly the same as a row of an earlier part that its own shard kept, also where that one is refused itself.
So what is refused does not depend on an order of comparisons, which are made side by side.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pyarrow.parquet as pq

from flows.progress import Progress
from flows.shard import Shard
from narrators.near_duplicates import NearDuplicates
from runners.runner import Map

_AT_ONCE = 100_000  # rows of an application that a worker holds as sets of trigrams, which takes about a kilobyte each

Near = dict[Path, list[int]]
"""Rows by their shard."""


class Comparison(NamedTuple):
    """The parts of an application, in their order, and which share of the trigrams to compare them by."""

    application: str
    shards: tuple[Path, ...]
    share: int
    shares: int

    def __str__(self) -> str:
        """Return what messages call it."""
        return f"the comparison of the shards of {self.application}"


def near_across_parts(shards: Sequence[Shard], paths: Sequence[Path], run_map: Map, progress: Progress) -> Mapping[Path, Sequence[int]]:
    """Return the rows that are nearly the same as rows of earlier parts; `paths` are the files of the shards."""
    parts: dict[str, list[Path]] = defaultdict(list)
    for shard, path in zip(shards, paths, strict=True):
        parts[shard.application].append(path)
    comparisons = [each for application, found in parts.items() if len(found) > 1 for each in _comparisons(application, found)]
    near: dict[Path, set[int]] = defaultdict(set)
    for done, found in enumerate(run_map(compared, comparisons)):
        progress("comparing shards", done + 1, len(comparisons))
        for path, rows in found.items():
            near[path].update(rows)
    return {path: sorted(rows) for path, rows in near.items()}


def _comparisons(application: str, shards: list[Path]) -> Iterator[Comparison]:
    shares = math.ceil(sum(pq.read_metadata(shard).num_rows for shard in shards) / _AT_ONCE)
    for share in range(shares):
        yield Comparison(application, tuple(shards), share, shares)


def compared(comparison: Comparison) -> Near:
    """Return the rows that share of the comparison finds."""
    earlier = NearDuplicates(share=comparison.share, shares=comparison.shares)
    near: Near = {}
    for shard in comparison.shards:
        texts = list(_texts(shard))
        near[shard] = [row for row, text in texts if earlier.has(text)]
        for _, text in texts:
            earlier.keep(text)
    return near


def _texts(shard: Path) -> Iterator[tuple[int, str]]:
    """Yield the rows that the shard kept, with their texts."""
    table = pq.read_table(shard, columns=["text", "rejected_stage"])
    for row, (text, stage) in enumerate(zip(table["text"].to_pylist(), table["rejected_stage"].to_pylist(), strict=True)):
        if stage is None:
            yield row, text
