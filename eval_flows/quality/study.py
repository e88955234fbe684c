"""A study: a sample of a dataset's user tasks, drawn evenly over the applications, and its folder.

data/quality/<study_id>/    study.json, rate.html, sheets/rater_<n>.csv, ratings/<rater>.parquet
"""

import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from atomic_tasks.problems import BadInput, suggestion
from atomic_tasks.seeds import derive_seed
from eval_flows.datasets import Dataset
from warehouse.layout import DataFolder, written_file

SHARE = 0.1  # of the dataset, if no number is given (the paper's share)


@dataclass(frozen=True)
class Item:
    """What a rater sees: the text and its valid applications, without their origin."""

    task_id: str
    text: str
    applications: str


@dataclass(frozen=True)
class Study:
    """A drawn sample; `items` are in the order in which they were drawn."""

    study_id: str
    dataset_id: str
    dataset: str
    seed: int
    created_at: str
    items: tuple[Item, ...]
    folder: Path


def draw(dataset: Dataset, data: DataFolder, seed: int, number: int | None) -> Study:
    """Draw singleton tasks evenly over their target applications: `number` of them, or a tenth of the dataset."""
    columns = ["task_id", "text", "target_application", "valid_applications"]
    rows = pl.scan_parquet(dataset.folder / "data" / "*.parquet").filter(pl.col("shape") == "singleton").select(columns).collect()
    wanted = number if number is not None else round(SHARE * rows.height)
    if wanted > rows.height:
        raise BadInput(f"dataset '{dataset.name}' has {rows.height} tasks of single applications, so {wanted} cannot be drawn")
    items = tuple(
        Item(row["task_id"], row["text"], "; ".join(dataset.candidates[name].title for name in row["valid_applications"]))
        for row in _evenly(rows, seed, wanted).iter_rows(named=True)
    )
    described = json.dumps([dataset.dataset_id, seed, [item.task_id for item in items]])
    study_id = hashlib.blake2b(described.encode(), digest_size=6).hexdigest()
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return Study(study_id, dataset.dataset_id, dataset.name, seed, now, items, data.quality / study_id)


def _evenly(rows: pl.DataFrame, seed: int, wanted: int) -> pl.DataFrame:
    """Return rows spread evenly over the applications; a hash of seed and id draws them and gives their order."""
    place = pl.Series("place", [derive_seed("quality", seed, task_id) for task_id in rows["task_id"]], pl.UInt64)
    turn = pl.int_range(pl.len()).over("target_application").alias("turn")
    in_turn = rows.with_columns(place).sort("place").with_columns(turn).sort("turn", "target_application", maintain_order=True)
    return in_turn.head(wanted).sort("place")


def write_study(study: Study) -> None:
    """Write the contents of the study, so that filled sheets can be checked against them."""
    content = {name: getattr(study, name) for name in ("study_id", "dataset_id", "dataset", "seed", "created_at")}
    with written_file(study.folder / "study.json") as path:
        path.write_text(json.dumps(content | {"items": [vars(item) for item in study.items]}, indent=1, ensure_ascii=False) + "\n")


def read_study(study_id: str, data: DataFolder) -> Study:
    """Return the study with that id; BadInput lists the known studies."""
    known = sorted(path.parent.name for path in data.quality.glob("*/study.json"))
    if study_id not in known:
        there = f"studies: {', '.join(known)}" if known else "there is none yet"
        raise BadInput(f"no study '{study_id}'{suggestion(study_id, known)} ({there}; draw one with: deskmill quality sample DATASET)")
    folder = data.quality / study_id
    content = json.loads((folder / "study.json").read_text())
    items = tuple(Item(**item) for item in content.pop("items"))
    return Study(**content, items=items, folder=folder)
