"""Publishing a dataset: files, catalog tables, manifest, card and label, all of it or nothing."""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from atomic_tasks.catalog import Catalog
from flows.assemble import Assembled
from flows.recipe import Recipe
from flows.shard import Shard
from flows.versions import shaping_versions
from warehouse.layout import DataFolder, point_label
from warehouse.parquet import write_rows, write_table

SPLITS = ("train", "dev", "test")
Manifest = dict[str, Any]
_TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
)


def dataset_id(recipe: Recipe, catalog: Catalog, addresses: dict[str, str]) -> str:
    """The fingerprint: a hash of everything that the dataset's bytes follow from."""
    return hashlib.blake2b(json.dumps(made_from(recipe, catalog, addresses), sort_keys=True).encode(), digest_size=8).hexdigest()


def made_from(recipe: Recipe, catalog: Catalog, addresses: dict[str, str]) -> Manifest:
    """What a dataset follows from: recipe, shards, the declared data of the late stage, and versions."""
    candidates = catalog.candidates[recipe.candidates].applications
    late = {
        "equivalence": {name: entry.applications for name, entry in catalog.capabilities.items()},
        "categories": {name: catalog.applications[name].category for name in candidates},
        "generic": sorted(task.id for task in catalog.tasks.values() if task.generic),
        "candidates": candidates,
    }
    return {
        "recipe": recipe.model_dump(mode="json"),
        "shards": addresses,
        "late_stage": {name: _digest(value) for name, value in late.items()},
        "versions": shaping_versions(),
    }


def _digest(value: Any) -> str:
    return hashlib.blake2b(json.dumps(value, sort_keys=True).encode(), digest_size=8).hexdigest()


def intact(folder: Path) -> Manifest | None:
    """The manifest of a published dataset whose files are all there and unchanged, or None."""
    path = folder / "dataset" / "manifest.json"
    if not path.is_file():
        return None
    manifest: Manifest = json.loads(path.read_text())
    for name, file in manifest["files"].items():
        inner = folder / "dataset" / name
        if not inner.is_file() or hashlib.sha256(inner.read_bytes()).hexdigest() != file["sha256"]:
            return None
    return manifest


def write_dataset(folder: Path, name: str, recipe: Recipe, catalog: Catalog, assembled: Assembled, shards: list[Shard]) -> Manifest:
    """Write dataset, catalog tables and rejected rows into an unpublished folder; the manifest that describes them."""
    files: dict[str, dict[str, Any]] = {}
    for split in SPLITS:
        rows = assembled.user_tasks.filter(pc.field("split") == split)
        path = folder / "dataset" / "data" / f"{split}-00000-of-00001.parquet"
        write_table(path, "user_tasks", rows)
        files[str(path.relative_to(folder / "dataset"))] = {"rows": rows.num_rows, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
    write_table(folder / "rejected.parquet", "rejected", assembled.rejected)
    write_catalog(folder / "catalog", catalog)
    addresses = {shard.application: shard.address for shard in shards}
    manifest: Manifest = {
        "dataset": name,
        "dataset_id": dataset_id(recipe, catalog, addresses),
        "built_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "made_from": made_from(recipe, catalog, addresses),
        "rows": {
            "made": assembled.rows_made,
            "accepted": assembled.user_tasks.num_rows,
            "rejected": assembled.rejected.num_rows,
            "rejected_by_stage_and_reason": assembled.rejected_counts,
        },
        "shards_made": sorted(shard.application for shard in shards if shard.made),
        "files": files,
        "statistics": _statistics(assembled.user_tasks),
    }
    card = _TEMPLATES.get_template("dataset_card.md.j2").render(manifest=manifest, recipe=recipe, splits=SPLITS)
    (folder / "dataset" / "README.md").write_text(card)
    (folder / "dataset" / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")
    return manifest


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
            "capable_applications": sorted(catalog.capabilities[task.capability].applications),
            "phrasings": len(task.say),
        }
        for task in catalog.tasks.values()
    ]
    write_rows(folder / "atomic_tasks.parquet", "atomic_tasks", tasks)


def _statistics(tasks: pa.Table) -> Manifest:
    """Figures that a reader of the card wants, all computed from the rows."""
    singles = tasks.filter(pc.field("shape") == "singleton")
    sizes = pc.list_value_length(singles["valid_applications"])
    recurrences = Counter(singles["masked_text"].to_pylist()).values()
    return {
        "shapes": {entry["values"]: entry["counts"] for entry in pc.value_counts(tasks["shape"]).to_pylist()},
        "mean_valid_applications": round(pc.mean(sizes).as_py(), 4),
        "share_that_addresses_its_application": round(pc.mean(singles["names_application"].cast(pa.int8())).as_py(), 4),
        "mean_words": round(sum(len(text.split()) for text in tasks["text"].to_pylist()) / max(tasks.num_rows, 1), 2),
        "masked_texts": {"distinct": len(recurrences), "most_often": max(recurrences, default=0)},
    }


def publish(data: DataFolder, name: str, folder: Path) -> Path:
    """Point the name at a dataset that is whole; the path that the name now has."""
    label = data.labels / name
    point_label(label, folder / "dataset")
    return label


def summary(manifest: Mapping[str, Any]) -> str:
    """The dataset in a few lines of Markdown, for a flow's page."""
    return _TEMPLATES.get_template("summary.md.j2").render(manifest=manifest)
