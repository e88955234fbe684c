"""Protects retention: the newest runs and all that is referred to stay, the rest goes, and nothing that is new or at work is touched."""

import fcntl
import json
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from eval_flows.selection.selectors.options import SelectorOptions
from eval_flows.selection.selectors.pool import Pool, pool_vectors
from eval_flows.selection.tasks import Task
from warehouse.errors import WarehouseError
from warehouse.layout import DataFolder, point_label
from warehouse.loader import load_warehouse
from warehouse.parquet import write_rows
from warehouse.query import connect, rows_of
from warehouse.retention import prune

DAY = 86_400


def put_run(data: DataFolder, number: int, dataset_id: str = "d" * 16, protocol: str = "random", **other: Any) -> str:
    """A run that started on that day of January; its files are two days old."""
    run_id = f"{protocol[0].encode().hex()}{number:014}"
    run = {"run_id": run_id, "dataset": "mine", "dataset_id": dataset_id, "protocol": protocol, "model": "some", "prompt": None, "sampling": "",
           "split": "test", "answer_kind": "application", "candidates": ["excel"], "started_at": f"2026-01-{number:02}T00:00:00+00:00"} | other  # fmt: skip
    folder = data.runs / run_id
    prediction = {"run_id": run_id, "task_id": "a", "position": 0, "predicted_applications": [], "predicted_edges": [], "status": "empty",
                  "is_correct": False, "retrieved": [], "calls": [], "input_tokens": 0, "output_tokens": 0, "latency_ms": 0.0, "cost_usd": 0.0}  # fmt: skip
    write_rows(folder / "predictions" / "00000.parquet", "predictions", [prediction])
    (folder / "run.json").write_text(json.dumps(run))
    (data.root / f".run-{run_id}.lock").touch()
    age(folder)
    return run_id


def put_dataset(data: DataFolder, dataset_id: str, label: str | None, **made_from: Any) -> None:
    folder = data.datasets / dataset_id
    for table in ("applications", "atomic_tasks"):
        write_rows(folder / "catalog" / f"{table}.parquet", table, [])
    write_rows(folder / "dataset" / "data" / "test-00000-of-00001.parquet", "user_tasks", [])
    manifest = {"dataset": "mine", "dataset_id": dataset_id, "built_at": "2026-01-01T00:00:00+00:00",
                "rows": {"accepted": 0, "made": 0, "rejected": 0}, "made_from": {"recipe": {"title": "Mine"}, **made_from}}  # fmt: skip
    (folder / "dataset" / "manifest.json").write_text(json.dumps(manifest))
    if label:
        point_label(data.labels / label, folder / "dataset")
    age(folder)


def put_file(path: Path, content: bytes = b"x") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    age(path)
    return path


def age(path: Path, days: float = 2) -> None:
    for inner in [*path.rglob("*"), path]:
        os.utime(inner, (time.time() - days * DAY,) * 2)


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    folder = DataFolder(tmp_path / "data")
    put_dataset(folder, "d" * 16, "mine")
    return folder


def runs_in_warehouse(data: DataFolder) -> set[str]:
    connection = connect(data.warehouse)
    found = {row["run_id"] for row in rows_of(connection, "select run_id from runs")}
    connection.close()
    return found


def test_the_newest_runs_of_each_kind_stay(data: DataFolder) -> None:
    old, middle, new = (put_run(data, number) for number in (1, 2, 3))
    others = {put_run(data, 1, protocol="heuristic"), put_run(data, 1, protocol="nearest", split="all")}
    pruned = prune(data, keep=2)
    assert [(one.kind, one.path.name) for one in pruned.removed] == [("run", old)]
    assert pruned.removed[0].size > 0 and "1 thing removed" in str(pruned)
    assert runs_in_warehouse(data) == {middle, new} | others == {path.name for path in data.runs.iterdir()}


