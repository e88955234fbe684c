"""Publishing a dataset: files, catalog tables, manifest, card and label, all of it or nothing."""

import contextlib
import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from atomic_tasks.catalog import Catalog
from atomic_tasks.pinned import candidates_of
from compositions.splits import SPLITS, task_split
from flows.assemble import Judged, assembled
from flows.recipe import Recipe
from flows.shard import Shard
from flows.versions import shaping_versions
from warehouse.layout import DataFolder, point_label
from warehouse.parquet import TableWriter, write_rows

Manifest = dict[str, Any]
FILE_ROWS = 500_000  # the most rows of a file
_SIZES = ("n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M", "100M<n<1B")
"""The size categories of dataset cards: each is ten times the one before."""
_TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
)


def size_category(rows: int) -> str:
    """The size category of a dataset's card."""
    return _SIZES[min(max(len(str(rows)) - 3, 0), len(_SIZES) - 1)]


_TEMPLATES.filters["size_category"] = size_category


def made_from(recipe: Recipe, catalog: Catalog, addresses: dict[str, str], paraphrased: Mapping[str, Path]) -> Manifest:
    """What a dataset follows from, whose hash is its fingerprint: recipe, shards, the declared data of the late stage, and versions.

    What a model says does not follow from a recipe, so of paraphrased shards it holds a hash of their bytes.
    """
    late = {
        "equivalence": {name: entry.applications for name, entry in catalog.capabilities.items()},
        "candidates": candidates_of(catalog, recipe.candidates).described(),
    }
    return {
        "recipe": recipe.model_dump(mode="json"),
        "shards": addresses,
        "late_stage": {name: digest(value) for name, value in late.items()},
        "versions": shaping_versions(),
        **({"paraphrased_shards": {name: _described(path)["sha256"] for name, path in paraphrased.items()}} if paraphrased else {}),
    }


def digest(value: Any) -> str:
    """A 64-bit hash of plain data, as hex."""
    return hashlib.blake2b(json.dumps(value, sort_keys=True).encode(), digest_size=8).hexdigest()


def intact(folder: Path) -> Manifest | None:
    """The manifest of a published dataset whose files are all there and unchanged, or None."""
    path = folder / "dataset" / "manifest.json"
    if not path.is_file():
        return None
    manifest: Manifest = json.loads(path.read_text())
    for name, file in manifest["files"].items():
        inner = folder / "dataset" / name
        if not inner.is_file() or _described(inner) != file:
            return None
    return manifest


def write_dataset(folder: Path, shards: Sequence[Path], found: Judged, catalog: Catalog) -> None:
    """Write the rows of the shards, accepted and rejected, into an unpublished folder."""
    categories = {name: application.category for name, application in catalog.applications.items()}
    (folder / "dataset" / "data").mkdir(parents=True)
    with contextlib.ExitStack() as open_files:
        writers = {split: open_files.enter_context(_Files(folder, split, rows)) for split, rows in found.accepted_by_split.items()}
        rejected = open_files.enter_context(TableWriter(folder / "rejected.parquet", "rejected"))
        for rows in assembled(shards, found, categories):
            accepted = rows.filter(pl.col("stage").is_null())
            for split, writer in writers.items():
                writer.write(accepted.filter(pl.col("split") == split).to_arrow())
            rejected.write(rows.drop_nulls("stage").to_arrow())


