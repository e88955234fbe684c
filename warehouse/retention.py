"""Retention: remove sweeps and runs that newer ones replace, and datasets, shards and vectors that nothing refers to.

Everything stays that a label, a quality study, a remaining sweep or run refers to, that was made within the hour, or that a running process
has locked. The cost of a removed run stays known: `model_calls.sqlite` with answers and calls of language models is not changed.
"""

import contextlib
import hashlib
import json
import os
import re
import shutil
import stat
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from warehouse.errors import WarehouseError
from warehouse.layout import OF_EPISODES, DataFolder, fetch
from warehouse.loader import load_warehouse
from warehouse.query import rendered
from warehouse.stores.opening import store_of

_HOUR = 3600.0  # seconds
_DAY = 24 * _HOUR
_KEPT_APART = {  # runs by the file that describes them: of runs with equal values of these keys, a newer one replaces an older one
    "run.json": ("dataset", "protocol", "model", "split", "answer_kind"),
    "suite_run.json": ("suite", "agent", "start", "machine"),
}
_IN_OLDER_FILES = {"answer_kind": "application", "machine": "sandbox"}  # files without the key mean this value
# in `sampling` of a run: the tasks that it learnt from and the embedder; a hash of both names the vectors
_POOL = re.compile(r"\d+ tasks of [0-9a-f]{16} \([0-9a-f]{16}\)")
_EMBEDDER = re.compile(r"[^\s\";]+:[0-9a-f]{16}")
Json = dict[str, Any]


@dataclass(frozen=True)
class Removed:
    """Something that was or would be removed: its kind, its path, the reason, and its size in bytes."""

    kind: str
    path: Path
    reason: str
    size: int


@dataclass(frozen=True)
class Pruned:
    """What was removed, sentences on what was left for now, and whether this was a dry run."""

    removed: tuple[Removed, ...]
    left: tuple[str, ...]
    dry_run: bool

    def __str__(self) -> str:
        verb = "would be removed" if self.dry_run else "removed"
        total = sum(one.size for one in self.removed)
        rows = [(one.kind, one.path.name, f"{one.size / 1e6:,.2f}", one.reason) for one in self.removed]
        table = [rendered(("kind", "name", "megabytes", "reason"), rows, "table")] if rows else []
        return "\n".join([*table, f"{len(rows)} thing{'s' * (len(rows) != 1)} {verb}, {total / 1e6:,.2f} megabytes", *self.left])


def prune(data: DataFolder, keep: int, older_than: float | None = None, dry_run: bool = False) -> Pruned:
    """Keep the newest `keep` runs of each kind, and remove everything that nothing refers to.

    Runs of one kind share dataset name, protocol, model, split and kind of answer, or suite, agent, start and kind of machine.
    `older_than`, in days, keeps everything that was changed since. The warehouse is made again afterwards. A dry run changes
    nothing. WarehouseError if `keep` is below 1 or `older_than` below 0.
    """
    if keep < 1:
        raise WarehouseError(f"--keep {keep} would remove every run: keep 1 or more")
    if older_than is not None and older_than < 0:
        raise WarehouseError(f"--older-than {older_than:g} is in the future: give 0 days or more")
    before = time.time() - max(_HOUR, (older_than or 0) * _DAY)
    with contextlib.ExitStack() as locks:
        if not dry_run:
            locks.enter_context(data.locked("warehouse"))  # a load must not read files while they are removed
        fetch(data.labels, data.quality, data.sweeps, data.datasets, data.shards, data.vectors)
        fetch(data.runs, without=OF_EPISODES)
        sweeps, runs_of_sweeps = _prune_sweeps(data, keep, before, dry_run)
        removed, left = _prune_runs(data, keep, before, dry_run, runs_of_sweeps)
        removed = sweeps + removed
        gone = {one.path.name for one in removed}
        staying = [run for run in _runs(data, "run.json") if run["run_id"] not in gone]
        if locks.enter_context(data.free("build")):
            removed += _prune_store(data, staying, before, dry_run)
            removed += [_remove("litter", path, "left by a killed process", dry_run) for path in _litter(data) if _last_change(path) <= before]
        else:
            left.append("a dataset is being built, so datasets, shards and vectors were kept: run the same command again afterwards")
    if not dry_run:
        load_warehouse(data)
    return Pruned(tuple(removed), tuple(left), dry_run)


def _litter(data: DataFolder) -> list[Path]:
    """Return the temporary files and folders; their processes rename or remove them unless they are killed."""
    folders = (data.root, *(path for path in data.runs.glob("*/*") if path.is_dir()))
    return sorted(path for folder in folders for pattern in (".*.tmp", ".*.old") for path in folder.glob(pattern))


def _runs(data: DataFolder, described_by: str) -> list[Json]:
    return [json.loads(path.read_text()) for path in sorted(data.runs.glob(f"*/{described_by}"))]


def _prune_sweeps(data: DataFolder, keep: int, before: float, dry_run: bool) -> tuple[list[Removed], set[str]]:
    """Remove sweeps beyond the newest `keep` of their name; return also the runs that the remaining ones refer to."""
    named: dict[str, list[Json]] = defaultdict(list)
    for path in data.sweeps.glob("[!.]*.json"):
        sweep = json.loads(path.read_text())
        named[sweep["sweep"]].append(sweep)
    removed, runs = [], set()
    for name, sweeps in sorted(named.items()):
        for place, sweep in enumerate(sorted(sweeps, key=lambda sweep: (sweep["started_at"], sweep["sweep_id"]), reverse=True)):
            path = data.sweeps / f"{sweep['sweep_id']}.json"
            if place >= keep and path.stat().st_mtime <= before:
                removed.append(_remove("sweep", path, f"{keep} newer of {name}", dry_run))
            else:
                runs |= {cell["run_id"] for cell in sweep["cells"]}
    return removed, runs


