"""Protects the build: the same bytes whatever made them, every row accounted for, and only what changed made again."""

import hashlib
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from atomic_tasks.catalog import Catalog
from atomic_tasks.problems import BadInput
from compositions.schema import Workflow
from flows.assemble import assembled
from flows.jobs import shard_jobs
from flows.pipeline import Built, build_dataset
from flows.recipe import Recipe, read_recipe
from narrators.styles import read_styles
from runners.processes import process_pool_map
from tests.conftest import copy_of
from warehouse.layout import DataFolder

REPOSITORY = Path(__file__).parents[2]


def build(recipe: Recipe, data: DataFolder, workers: int = 1) -> Built:
    return build_dataset("tiny", recipe, data, process_pool_map(workers), lambda stage, done, total: None)


def bytes_of(built: Built) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted((built.folder / "data").glob("*.parquet"))}


@pytest.fixture(scope="module")
def first(tiny: DataFolder, tmp_path_factory: pytest.TempPathFactory) -> tuple[Built, DataFolder]:
    data = copy_of(tiny, tmp_path_factory.mktemp("first") / "data")
    return build(read_recipe("tiny")[1], data), data


def test_every_row_is_accounted_for(first: tuple[Built, DataFolder]) -> None:
    built, data = first
    rows = built.manifest["rows"]
    kept = ds.dataset(built.folder / "data").count_rows()
    rejected = pq.read_table(data.datasets / built.dataset_id / "rejected.parquet")
    assert rows["made"] == rows["accepted"] + rows["rejected"]
    assert (kept, rejected.num_rows) == (rows["accepted"], rows["rejected"])
    counted = sum(sum(reasons.values()) for reasons in rows["rejected_by_stage_and_reason"].values())
    assert counted == rows["rejected"] and rejected["reason"].null_count == 0


def test_the_wanted_numbers_are_met_evenly(first: tuple[Built, DataFolder]) -> None:
    rows = ds.dataset(first[0].folder / "data").to_table().to_pylist()
    assert len(rows) == 600
    counts = {
        application: sum(row["target_application"] == application for row in rows) for application in {row["target_application"] for row in rows}
    }
    assert len(counts) == 100 and set(counts.values()) == {6}


def test_rows_are_what_they_claim(first: tuple[Built, DataFolder], catalog: Catalog) -> None:
    for row in ds.dataset(first[0].folder / "data").to_table().to_pylist():
        target = row["target_application"]
        assert target in row["valid_applications"]
        assert row["category"] == catalog.applications[target].category
        assert len(row["dropped_steps"]) < len(row["atomic_tasks"]) or row["says_goal"]
        if row["names_application"]:
            assert row["valid_applications"] == [target]
        telling = [task for number, task in enumerate(row["atomic_tasks"]) if number not in row["dropped_steps"]]
        for task in telling:
            assert set(row["valid_applications"]) <= set(catalog.capabilities[catalog.tasks[task].capability].applications)


def test_again_is_unchanged_and_two_workers_make_the_same_bytes(first: tuple[Built, DataFolder], tmp_path: Path) -> None:
    recipe = read_recipe("tiny")[1]
    again = build(recipe, first[1])
    assert again.was_there and bytes_of(again) == bytes_of(first[0])
    two = build(recipe, DataFolder(tmp_path), workers=2)
    assert not two.was_there and bytes_of(two) == bytes_of(first[0])


def test_lost_files_are_made_again_the_same(first: tuple[Built, DataFolder], tmp_path: Path) -> None:
    shutil.copytree(first[1].root, tmp_path / "copy", symlinks=True)
    data = DataFolder(tmp_path / "copy")
    expected = bytes_of(first[0])
    shard = sorted(data.shards.glob("*.parquet"))[17]
    shard.unlink()
    (data.labels / "tiny" / "data" / "test-00000-of-00001.parquet").unlink()
    rebuilt = build(read_recipe("tiny")[1], data)
    assert bytes_of(rebuilt) == expected
    assert len(rebuilt.manifest["shards_made"]) == 1