class _Files:
    """Writes a known number of rows of a split into files of about the same size, one after another."""

    def __init__(self, folder: Path, split: str, rows: int) -> None:
        files = max(1, math.ceil(rows / FILE_ROWS))
        self._left = [(data_file(folder, split, number, files), rows // files + (number < rows % files)) for number in range(files)]
        self._open_file = contextlib.ExitStack()
        self._begin()

    def _begin(self) -> None:
        path, self._room = self._left.pop(0)
        self._writer = self._open_file.enter_context(TableWriter(path, "user_tasks"))

    def write(self, rows: pa.Table) -> None:
        """Write the next rows."""
        while rows.num_rows > self._room:
            self._writer.write(rows.slice(0, self._room))
            rows = rows.slice(self._room)
            self._open_file.close()
            self._begin()
        self._writer.write(rows)
        self._room -= rows.num_rows

    def __enter__(self) -> "_Files":
        return self

    def __exit__(self, *error: Any) -> None:
        self._open_file.__exit__(*error)


def data_file(folder: Path, split: str, number: int = 0, files: int = 1) -> Path:
    """One of so many files of a split in a dataset's folder."""
    return folder / "dataset" / "data" / f"{split}-{number:05}-of-{files:05}.parquet"


def write_manifest(
    folder: Path, name: str, source: Manifest, recipe: Recipe, catalog: Catalog, found: Judged, figures: Mapping[str, Any], shards: list[Shard]
) -> Manifest:
    """Describe what `write_dataset` wrote, made from `source`: catalog tables, manifest and card."""
    write_catalog(folder / "catalog", catalog)
    manifest: Manifest = {
        "dataset": name,
        "dataset_id": digest(source),
        "built_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "made_from": source,
        "candidates": candidates_of(catalog, recipe.candidates).described(),
        "rows": {
            "made": found.made,
            "accepted": found.accepted,
            "rejected": found.made - found.accepted,
            "rejected_by_stage_and_reason": found.rejected,
        },
        "shards_made": sorted(shard.name for shard in shards if shard.made),
        "files": described_files(folder),
        "statistics": figures,
        "applications_without": applications_without(catalog, recipe),
    }
    write_described(folder, manifest, "dataset_card.md.j2", recipe=recipe)
    return manifest


def applications_without(catalog: Catalog, recipe: Recipe) -> dict[str, list[str]]:
    """The candidates of which no atomic task falls to a split, by that split."""
    splits = {
        name: {task_split(task.id, recipe.splits) for task in catalog.applications[name].tasks if not task.generic}
        for name in catalog.candidates[recipe.candidates].applications
    }
    missing = {split: [name for name, found in splits.items() if split not in found] for split in recipe.splits.by_split}
    return {split: names for split, names in missing.items() if names}


def write_described(folder: Path, manifest: Manifest, card: str, **shown: Any) -> None:
    """Write a dataset's manifest, and its card from the template of that name, which gets the manifest, the splits and what else is shown."""
    text = _TEMPLATES.get_template(card).render(manifest=manifest, splits=SPLITS, **shown)
    (folder / "dataset" / "README.md").write_text(text, encoding="utf-8")
    (folder / "dataset" / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")


def data_files(folder: Path) -> list[Path]:
    """The files of all splits, in their order."""
    return [path for split in SPLITS for path in sorted((folder / "dataset" / "data").glob(f"{split}-*.parquet"))]


def described_files(folder: Path) -> Manifest:
    """Rows and hash of the files of every split, by their paths in the dataset."""
    return {str(path.relative_to(folder / "dataset")): _described(path) for path in data_files(folder)}


def _described(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    return {"rows": pq.read_metadata(path).num_rows, "sha256": sha256}


def write_catalog(folder: Path, catalog: Catalog) -> None:
    """The applications and atomic tasks as tables, for the warehouse."""
    applications = [application.model_dump(exclude={"tasks"}) for application in catalog.applications.values()]
    write_rows(folder / "applications.parquet", "applications", applications)
    tasks = [
        {
            "atomic_task_id": task.id,
            "application": task.application,
            "title": task.title,
            "capability": task.capability,
            "generic": task.generic,
            "capable_applications": sorted(catalog.capable(task.capability)),
            "phrasings": len(task.say),
        }
        for task in catalog.tasks.values()
    ]
    write_rows(folder / "atomic_tasks.parquet", "atomic_tasks", tasks)


def publish(data: DataFolder, name: str, folder: Path) -> Path:
    """Point the name at a dataset that is whole; the path that the name now has."""
    label = data.labels / name
    point_label(label, folder / "dataset")
    return label


def summary(manifest: Mapping[str, Any]) -> str:
    """The dataset in a few lines of Markdown, for a flow's page."""
    return _TEMPLATES.get_template("summary.md.j2").render(manifest=manifest)