def test_the_newest_runs_of_each_suite_agent_and_start_stay(data: DataFolder) -> None:
    def put_suite_run(day: int, **other: Any) -> Path:
        run = {"run_id": f"{day}{len(list(data.runs.glob('*')))}", "suite": "smoke", "episodes": ["e"], "agent": {"name": "oracle"}, "image": ["a", "b"],
               "start": "preloaded", "started_at": f"2026-01-{day:02}T00:00:00+00:00"} | other  # fmt: skip
        folder = data.runs / str(run["run_id"])
        put_file(folder / "trajectories" / "e" / "1" / "0.png")
        put_file(folder / "suite_run.json", json.dumps(run).encode())
        age(folder)
        return folder

    old, new, other_image = put_suite_run(1), put_suite_run(2), put_suite_run(3, image=["c", "b"])
    models = [put_suite_run(day, agent={"name": "react", "model": model}) for day, model in ((1, "m"), (2, "n"))]
    others = [put_suite_run(1, start="bare"), put_suite_run(1, suite="desktop"), data.runs / put_run(data, 1)]
    assert [(one.kind, one.path, one.reason) for one in prune(data, keep=2).removed] == [("run", old, "2 newer of smoke, oracle, preloaded")]
    assert set(data.runs.iterdir()) == {new, other_image, *models, *others}


def test_the_newest_sweeps_of_each_name_stay_with_their_runs(data: DataFolder) -> None:
    runs = [put_run(data, number) for number in (1, 2, 3)]

    def put_sweep(name: str, day: int, run_id: str) -> Path:
        sweep = {"sweep_id": f"{name}{day}", "sweep": name, "title": name, "description": "", "suite": "smoke", "start": "preloaded", "budget_usd": None,
                 "started_at": f"2026-01-{day:02}T00:00:00+00:00"}  # fmt: skip
        factors = {"number": 1, "run_id": run_id, "label": "a", "is_scripted": True, "repeats": 1, "factors": {"agent": "a"}, "command": "c"}
        path = put_file(data.sweeps / f"{name}{day}.json", json.dumps(sweep | {"cells": [factors]}).encode())
        age(path)
        return path

    old, new, other = put_sweep("memory", 1, runs[1]), put_sweep("memory", 2, runs[0]), put_sweep("eyes", 1, "gone")
    assert [(one.kind, one.path.name) for one in prune(data, keep=1).removed] == [("sweep", old.name), ("run", runs[1])]
    assert set(data.sweeps.iterdir()) == {new, other} and {path.name for path in data.runs.iterdir()} == {runs[0], runs[2]}


def test_a_dry_run_says_the_same_and_changes_nothing(data: DataFolder) -> None:
    for number in (1, 2, 3):
        put_run(data, number)
    before = {path: path.stat().st_mtime for path in data.root.rglob("*")}
    looked = prune(data, keep=1, dry_run=True)
    assert {path: path.stat().st_mtime for path in data.root.rglob("*")} == before
    assert "2 things would be removed" in str(looked) and looked.removed == prune(data, keep=1).removed


def test_what_is_new_or_locked_or_younger_than_asked_stays(data: DataFolder) -> None:
    locked, touched, old, _ = (put_run(data, number) for number in (1, 2, 3, 4))
    (data.runs / touched / "predictions" / "00000.parquet").touch()
    assert prune(data, keep=1, older_than=3).removed == ()
    with (data.root / f".run-{locked}.lock").open() as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        pruned = prune(data, keep=1)
    assert [one.path.name for one in pruned.removed] == [old]
    assert pruned.left == (f"run {locked} is in progress, so it was kept",)
    assert [one.path.name for one in prune(data, keep=1).removed] == [locked]


def test_datasets_go_when_no_name_run_study_or_learning_refers_to_them(data: DataFolder) -> None:
    for identity in ("1" * 16, "2" * 16, "3" * 16, "4" * 16):
        put_dataset(data, identity, None)
    put_run(data, 1, dataset_id="1" * 16)
    put_run(data, 2, dataset_id="2" * 16)
    put_run(data, 1, protocol="knn", sampling=f"5 nearest of 7 tasks of {'3' * 16} ({'a' * 16}); some:{'b' * 16}")
    put_file(data.quality / "s" / "study.json", json.dumps({"dataset_id": "4" * 16, "study_id": "s", "dataset": "mine", "seed": 0, "items": [],
                                                            "created_at": "2026-01-01T00:00:00+00:00"}).encode())  # fmt: skip
    removed = prune(data, keep=1).removed
    assert [(one.kind, one.path.name) for one in removed] == [("run", put_run_id(1)), ("dataset", "1" * 16)]
    assert {path.name for path in data.datasets.iterdir()} == {"d" * 16, "2" * 16, "3" * 16, "4" * 16}


