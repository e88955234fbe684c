"""Protects those who load and read at once: loads never collide, readers see the old or the new and never half, a kill leaves the old."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from warehouse.layout import DataFolder
from warehouse.loader import load_warehouse
from warehouse.parquet import write_rows
from warehouse.query import connect, rows_of

TASKS = 2_000
COUNTS = "select (select count(*) from runs) as runs, (select count(*) from predictions) as predictions, (select count(*) from user_tasks) as tasks"
LOAD = """
import sys
from pathlib import Path
from warehouse.layout import DataFolder
from warehouse.loader import load_warehouse
for _ in range(int(sys.argv[2])):
    load_warehouse(DataFolder(Path(sys.argv[1])))
"""
READ = """
import json, sys
from pathlib import Path
from warehouse.layout import DataFolder
from warehouse.query import connect, rows_of
data, stop, seen = DataFolder(Path(sys.argv[1])), Path(sys.argv[2]), []
print("reading", flush=True)
while not stop.is_file():
    connection = connect(data.warehouse)
    seen.append(tuple(rows_of(connection, sys.argv[3])[0].values()))
    connection.close()
print(json.dumps({"times": len(seen), "seen": sorted(set(seen))}))
"""


def started(script: str, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", script, *arguments]
    return subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ended(process: subprocess.Popen[str]) -> str:
    out, error = process.communicate(timeout=120)
    assert process.returncode == 0, error
    return out


def put_dataset(data: DataFolder) -> None:
    folder = data.datasets / "d"
    for table in ("applications", "atomic_tasks"):
        write_rows(folder / "catalog" / f"{table}.parquet", table, [])
    row = {"text": "t", "masked_text": "t", "target_application": "excel", "naming": "none", "names_application": False, "style": "plain", "says_goal": False,
           "has_typo": False, "composition_kind": "single", "atomic_tasks": ["excel.sum_column"], "dropped_steps": [], "said_tasks": [], "drop_out_rate": 0.0, "locale": "en",
           "arguments": [], "row_seed": "", "valid_applications": ["excel"], "category": "Office", "split": "test", "shape": "singleton", "nodes": [],
           "edges": []}  # fmt: skip
    rows = [row | {"task_id": str(number), "composition_id": str(number)} for number in range(TASKS)]
    write_rows(folder / "dataset" / "data" / "test-00000-of-00001.parquet", "user_tasks", rows)
    manifest = {"dataset": "mine", "dataset_id": "d", "built_at": "2026-01-01T00:00:00+00:00", "made_from": {"recipe": {"title": "Mine"}},
                "rows": {"accepted": TASKS, "made": TASKS, "rejected": 0}}  # fmt: skip
    (folder / "dataset" / "manifest.json").write_text(json.dumps(manifest))


def put_run(data: DataFolder, run_id: str) -> None:
    """A run over all tasks of the dataset."""
    row = {"run_id": run_id, "predicted_applications": [], "predicted_edges": [], "status": "empty", "is_correct": False, "retrieved": [],
           "calls": [], "input_tokens": 0, "output_tokens": 0, "latency_ms": 0.0, "cost_usd": 0.0}  # fmt: skip
    rows = [row | {"task_id": str(number), "position": number} for number in range(TASKS)]
    write_rows(data.runs / run_id / "predictions" / "00000.parquet", "predictions", rows)
    run = {"run_id": run_id, "dataset": "mine", "dataset_id": "d", "protocol": "random", "model": "some", "sampling": "", "split": "test",
           "candidates": ["excel"], "started_at": "2026-01-01T00:00:00+00:00"}  # fmt: skip
    (data.runs / run_id / "run.json").write_text(json.dumps(run))


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    folder = DataFolder(tmp_path / "data")
    put_dataset(folder)
    put_run(folder, "one")
    load_warehouse(folder)
    return folder


def counts(data: DataFolder) -> dict[str, int]:
    connection = connect(data.warehouse)
    try:
        (row,) = rows_of(connection, COUNTS)
    finally:
        connection.close()
    return row


def left_over(data: DataFolder) -> list[Path]:
    return list(data.root.glob(".warehouse.duckdb.*"))


def test_two_loads_at_once_and_a_reader_all_the_while(data: DataFolder, tmp_path: Path) -> None:
    reader = started(READ, str(data.root), str(tmp_path / "stop"), COUNTS)
    assert reader.stdout and reader.stdout.readline() == "reading\n"
    put_run(data, "two")  # complete before any load begins: readers may see it or not, and never a part of it
    loads = [started(LOAD, str(data.root), "3") for _ in range(2)]
    for load in loads:
        ended(load)
    (tmp_path / "stop").touch()
    found = json.loads(ended(reader))
    assert found["seen"] == [[1, TASKS, TASKS], [2, 2 * TASKS, TASKS]], found
    assert found["times"] > 6, "the reader has to have been reading while the loads went on"
    assert counts(data) == {"runs": 2, "predictions": 2 * TASKS, "tasks": TASKS} and left_over(data) == []


def test_a_kill_during_a_load_leaves_the_old_file_and_the_next_rebuild_no_litter(data: DataFolder) -> None:
    before, expected = data.warehouse.read_bytes(), counts(data)
    put_run(data, "two")
    load = started(LOAD, str(data.root), "100")
    deadline = time.monotonic() + 60
    while not left_over(data) and time.monotonic() < deadline:
        time.sleep(0.001)
    load.kill()
    load.communicate()
    assert left_over(data), "the load was not killed at work"
    assert data.warehouse.read_bytes() == before and counts(data) == expected
    load_warehouse(data)
    assert left_over(data) == [] and counts(data)["runs"] == 2


def test_an_open_connection_goes_on_reading_the_old_file_after_a_swap(data: DataFolder) -> None:
    connection = connect(data.warehouse)
    put_run(data, "two")
    ended(started(LOAD, str(data.root), "1"))
    assert rows_of(connection, COUNTS)[0]["runs"] == 1
    connection.close()
    assert counts(data)["runs"] == 2
