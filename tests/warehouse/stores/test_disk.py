"""Protects that a full disk is told with what to do, however a library says it, and leaves no half file."""

import errno
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from warehouse.errors import WarehouseError
from warehouse.layout import written_file, written_folder
from warehouse.stores.disk import roomy

_WRITES = """
import sys
from pathlib import Path
import duckdb, numpy, pyarrow as pa
from warehouse.errors import WarehouseError
from warehouse.layout import written_file
from warehouse.parquet import write_table, SCHEMAS
folder = Path(sys.argv[1])
many = pa.table({"rows": numpy.random.default_rng(0).random(400_000)})
def parquet(path):
    pa.parquet.write_table(many, path)
def warehouse(path):
    connection = duckdb.connect(path)
    connection.execute("create table many as select random() from range(1_000_000)")
    connection.close()
import pyarrow.parquet
for write in (parquet, warehouse):
    try:
        with written_file(folder / "made") as path:
            write(path)
    except WarehouseError as error:
        print(error)
    for left in folder.iterdir():
        if left.name == "made" or write is parquet:
            print("left:", left)
        left.unlink()
"""

_ADDS = """
import sys
from pathlib import Path
from eval_flows.episodes.runs.store import append_line
from language_models.cache import Cache
from language_models.errors import ModelError
from warehouse.errors import WarehouseError
from warehouse.layout import DataFolder
from warehouse.loader import load_warehouse
folder = Path(sys.argv[1])
def lines():
    for number in range(10_000):
        append_line(folder / "faults.jsonl", {"fault": "x" * 1000})
def answers():
    cache = Cache(folder / "model_calls.sqlite")
    for number in range(10_000):
        cache.put(str(number), {"said": "x" * 100}, 0, {"text": "x" * 1000, "status": "answered"})
for name, add in (("load", lambda: load_warehouse(DataFolder(folder))), ("lines", lines), ("answers", answers)):
    try:
        add()
    except (WarehouseError, ModelError) as error:
        print(name, error)
    for left in folder.iterdir():
        if name == "load" and left.name != ".warehouse.lock":
            print("left:", left)
        if name != "lines":
            left.unlink()
    if name == "lines":  # the disk stays full: not even an empty cache has room
        try:
            Cache(folder / "model_calls.sqlite")
        except ModelError as error:
            print("no cache", error)
        for left in folder.iterdir():
            left.unlink()
"""


def on_small_disk(script: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    """Run a script with a disk of one megabyte at a folder, which the script is told."""
    folder.mkdir()
    command = ["bwrap", "--dev-bind", "/", "/", "--size", str(2**20), "--tmpfs", str(folder), sys.executable, "-c", script, str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=REPOSITORY, env={**os.environ, "PYTHONPATH": str(REPOSITORY)})


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap, to have a small disk")
def test_a_really_full_disk_is_told_of_parquet_and_of_the_warehouse(tmp_path: Path) -> None:
    small = tmp_path / "small"
    done = on_small_disk(_WRITES, small)
    assert done.stdout.count(f"the disk of {small} is full: free some of it") == 2 and "left:" not in done.stdout, done.stdout + done.stderr


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap, to have a small disk")
def test_a_really_full_disk_is_told_of_a_load_of_lines_and_of_answers(tmp_path: Path) -> None:
    """A load that found no room for all of its tables put half a warehouse in the place of the old one, and said nothing."""
    small = tmp_path / "small"
    done = on_small_disk(_ADDS, small)
    for name in ("load", "lines", "no cache", "answers"):
        assert f"{name} the disk of {small} is full" in done.stdout, done.stdout + done.stderr
    assert "left:" not in done.stdout


@pytest.mark.parametrize("error", [OSError(errno.EDQUOT, "Disk quota exceeded"), sqlite3.OperationalError("database or disk is full")])
def test_other_words_for_it_are_understood(tmp_path: Path, error: Exception) -> None:
    with pytest.raises(WarehouseError, match="is full"), written_folder(tmp_path / "made") as folder:
        (folder / "inner").write_text("half")
        raise error
    assert list(tmp_path.iterdir()) == []


def test_other_errors_stay_what_they_are(tmp_path: Path) -> None:
    with pytest.raises(PermissionError), written_file(tmp_path / "made"):
        raise PermissionError(errno.EACCES, "Permission denied")
    with pytest.raises(ValueError, match="no number"), roomy(tmp_path):
        raise ValueError("no number")
