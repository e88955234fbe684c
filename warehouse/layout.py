"""The places of all files in the data folder, and writing them so that a killed process never leaves half a file.

The folder is all there is, or it is this host's mirror of an object store: `stores` has both, and docs/object_store.md tells of the latter.

data/datasets/<name>             a label: a link to the dataset below
data/store/datasets/<id>/        dataset/ (data/*.parquet, manifest.json, README.md, data_docs/), catalog/, rejected.parquet
data/store/shards/<address>.parquet
data/store/vectors/<hash>.npy    embeddings of the tasks that selectors learn from
data/runs/<run_id>/              run.json, predictions/*.parquet; for episodes suite_run.json, trajectories/, faults.jsonl, */*.parquet
data/sweeps/<sweep_id>.json      a sweep: what it is, and its cells with their runs
data/machines/                   images of machines: roots/<hash of the packages in it>, homes/<hash>; links in current/ say which root is used
data/suites/<name>/               a published suite: data/episodes.parquet, manifest.json, README.md
data/imported/<name>/             a suite of other people's task files: suite.yaml, tasks.json, tasks/, files/, files.json, missing.txt, README.md
data/task_files/                 files that imported tasks fetch, by their address, and manifest.json with their hashes
data/proofs/<hash>.json          proofs of episodes, by the hash of what was proven
data/quality/<study_id>/         study.json, rate.html, sheets/*.csv, ratings/*.parquet
data/judging/                    judgements/<judge>.jsonl, labels/<labeller>.jsonl, reviews/<suite>.jsonl
data/pools/                      argument values that a language model gave, with their origin
data/drafts/                     catalog entries that a language model proposed, for a person to review
data/model_calls.sqlite          every complete answer of a language model, and the ledger of calls
data/warehouse.duckdb
data/report/                     the site that `deskmill report` writes
"""

import contextlib
import os
import secrets
import shutil
import socket
import tempfile
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from warehouse.stores.disk import roomy
from warehouse.stores.opening import data_root, store_of

_HOST = 32  # characters of a host's name: names of files may have 255 bytes
OF_EPISODES = ("trajectories", "rollouts")  # folders of a run that the warehouse does not read


@dataclass(frozen=True)
class DataFolder:
    """The data folder and the places in it."""

    root: Path

    @classmethod
    def from_environment(cls) -> "DataFolder":
        """Return the folder that DESKMILL_DATA names, or `data` in the working directory; of an object store its mirror.

        WarehouseError if the store cannot be used.
        """
        return cls(data_root())

    @property
    def shards(self) -> Path:
        """Shards by address."""
        return self.root / "store" / "shards"

    @property
    def datasets(self) -> Path:
        """Datasets by id."""
        return self.root / "store" / "datasets"

    @property
    def labels(self) -> Path:
        """Links from dataset names to datasets."""
        return self.root / "datasets"

    @property
    def runs(self) -> Path:
        """Runs by id."""
        return self.root / "runs"

    @property
    def sweeps(self) -> Path:
        """Sweeps by id."""
        return self.root / "sweeps"

    @property
    def quality(self) -> Path:
        """Quality studies by id."""
        return self.root / "quality"

    @property
    def judging(self) -> Path:
        """What people and models judged: results in pairs, failed episodes, and tasks."""
        return self.root / "judging"

    @property
    def pools(self) -> Path:
        """Pools that a language model refilled."""
        return self.root / "pools"

    @property
    def drafts(self) -> Path:
        """Catalog entries that a language model proposed."""
        return self.root / "drafts"

    @property
    def vectors(self) -> Path:
        """Embeddings, which take minutes to make."""
        return self.root / "store" / "vectors"

    @property
    def model_calls(self) -> Path:
        """The cache of answers of language models, and the ledger of calls."""
        return self.root / "model_calls.sqlite"

    @property
    def models(self) -> Path:
        """The user's own models, beside those of the registry."""
        return self.root / "models.yaml"

    @property
    def machines(self) -> Path:
        """Images of machines."""
        return self.root / "machines"

    @property
    def suites(self) -> Path:
        """Published suites by name."""
        return self.root / "suites"

    @property
    def imported(self) -> Path:
        """Imported suites by name."""
        return self.root / "imported"

    @property
    def task_files(self) -> Path:
        """The cache of files that imported tasks fetch."""
        return self.root / "task_files"

    @property
    def proofs(self) -> Path:
        """Proofs of episodes."""
        return self.root / "proofs"

    @property
    def warehouse(self) -> Path:
        """The DuckDB file."""
        return self.root / "warehouse.duckdb"

    @property
    def report(self) -> Path:
        """The report's folder."""
        return self.root / "report"

    @contextlib.contextmanager
    def locked(self, name: str) -> Iterator[None]:
        """Hold the lock of that name; it is released when the process ends, also after a kill."""
        with store_of(self.root).locked(self._lock(name)):
            yield

    @contextlib.contextmanager
    def free(self, name: str) -> Iterator[bool]:
        """Yield whether the lock of that name is free; if so, hold it during the block."""
        with store_of(self.root).free(self._lock(name)) as is_free:
            yield is_free

    def _lock(self, name: str) -> Path:
        return self.root / f".{name}.lock"


def fetch(*places: Path, without: Collection[str] = ()) -> None:
    """Before reading: bring what others wrote at and below places of the data folder, save in folders of the names `without`."""
    if places:
        store_of(places[0]).fetch(*places, without=without)


def keep(path: Path) -> None:
    """After a file was changed in its place: keep it as it is now."""
    store_of(path).keep(path, path)


@contextlib.contextmanager
def written_file(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`; if the block ends without an error, it is synced and takes the place of `path`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = _aside(path)
    try:
        with roomy(path.parent):
            yield temporary
            _sync(temporary)
        if store_of(path).keep(temporary, path):
            temporary.replace(path)
            _sync(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def written_folder(path: Path) -> Iterator[Path]:
    """Yield a temporary folder beside `path`; if the block ends without an error, it is synced and takes the place of `path`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent))
    temporary.chmod(0o755)
    try:
        with roomy(path.parent):
            yield temporary
            for inner in temporary.rglob("*"):
                _sync(inner)
        if store_of(path).keep(temporary, path):
            if path.exists():
                path.rename(temporary.with_suffix(".old"))
            temporary.rename(path)
            _sync(path.parent)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
        shutil.rmtree(temporary.with_suffix(".old"), ignore_errors=True)


def point_label(label: Path, target: Path) -> None:
    """Make `label` a link to `target`; an older link is replaced in one step."""
    leads_to = os.path.relpath(target, label.parent)
    store_of(label).keep_label(label, leads_to)
    label.parent.mkdir(parents=True, exist_ok=True)
    temporary = _aside(label)
    temporary.symlink_to(leads_to)
    temporary.replace(label)
    _sync(label.parent)


def sweep(folder: Path) -> None:
    """Remove the temporary files of killed processes; call it while you hold the lock of the folder's writers."""
    for left in [*folder.glob(".*.tmp"), *folder.glob(".*.old")]:
        shutil.rmtree(left) if left.is_dir() and not left.is_symlink() else left.unlink()
    store_of(folder).sweep(folder)


def _aside(path: Path) -> Path:
    """Return a temporary path beside `path`: hosts that share a folder have processes of the same number, so it is of this host, and random."""
    return path.with_name(f".{path.name}.{socket.gethostname()[:_HOST]}.{secrets.token_hex(8)}.tmp")


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
