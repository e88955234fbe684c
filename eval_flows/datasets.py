"""Published datasets, as evaluations open them."""

import json
from dataclasses import dataclass
from pathlib import Path

from atomic_tasks.catalog import Catalog
from atomic_tasks.problems import BadInput, suggestion
from warehouse.layout import DataFolder


@dataclass(frozen=True)
class Dataset:
    """A published dataset: what a run needs of its manifest, and where its Parquet lies."""

    name: str
    dataset_id: str
    candidates: tuple[str, ...]
    folder: Path


def open_dataset(name: str, data: DataFolder, catalog: Catalog) -> Dataset:
    """The dataset of that name; BadInput says which there are."""
    manifest_path = data.labels / name / "manifest.json"
    if not manifest_path.is_file():
        known = sorted(path.parent.name for path in data.labels.glob("*/manifest.json"))
        there = f"datasets: {', '.join(known)}" if known else "there is none yet"
        raise BadInput(f"no dataset '{name}'{suggestion(name, known)} ({there}; make it with: deskmill build {name})")
    manifest = json.loads(manifest_path.read_text())
    candidates = catalog.candidates[manifest["made_from"]["recipe"]["candidates"]].applications
    return Dataset(name, manifest["dataset_id"], candidates, (data.labels / name).resolve())
