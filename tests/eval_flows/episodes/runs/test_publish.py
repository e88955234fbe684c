"""Protects published suites: every episode stands in the Parquet with ProSoftArena's annotation, and in the warehouse."""

import json

import pyarrow.parquet as pq
import pytest

from atomic_tasks.catalog import Catalog
from eval_flows.episodes.runs.publish import publish_suite
from eval_flows.episodes.tasks.jobs import Job
from eval_flows.episodes.tasks.suite import Listed, jobs_of, read_suite
from eval_flows.episodes.tasks.task import STEP_BUDGETS, Task
from warehouse.layout import DataFolder
from warehouse.query import connect, rows_of


@pytest.mark.parametrize("name", ["smoke", "desktop", "singles", "professional", "windows"])
def test_a_published_suite_holds_every_episode_with_its_annotation(name: str, data: DataFolder, catalog: Catalog) -> None:
    folder = publish_suite(name, data)
    rows = pq.read_table(folder / "data" / "episodes.parquet").to_pylist()
    suite = read_suite(name)
    listed: list[Listed | Job] = [*suite.episodes, *jobs_of(suite, catalog)]
    jobs = {entry.id for entry in listed if isinstance(entry, Job)}
    assert [row["level"] for row in rows] == [entry.level for entry in listed] and len({row["episode_id"] for row in rows}) == len(listed)
    for row in rows:
        assert Task.model_validate_json(row["episode"]).episode_id == row["episode_id"]
        assert row["step_budget"] == STEP_BUDGETS[row["level"]] and row["difficulty"] in ("easy", "medium", "hard")
        assert row["core_operations"] and (row["expected_output"] or row["infeasible"])
        assert "None" not in row["context_resources"] and row["task"]
        assert (name == "professional") == (row["subfield"] is not None)
        assert (row["task"] in jobs) == bool(row["evaluation_criteria"])
        pasted = any(task.endswith(".paste_clipboard") for task in row["core_operations"])
        assert ("clipboard" in row["context_resources"]) == pasted
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["episodes"] == len(listed) == sum(manifest["levels"].values())
    assert f"{len(listed)} episodes" in (folder / "README.md").read_text()


def test_published_suites_stand_in_the_warehouse_once(data: DataFolder) -> None:
    publish_suite("smoke", data)
    publish_suite("smoke", data)
    found = rows_of(
        connect(data.warehouse),
        "select suite, count(*) as n, count(distinct episode_id) as ids, min(step_budget) as budget from suite_episodes group by all",
    )
    assert found == [{"suite": "smoke", "n": 10, "ids": 10, "budget": 35}]