def _prune_runs(data: DataFolder, keep: int, before: float, dry_run: bool, kept: set[str]) -> tuple[list[Removed], list[str]]:
    """Remove runs beyond the newest `keep` of their kind that are not in `kept`, and folders of runs whose removal was interrupted."""
    folders = [path for path in data.runs.glob("*") if path.is_dir()]
    reasons = {path.name: "half removed" for path in folders if not any((path / name).is_file() for name in _KEPT_APART)}
    for described_by, apart in _KEPT_APART.items():
        kinds: dict[str, list[Json]] = defaultdict(list)
        for run in _runs(data, described_by):
            kinds[json.dumps([run.get(name, _IN_OLDER_FILES.get(name)) for name in apart])].append(run)
        for runs in kinds.values():
            beyond = sorted(runs, key=lambda run: (run["started_at"], run["run_id"]), reverse=True)[keep:]
            reasons |= {
                run["run_id"]: f"{keep} newer of {', '.join(_name(run[name]) for name in apart[:3])}" for run in beyond if run["run_id"] not in kept
            }
    removed, left = [], []
    for run_id, reason in sorted(reasons.items()):
        folder = data.runs / run_id
        if _last_change(folder) > before:
            continue
        with data.free(f"run-{run_id}") as is_free:
            if is_free:
                removed.append(_remove("run", folder, reason, dry_run))
            else:
                left.append(f"run {run_id} is in progress, so it was kept")
    return removed, left


def _name(value: str | Json) -> str:
    """Return the name of a value that tells runs apart; an agent has settings beside its name."""
    return str(value["name"]) if isinstance(value, dict) else value


def _prune_store(data: DataFolder, runs: list[Json], before: float, dry_run: bool) -> list[Removed]:
    """Remove datasets that no label, study or run refers to, and shards and vectors that no remaining dataset or run refers to."""
    referred = {path.resolve().parent.name for path in data.labels.glob("*")} | {run["dataset_id"] for run in runs}
    referred |= {json.loads(path.read_text())["dataset_id"] for path in data.quality.glob("*/study.json")}
    learnt_from = " ".join(run["sampling"] for run in runs)
    removed, staying = [], []
    for folder in sorted(path for path in data.datasets.glob("*") if path.is_dir()):
        manifest = folder / "dataset" / "manifest.json"
        if folder.name in referred or folder.name in learnt_from or _last_change(folder) > before:
            staying.append(manifest)
        else:
            removed.append(_remove("dataset", folder, "no name, run or study refers to it", dry_run))
    manifests = [json.loads(path.read_text()) for path in staying if path.is_file()]
    shards = _unreferred_shards(data, [manifest["made_from"] for manifest in manifests])
    vectors = [path for path in data.vectors.glob("*.npy") if path.stem not in _vectors_of(runs)]
    for kind, paths, reason in (("shard", shards, "no dataset refers to it"), ("vectors", vectors, "no run has learnt from it")):
        removed += [_remove(kind, path, reason, dry_run) for path in sorted(paths) if path.stat().st_mtime <= before]
    return removed


def _unreferred_shards(data: DataFolder, made_from: list[Json]) -> list[Path]:
    """Return shards whose address no dataset states; for paraphrased shards a dataset states the hash of their bytes."""
    addresses = {address for source in made_from for address in source.get("shards", {}).values()}
    hashes = {sha256 for source in made_from for sha256 in source.get("paraphrased_shards", {}).values()}
    return [path for path in data.shards.glob("*.parquet") if path.stem not in addresses and not (hashes and _sha256(path) in hashes)]


def _vectors_of(runs: list[Json]) -> set[str]:
    """Return the names of the vectors that runs learnt from, as `eval_flows.selection.selectors.pool` names them."""
    pairs = [(embedder, pool) for run in runs for pool in _POOL.findall(run["sampling"]) for embedder in _EMBEDDER.findall(run["sampling"])]
    return {hashlib.blake2b(f"{embedder}\n{pool}".encode(), digest_size=16).hexdigest() for embedder, pool in pairs}


def _remove(kind: str, path: Path, reason: str, dry_run: bool) -> Removed:
    """Remove a file or folder. Of a run or dataset, first remove the file by which others find it: no one then reads half of it after a kill."""
    size = sum(found.st_size for found in _looked_at(path) if stat.S_ISREG(found.st_mode))
    found_by = (*_KEPT_APART, "dataset/manifest.json")
    if not dry_run:
        store_of(path).remove(path, found_by)
    if not dry_run and path.is_dir():
        for name in found_by:
            (path / name).unlink(missing_ok=True)
        shutil.rmtree(path)
    elif not dry_run:
        path.unlink()
    return Removed(kind, path, reason, size)


def _looked_at(path: Path) -> Iterator[os.stat_result]:
    """Yield the status of a path and of everything in it; temporary files of a running process may vanish meanwhile."""
    for inner in [path, *path.rglob("*")]:
        with contextlib.suppress(FileNotFoundError):
            yield inner.stat()


def _last_change(path: Path) -> float:
    """Return when anything at a path last changed, in seconds since the epoch."""
    return max((found.st_mtime for found in _looked_at(path)), default=time.time())


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
