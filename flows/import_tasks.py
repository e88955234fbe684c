"""Import a user's own tasks: a file becomes a dataset that is scored and queried like a built one."""

import hashlib
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from atomic_tasks.catalog import Catalog
from atomic_tasks.names import named_in
from atomic_tasks.pinned import candidates_of
from atomic_tasks.problems import BadInput, suggestion
from compositions.splits import SPLITS
from flows.facts import shape_of
from flows.pipeline import Built, read_declared
from flows.publish import Manifest, data_file, data_files, described_files, digest, intact, publish, write_catalog, write_described
from flows.recipe import RECIPES_ROOT
from flows.statistics import statistics
from flows.task_file import read_tasks
from warehouse.layout import DataFolder, fetch, sweep, written_folder
from warehouse.parquet import SCHEMAS, write_rows, write_table

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
Row = dict[str, Any]


def import_tasks(path: Path, name: str, candidates: str, data: DataFolder) -> Built:
    """Publish the tasks of a file under the name; an existing dataset of the same rows and candidates is not written again.

    `candidates` names the candidate list of the tasks' applications. BadInput holds every problem of the file at once.
    """
    _check_name(name)
    content = path.read_bytes()
    catalog, _ = read_declared()
    if candidates not in catalog.candidates:
        raise BadInput(f"no candidate list '{candidates}'{suggestion(candidates, catalog.candidates)} (lists: {', '.join(catalog.candidates)})")
    rows = [_row(task, catalog) for task in read_tasks(path, content, catalog, candidates)]
    pinned = candidates_of(catalog, candidates).described()
    identity = digest({"rows": rows, "candidates": pinned})
    folder = data.datasets / identity
    with data.locked("build"):
        sweep(data.datasets)
        fetch(folder)
        there = intact(folder)
        if there is not None:
            return Built(name, identity, publish(data, name, folder), there, was_there=True)
        with written_folder(folder) as unpublished:
            described = {"dataset": name, "dataset_id": identity, "made_from": _made_from(path, content, candidates), "candidates": pinned}
            manifest = _write_dataset(unpublished, rows, catalog, described)
        return Built(name, identity, publish(data, name, folder), manifest, was_there=False)


def _check_name(name: str) -> None:
    if (RECIPES_ROOT / f"{name}.yaml").is_file():
        raise BadInput(f"'{name}' is the name of a recipe, so the dataset would replace what the recipe builds: choose another --name")
    if not _NAME.fullmatch(name):
        raise BadInput(f"'{name}' cannot name a dataset: use up to 100 letters, digits, _ . and -, and begin with a letter or digit")


def _made_from(path: Path, content: bytes, candidates: str) -> Manifest:
    """Return the origin for the manifest; the fields that evaluations and the warehouse read are as in a built dataset."""
    return {
        "imported_from": {"file": path.name, "sha256": hashlib.sha256(content).hexdigest()},
        "recipe": {"title": f"Imported from {path.name}", "candidates": candidates},
    }


def _write_dataset(folder: Path, rows: list[Row], catalog: Catalog, described: Manifest) -> Manifest:
    """Write all files of a dataset into an unpublished folder; return its manifest."""
    table = pa.Table.from_pylist(rows, schema=SCHEMAS["user_tasks"])  # the columns that only built rows have are null
    for split in SPLITS:
        write_table(data_file(folder, split), "user_tasks", table.filter(pc.equal(table["split"], split)))
    write_rows(folder / "rejected.parquet", "rejected", [])
    write_catalog(folder / "catalog", catalog)
    manifest: Manifest = {
        **described,
        "built_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "rows": {"made": len(rows), "accepted": len(rows), "rejected": 0, "rejected_by_stage_and_reason": {}},
        "files": described_files(folder),
        "statistics": statistics(data_files(folder), atomic_tasks=()),
    }
    write_described(folder, manifest, "imported_card.md.j2")
    return manifest


def _row(task: Mapping[str, Any], catalog: Catalog) -> Row:
    """Return the row of a task, with all values that follow from its line."""
    text, nodes = task["text"], task["nodes"]
    shape = shape_of(task["edges"], len(nodes))
    alone = nodes[0] if shape == "singleton" else {"target_application": None, "valid_applications": []}
    target = alone["target_application"]
    names_application = any(named_in(text, catalog.applications[name]) for name in alone["valid_applications"])
    return {
        "task_id": digest([text, nodes]),
        "text": text,
        "masked_text": text,
        **alone,
        "category": catalog.applications[target].category if target else None,
        "split": task["split"],
        "shape": shape,
        "nodes": nodes,
        "edges": task["edges"],
        "naming": "application" if names_application else "none",
        "names_application": names_application,
        "style": "imported",
        "says_goal": False,
        "has_typo": False,
        "composition_id": digest(text),
        "composition_kind": "imported",
        "atomic_tasks": [],
        "dropped_steps": [],
        "said_tasks": [],
        "drop_out_rate": 0.0,
        "locale": "unknown",
        "arguments": [],
        "row_seed": f"imported/{task['line']}",
    }
