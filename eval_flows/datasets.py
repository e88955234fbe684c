"""Published datasets, as evaluations open them."""

import json
from dataclasses import dataclass
from pathlib import Path

from atomic_tasks.pinned import Candidates, pinned_candidates
from atomic_tasks.problems import BadInput, suggestion
from warehouse.layout import DataFolder, fetch


@dataclass(frozen=True)
class Dataset:
    """A published dataset: what a run needs of its manifest, and where its Parquet lies."""

    name: str
    dataset_id: str
    candidates: Candidates
    folder: Path


def open_dataset(name: str, data: DataFolder) -> Dataset:
    """The dataset of that name, with its candidates as pinned in it; BadInput says which datasets there are, or that it pins none."""
    fetch(data.labels)
    label = data.labels / name
    if label.is_symlink():
        fetch(label.resolve().parent)
    if not (label / "manifest.json").is_file():
        known = sorted(path.name for path in data.labels.glob("[!.]*"))
        there = f"datasets: {', '.join(known)}" if known else "there is none yet"
        raise BadInput(f"no dataset '{name}'{suggestion(name, known)} ({there}; make it with: deskmill build {name})")
    return published(name, label)


def published(name: str, folder: Path) -> Dataset:
    """The dataset in a folder, under that name; BadInput where it does not hold its candidates."""
    manifest = json.loads((folder / "manifest.json").read_text())
    if "candidates" not in manifest:
        imported = "imported_from" in manifest["made_from"]
        again = f"import its file again (deskmill import FILE --name {name})" if imported else f"build it again (deskmill build {name})"
        raise BadInput(f"dataset '{name}' is from before datasets held their candidates and kept what their splits say apart: {again}")
    return Dataset(name, manifest["dataset_id"], pinned_candidates(manifest["candidates"]), folder.resolve())
