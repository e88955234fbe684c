"""Protects the reference run of a task: the best successful demonstration, marked as a person's beside the oracle's, wherever a task is shown."""

import json
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq

from atomic_tasks.catalog import Catalog
from eval_flows.episodes.about_job import about_job
from eval_flows.episodes.about_task import about_task
from eval_flows.episodes.references import declared_run, effort_lines, reference_runs
from eval_flows.episodes.runs.publish import publish_suite
from eval_flows.episodes.tasks.authored import job_of_suite
from eval_flows.episodes.tasks.jobs import Reference
from eval_flows.episodes.tasks.suite import read_suite, suite_tasks
from tests.warehouse.episode_rows import FAULT, episode_row, write_run
from warehouse.layout import DataFolder
from warehouse.loader import load_warehouse


def demonstrate(data: DataFolder, run_id: str, person: str, suite: str, episode_id: str, **more: Any) -> None:
    """Write the demonstration of an episode by a person into the data folder, and load it."""
    row = episode_row(run_id, episode_id, agent="person", suite=suite, seconds=more.pop("seconds", 30.0) + 1.5, **more)
    run = write_run(data, [row])
    described = json.loads((run / "suite_run.json").read_text()) | {"person": person}
    (run / "suite_run.json").write_text(json.dumps(described))
    load_warehouse(data)


def test_the_best_demonstration_is_the_successful_one_with_the_fewest_actions_and_then_the_fastest(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    demonstrate(data, "r1", "ann", "smoke", "e1", steps=9, seconds=20.0)
    demonstrate(data, "r2", "bob", "smoke", "e1", steps=7, seconds=50.0)
    demonstrate(data, "r3", "cy", "smoke", "e1", steps=7, seconds=40.0)
    demonstrate(data, "r4", "dan", "smoke", "e1", steps=2, reward=0.0)
    demonstrate(data, "r5", "eve", "smoke", "e1", **FAULT)
    demonstrate(data, "r6", "fay", "desktop", "e1", steps=1)
    write_run(data, [episode_row("r7", "e1", agent="oracle", steps=1)])
    load_warehouse(data)
    (best,) = reference_runs(data.warehouse, "smoke").values()
    assert (best.steps, best.seconds, best.by) == (7, 40.0, "cy, the best of 3 successful demonstrations")
    assert best.recording == "runs/r3/trajectories/e1_1"


def test_without_a_warehouse_and_with_one_of_another_version_nobody_is_known(tmp_path: Path) -> None:
    path = tmp_path / "warehouse.duckdb"
    assert reference_runs(path, "smoke") == {}
    duckdb.connect(str(path)).close()
    assert reference_runs(path, "smoke") == {}


def test_the_lines_say_whose_steps_and_seconds_they_are() -> None:
    declared = declared_run(Reference(steps=5, seconds=12.0, recording="a film"))
    assert list(effort_lines(4, 2.5, declared, "smoke")) == [
        "the oracle: 4 steps, 2.5 s in its proof",
        "a person: 5 steps, 12.0 s; as the job declares it; recorded in a film",
    ]
    assert list(effort_lines(0, None, None, "smoke")) == [
        "the oracle: none, since FAIL is right",
        "a person: no successful demonstration is known; `deskmill demonstrate smoke` makes one",
    ]
    assert declared_run(None) is None


def test_what_is_told_of_a_task_and_of_a_job_has_the_demonstration(tmp_path: Path, catalog: Catalog) -> None:
    data, task, job = DataFolder(tmp_path), "mousepad.append_line", "r.wind_week"
    listed = tuple(one for one in read_suite("desktop").episodes if one.level == "L1" and one.tasks == (task,))[:1]
    (made,) = suite_tasks(read_suite("desktop").model_copy(update={"episodes": listed, "jobs": None, "unproven": ()}), catalog)
    found = job_of_suite(job, catalog)
    assert found is not None
    demonstrate(data, "r1", "ann", "desktop", made.task.episode_id, steps=3, seconds=20.0)
    demonstrate(data, "r2", "bob", found[0], found[1].task.episode_id, steps=40, seconds=300.0)
    for about, told in (
        (about_task(task, data.warehouse), "a person: 3 steps, 20.0 s; ann, the only successful demonstration; recorded in runs/r1/"),
        (about_job(job, data.warehouse), "a person: 40 steps, 300.0 s; bob, the only successful demonstration; recorded in runs/r2/"),
    ):
        assert about is not None and told in " ".join(about.text().split()) and "the oracle: " in about.text()
        assert about.model_dump(mode="json")["person"]["by"].endswith("the only successful demonstration")


def test_a_published_suite_has_it_in_its_metadata_also_if_the_warehouse_is_gone(data: DataFolder, catalog: Catalog) -> None:
    first = suite_tasks(read_suite("smoke"), catalog)[0].task.episode_id
    demonstrate(data, "r1", "ann", "smoke", first, steps=3, seconds=20.0)
    data.warehouse.unlink()
    rows = pq.read_table(publish_suite("smoke", data) / "data" / "episodes.parquet").to_pylist()
    people = {row["episode_id"]: (row["human_steps"], row["human_seconds"], row["human_recording"]) for row in rows}
    assert people.pop(first) == (3, 20.0, f"runs/r1/trajectories/{first}_1") and set(people.values()) == {(None, None, None)}