def test_a_changed_phrasing_remakes_what_read_it_and_equals_a_cold_build(
    first: tuple[Built, DataFolder], tmp_path: Path, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(first[1].root, tmp_path / "warm", symlinks=True)
    excel = catalog.applications["excel"]
    rows = [row for row in ds.dataset(first[0].folder / "data").to_table().to_pylist() if row["target_application"] == "excel"]
    used = {task for row in rows for number, task in enumerate(row["atomic_tasks"]) if number not in row["dropped_steps"]}
    say = ("total it all up in one go", "Could it be totalled, all of it?", "total it all again")
    chosen = next(task for task in excel.tasks if task.id in used and not task.generic)
    changed = excel.model_copy(update={"tasks": tuple(task.model_copy(update={"say": say}) if task is chosen else task for task in excel.tasks)})
    from flows import pipeline

    declared = pipeline.read_declared()
    altered = (replace(declared[0], applications={**declared[0].applications, "excel": changed}), declared[1])
    monkeypatch.setattr(pipeline, "read_declared", lambda: altered)
    recipe = read_recipe("tiny")[1]
    warm = build(recipe, DataFolder(tmp_path / "warm"))
    cold = build(recipe, DataFolder(tmp_path / "cold"))
    assert "excel" in warm.manifest["shards_made"] and len(warm.manifest["shards_made"]) < 12
    assert len(cold.manifest["shards_made"]) == 100
    assert bytes_of(warm) == bytes_of(cold) != bytes_of(first[0])


def test_a_jobs_address_depends_on_all_that_its_rows_are_made_from(catalog: Catalog, workflows: dict[str, Workflow], tiny_recipe: Recipe) -> None:
    jobs = shard_jobs(catalog, workflows, read_styles(), tiny_recipe)
    other_seed = shard_jobs(catalog, workflows, read_styles(), tiny_recipe.model_copy(update={"seed": 1}))
    assert len({job.address for job in [*jobs, *other_seed]}) == 200
    renamed = jobs[0].model_copy(update={"versions": {**jobs[0].versions, "narrate": "0"}})
    assert renamed.address != jobs[0].address


def test_bytes_change_only_with_a_version() -> None:
    """Golden shards, paraphrased shards and files of the late stage: raise the version of the stage that changed in flows/versions.py, run `make golden`."""
    from tests.flows.golden import GOLDEN_FILE, golden_state

    kept = json.loads(GOLDEN_FILE.read_text())
    now = golden_state()
    assert now["versions"] == kept["versions"], "versions moved: run `make golden` and commit what it writes"
    assert now["sha256"] == kept["sha256"], "bytes changed and no version did"


def test_a_recipe_that_asks_for_too_much_says_where(data: DataFolder, tiny_recipe: Recipe) -> None:
    recipe = tiny_recipe.model_copy(update={"tasks": 20_000, "most_attempts": 1.01, "spare": 0.0})
    with pytest.raises(BadInput, match=r"too few different texts for: .*\(\d+ missing\).*most_attempts"):
        build(recipe, data)
    assert not (data.labels / "tiny").exists()


def test_workers_that_write_elsewhere_are_told(data: DataFolder, tiny_recipe: Recipe, tmp_path: Path) -> None:
    def elsewhere(make: Any, jobs: Any, lost: Any = None, /) -> Any:
        return [make(job, folder=tmp_path / "elsewhere") for job in jobs[:2]]

    with pytest.raises(BadInput, match="made 2 shards elsewhere than in .*DESKMILL_DATA"):
        build_dataset("tiny", tiny_recipe, data, elsewhere, lambda stage, done, total: None)
    assert not list(data.datasets.glob("*"))


def test_rows_that_fail_the_gate_are_named_and_nothing_is_published(data: DataFolder, tiny_recipe: Recipe, monkeypatch: pytest.MonkeyPatch) -> None:
    from flows import publish

    def wrong(*given: Any) -> Iterator[pl.DataFrame]:
        nonsense = pl.when(pl.col("target_application") == "excel").then(pl.lit("Nonsense")).otherwise("category").alias("category")
        return (rows.with_columns(nonsense) for rows in assembled(*given))

    monkeypatch.setattr(publish, "assembled", wrong)
    with pytest.raises(BadInput, match=r"not published[\s\S]*category: .*\d+ rows, such as [0-9a-f]{16} \('Nonsense'\)"):
        build(tiny_recipe, data)
    assert not (data.labels / "tiny").exists() and not list(data.datasets.glob("*"))


def test_texts_are_told_at_the_recipes_rates(data: DataFolder) -> None:
    """Naming, locales, typos and styles come at the rates that the recipe states, within four standard errors."""
    recipe = read_recipe("tiny")[1].model_copy(update={"tasks": 2000})
    rows = ds.dataset(build(recipe, data).folder / "data").to_table().to_pylist()

    def share(value: Callable[[dict[str, Any]], bool]) -> float:
        return sum(map(value, rows)) / len(rows)

    def near(found: float, stated: float) -> bool:
        return abs(found - stated) < 4 * math.sqrt(stated * (1 - stated) / len(rows))

    rates = recipe.narration
    assert near(share(lambda row: row["naming"] == "application"), rates.naming.application)
    assert 0.4 * rates.naming.kind < share(lambda row: row["naming"] == "kind") < 1.3 * rates.naming.kind, "not every application has a kind"
    assert near(share(lambda row: row["locale"] == "en"), recipe.locales["en"] / sum(recipe.locales.values()))
    assert 0.01 < share(lambda row: row["has_typo"]) < 0.2, "some voices make slips, and most do not"
    assert {row["style"] for row in rows} >= set(rates.styles)
    for row in rows:
        if row["naming"] in ("kind", "vendor"):
            assert row["target_application"] in row["valid_applications"] and not row["names_application"]


def test_no_masked_text_stands_more_often_than_the_recipe_allows(data: DataFolder, tiny_recipe: Recipe) -> None:
    recipe = tiny_recipe.model_copy(update={"tasks": 3000, "recurrences": 1, "spare": 0.5})
    built = build(recipe, data)
    masked = [row["masked_text"] for row in ds.dataset(built.folder / "data").to_table(columns=["masked_text"]).to_pylist()]
    assert len(set(masked)) == len(masked) == 3000
    assert built.manifest["rows"]["rejected_by_stage_and_reason"]["recurrences"]
    assert built.manifest["statistics"]["masked_texts"] == {"distinct": 3000, "most_often": 1}


def test_a_dataset_that_leaves_atomic_tasks_unused_is_refused_where_the_recipe_wants_all(data: DataFolder, tiny_recipe: Recipe) -> None:
    with pytest.raises(BadInput, match=r"no composition of this dataset uses: .*excel\.[\s\S]*raise `tasks`"):
        build(tiny_recipe.model_copy(update={"uses_every_task": True}), data)
    assert not list(data.datasets.glob("*"))


@pytest.mark.slow
@pytest.mark.rotates
@pytest.mark.parametrize("after", [1.5, 2.5, 4.0, 6.0])
def test_a_killed_build_leaves_nothing_half_written_and_resumes(first: tuple[Built, DataFolder], tmp_path: Path, after: float) -> None:
    environment = {**os.environ, "DESKMILL_DATA": str(tmp_path)}
    command = [sys.executable, str(REPOSITORY / "deskmill.py"), "build", "tiny", "--workers", "1"]
    process = subprocess.Popen(command, env=environment, cwd=REPOSITORY, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(after)
    process.send_signal(signal.SIGKILL)
    process.wait()
    data = DataFolder(tmp_path)
    for path in data.shards.glob("[!.]*.parquet"):
        pq.read_table(path)
    if (data.labels / "tiny").exists():
        assert json.loads((data.labels / "tiny" / "manifest.json").read_text())["rows"]["accepted"] == 600
    resumed = build(read_recipe("tiny")[1], data)
    assert bytes_of(resumed) == bytes_of(first[0])
    assert not list(data.datasets.glob(".*")) and not list(data.shards.glob(".*"))
