"""Figures of a dataset that a reader of its card wants, from its files."""

from collections.abc import Collection
from pathlib import Path
from typing import Any

import polars as pl

from atomic_tasks.schema import PLACEHOLDER

_COUNTED = {
    "shapes": "shape",
    "splits": "split",
    "naming": "naming",
    "styles": "style",
    "locales": "locale",
    "composition_kinds": "composition_kind",
    "paraphrases": "paraphrase_status",
}


def statistics(files: list[Path], atomic_tasks: Collection[str]) -> dict[str, Any]:
    """The figures of the user tasks in the files, by name; means over all rows, of valid applications over singletons.

    `unused_atomic_tasks` are those of the given ones of which no row is composed.
    """
    tasks = pl.scan_parquet(files)
    masked = pl.col("masked_text").str.replace_all(PLACEHOLDER.pattern, "{}").str.to_lowercase().hash()
    sums = tasks.select(
        pl.len().alias("rows"),
        (pl.col("text").str.count_matches(" ", literal=True).sum() + pl.len()).alias("words"),
        pl.col("valid_applications").list.len().sum().alias("valid"),
        pl.col("has_typo").sum().alias("typos"),
    )
    recurring = tasks.group_by(masked).len().select(pl.len().alias("distinct"), pl.col("len").max().fill_null(0).alias("most_often"))
    used = tasks.select(pl.col("atomic_tasks").explode().unique())
    counted = [tasks.drop_nulls(column).group_by(column).len().sort(column) for column in _COUNTED.values()]
    found, often, in_use, *counts = pl.collect_all([sums, recurring, used, *counted], engine="streaming")
    figures: dict[str, Any] = {name: dict(count.iter_rows()) for name, count in zip(_COUNTED, counts, strict=True)}
    total = found.row(0, named=True)
    singletons, rows = max(figures["shapes"].get("singleton", 0), 1), max(total["rows"], 1)
    return {
        **figures,
        "mean_valid_applications": round(total["valid"] / singletons, 4),
        "share_that_addresses_its_application": round(figures["naming"].get("application", 0) / singletons, 4),
        "share_with_a_typo": round(total["typos"] / rows, 4),
        "mean_words": round(total["words"] / rows, 2),
        "masked_texts": often.row(0, named=True),
        "unused_atomic_tasks": sorted(set(atomic_tasks) - set(in_use.to_series())),
    }