def put_run_id(number: int) -> str:
    return f"{b'r'.hex()}{number:014}"


def test_shards_that_no_dataset_refers_to_go_and_paraphrased_ones_are_known_by_their_bytes(data: DataFolder) -> None:
    import hashlib

    paraphrased = put_file(data.shards / "c.parquet", b"reworded")
    put_dataset(data, "d" * 16, "mine", shards={"excel": "a"}, paraphrased_shards={"excel": hashlib.sha256(b"reworded").hexdigest()})
    kept, stale = put_file(data.shards / "a.parquet"), put_file(data.shards / "b.parquet")
    fresh = put_file(data.shards / "f.parquet")
    fresh.touch()
    assert [one.path for one in prune(data, keep=1).removed] == [stale]
    assert set(data.shards.iterdir()) == {kept, paraphrased, fresh}


def test_vectors_stay_while_a_run_has_learnt_from_them(data: DataFolder) -> None:
    """By the name that the pool itself gives them."""

    class Fake:
        identity = "some-model:0123456789abcdef"

        def embed(self, texts: list[str]) -> Any:
            return np.zeros((len(texts), 2), np.float32)

    pool = Pool((Task("1", "text", frozenset("c"), ("excel",), "excel", (), ()),), "d" * 16)
    options = SelectorOptions.__new__(SelectorOptions)
    for name, value in {"vectors": data.vectors, "note": lambda *_: None}.items():
        object.__setattr__(options, name, value)
    pool_vectors(pool, Fake(), options)  # type: ignore[arg-type]
    (used,) = data.vectors.iterdir()
    age(used)
    stale = put_file(data.vectors / "stale.npy")
    put_run(data, 1, protocol="linear", sampling=f"logistic regression, C 3, on {pool.identity}; {Fake.identity}")
    put_run(data, 1, protocol="few_shot", sampling=json.dumps({"pool": pool.identity, "embedder": Fake.identity}))
    assert [one.path for one in prune(data, keep=1).removed] == [stale]
    assert list(data.vectors.iterdir()) == [used]


def test_while_a_dataset_is_built_the_store_is_left(data: DataFolder) -> None:
    shard = put_file(data.shards / "b.parquet")
    with data.locked("build"):
        pruned = prune(data, keep=1)
    assert pruned.removed == () and "is being built" in str(pruned) and shard.is_file()


def test_a_removal_that_was_cut_off_is_finished(data: DataFolder) -> None:
    run_id = put_run(data, 1)
    (data.runs / run_id / "run.json").unlink()
    age(data.runs / run_id)
    assert runs_in_warehouse_after_load(data) == set()
    assert [one.reason for one in prune(data, keep=1).removed] == ["half removed"]
    assert list(data.runs.iterdir()) == []


def runs_in_warehouse_after_load(data: DataFolder) -> set[str]:
    load_warehouse(data)
    return runs_in_warehouse(data)


def test_what_killed_processes_left_goes_when_it_is_old(data: DataFolder) -> None:
    run_id = put_run(data, 1)
    old = [put_file(data.runs / run_id / folder / ".00000.parquet.1.tmp") for folder in ("predictions", "steps", "trajectories")]
    young = put_file(data.root / ".report.abc.tmp" / "index.html")
    young.touch()
    assert [one.path for one in prune(data, keep=1).removed] == old
    assert young.is_file()


def test_a_lost_warehouse_is_made_again_from_the_parquet(data: DataFolder) -> None:
    run_id = put_run(data, 1)
    load_warehouse(data)
    first = runs_in_warehouse(data)
    data.warehouse.unlink()
    load_warehouse(data)
    assert runs_in_warehouse(data) == first == {run_id}


@pytest.mark.parametrize(("keep", "older_than", "message"), [(0, None, "keep 1 or more"), (1, -2, "give 0 days or more")])
def test_bad_numbers_are_refused(data: DataFolder, keep: int, older_than: float | None, message: str) -> None:
    with pytest.raises(WarehouseError, match=message):
        prune(data, keep, older_than)
