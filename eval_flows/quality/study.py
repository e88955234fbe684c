"""A study: texts for raters, of one kind, and its folder. The kind `sample` is drawn here, the kind `mixture` in `mixture.py`.

data/quality/<study_id>/    study.json, rate.html, sheets/rater_<n>.csv, ratings/<rater>.parquet
"""

import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl

from atomic_tasks.problems import BadInput, suggestion
from atomic_tasks.seeds import derive_seed
from eval_flows.datasets import Dataset
from eval_flows.quality.forms import FORMS, MIXTURE, SAMPLE, Form
from warehouse.layout import DataFolder, fetch, written_file

SHARE = 0.1  # of the dataset, if no number is given (the paper's share)
_KEPT = ("study_id", "kind", "dataset_id", "dataset", "seed", "created_at")


@dataclass(frozen=True)
class Item:
    """What a rater of a sample sees: the text and its valid applications, without their origin."""

    task_id: str
    text: str
    applications: str


@dataclass(frozen=True)
class Text:
    """A text of a mixture. A rater sees its id and the text; the rest is the key."""

    text_id: str
    text: str
    made_by: str  # dataset or people
    task_id: str | None  # of the dataset's texts
    details: dict[str, Any]  # what the file of people's texts says besides the text


@dataclass(frozen=True)
class Study:
    """Drawn texts. A sample's `items` are in the order in which they were drawn, a mixture's in an order that tells nothing."""

    study_id: str
    kind: str
    dataset_id: str
    dataset: str
    seed: int
    created_at: str
    items: tuple[Item | Text, ...]
    folder: Path

    @property
    def form(self) -> Form:
        """Return the form of the study's sheets."""
        return FORMS[self.kind]

    def id_of(self, item: Item | Text) -> str:
        """Return the id of an item, as sheets have it."""
        return str(getattr(item, self.form.id_column))


def draw(dataset: Dataset, data: DataFolder, seed: int, number: int | None) -> Study:
    """Draw a sample of singleton tasks evenly over their target applications: `number` of them, or a tenth of the dataset."""
    columns = ["task_id", "text", "target_application", "valid_applications"]
    rows = pl.scan_parquet(dataset.folder / "data" / "*.parquet").filter(pl.col("shape") == "singleton").select(columns).collect()
    wanted = number if number is not None else round(SHARE * rows.height)
    if wanted > rows.height:
        raise BadInput(f"dataset '{dataset.name}' has {rows.height} tasks of single applications, so {wanted} cannot be drawn")
    items = tuple(
        Item(row["task_id"], row["text"], "; ".join(dataset.candidates[name].title for name in row["valid_applications"]))
        for row in evenly(rows, ("quality", seed), wanted).iter_rows(named=True)
    )
    described = json.dumps([dataset.dataset_id, seed, [item.task_id for item in items]])
    return new_study(SAMPLE, described, dataset, seed, items, data)


def new_study(form: Form, described: str, dataset: Dataset, seed: int, items: tuple[Item | Text, ...], data: DataFolder) -> Study:
    """Return a study that is not written yet; its id is the hash of `described`."""
    study_id = hashed(described)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return Study(study_id, form.kind, dataset.dataset_id, dataset.name, seed, now, items, data.quality / study_id)


def hashed(described: str) -> str:
    """Return a hash of 12 digits, as studies and the texts of mixtures have as their ids."""
    return hashlib.blake2b(described.encode(), digest_size=6).hexdigest()


def evenly(rows: pl.DataFrame, seed: tuple[str, int], wanted: int) -> pl.DataFrame:
    """Return rows spread evenly over `target_application`; a hash of seed and `task_id` draws them and gives their order."""
    place = pl.Series("place", [derive_seed(*seed, task_id) for task_id in rows["task_id"]], pl.UInt64)
    turn = pl.int_range(pl.len()).over("target_application").alias("turn")
    in_turn = rows.with_columns(place).sort("place").with_columns(turn).sort("turn", "target_application", maintain_order=True)
    return in_turn.head(wanted).sort("place")


def write_study(study: Study) -> None:
    """Write the contents of the study, so that filled sheets can be checked against them. Of a mixture this is the key."""
    content = {name: getattr(study, name) for name in _KEPT}
    with written_file(study.folder / "study.json") as path:
        path.write_text(json.dumps(content | {"items": [vars(item) for item in study.items]}, indent=1, ensure_ascii=False) + "\n")


def read_study(study_id: str, data: DataFolder) -> Study:
    """Return the study with that id; BadInput lists the known studies."""
    fetch(data.quality)
    known = sorted(path.parent.name for path in data.quality.glob("*/study.json"))
    if study_id not in known:
        there = f"studies: {', '.join(known)}" if known else "there is none yet"
        commands = "deskmill quality sample DATASET, or deskmill quality mix DATASET --with FILE"
        raise BadInput(f"no study '{study_id}'{suggestion(study_id, known)} ({there}; draw one with: {commands})")
    folder = data.quality / study_id
    content = {"kind": SAMPLE.kind} | json.loads((folder / "study.json").read_text())  # the first studies were all samples, and did not say so
    item = Text if content["kind"] == MIXTURE.kind else Item
    items = tuple(item(**values) for values in content.pop("items"))
    return Study(**content, items=items, folder=folder)
