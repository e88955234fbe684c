"""Protects the tables of imported benchmarks: shares by domain, baselines first, faults counted but in no share, and published figures beside."""

import json
from pathlib import Path
from typing import Any

import pytest

from eval_flows.episodes.osworld.applications import applications
from eval_flows.episodes.osworld.imported_task import imported_task
from eval_flows.episodes.osworld.task_file import TaskFile
from tests.eval_flows.episodes.osworld.made import task
from tests.warehouse.episode_rows import FAULT, episode_row, write_run
from warehouse.layout import DataFolder
from warehouse.loader import load_warehouse
from warehouse.query import answer

QUERIES = Path("reports/queries")
OFFICE, DAILY, CODING = "OSWorld, Office", "OSWorld, Daily", "Windows Agent Arena, Coding"


def rows_of(data: DataFolder, query: str) -> list[dict[str, Any]]:
    found = json.loads(answer(data.warehouse, QUERIES.joinpath(f"{query}.sql").read_text(), "json"))
    assert isinstance(found, list)
    return found


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> DataFolder:
    """Two runs over tasks of OSWorld, an idle one among them, and one run over tasks of both benchmarks."""
    folder = DataFolder(tmp_path_factory.mktemp("benchmarks"))
    tasks: dict[str, dict[str, Any]] = {
        "a": {"discipline": OFFICE}, "b": {"discipline": OFFICE}, "c": {"discipline": OFFICE, "infeasible": "so says the file"}, "d": {"discipline": DAILY},
    }  # fmt: skip
    more: dict[str, Any] = {"suite": "osw", "agent": "model"}
    rows = [episode_row("played", name, **more, **about, reward=float(name in "ac")) for name, about in tasks.items() if name != "b"]
    write_run(folder, [*rows, episode_row("played", "b", **more, **tasks["b"], **FAULT)], started_at="2026-05-03T08:00:00+00:00")
    write_run(folder, [episode_row("still", name, suite="osw", agent="idle", **about, reward=0.0) for name, about in tasks.items()])
    both = [
        episode_row("both", "a", suite="two", agent="model", discipline=OFFICE),
        episode_row("both", "x", suite="two", agent="model", discipline=CODING),
    ]
    write_run(folder, both, started_at="2026-05-02T08:00:00+00:00")
    write_run(folder, [episode_row("ours", "y")], started_at="2026-05-04T08:00:00+00:00")
    load_warehouse(folder)
    return folder


def test_baselines_come_first_then_runs_then_what_was_published(data: DataFolder) -> None:
    rows = rows_of(data, "episode_osworld")
    assert [row["model"] for row in rows] == [
        "FAIL at every task of osw", "FAIL at every task of two", "idle on osw", "model on osw", "model on two", "the best model", "a person",
    ]  # fmt: skip
    assert [row["is_theirs"] for row in rows] == [False] * 5 + [True] * 2 and [row["overall_success"] for row in rows[-2:]] == [0.1224, 0.7236]


def test_shares_are_over_what_was_played_and_faults_stand_apart(data: DataFolder) -> None:
    by_model = {row["model"]: row for row in rows_of(data, "episode_osworld")}
    model = by_model["model on osw"]
    assert (model["played"], model["faults"], model["office_success"], model["daily_success"]) == (3, 1, 1.0, 0.0)
    assert model["overall_success"] == pytest.approx(2 / 3) and model["overall_success_low"] < 2 / 3 < model["overall_success_high"]
    fails = by_model["FAIL at every task of osw"]
    assert (fails["office_success"], fails["daily_success"], fails["overall_success"]) == (pytest.approx(1 / 3), 0.0, 0.25)
    assert fails["played"] is None and by_model["idle on osw"]["overall_success"] == 0.0


def test_a_run_over_both_benchmarks_has_its_parts_in_both_tables_and_no_overall_figure(data: DataFolder) -> None:
    windows = {row["model"]: row for row in rows_of(data, "episode_table_4")}
    osworld = {row["model"]: row for row in rows_of(data, "episode_osworld")}
    assert (windows["model on two"]["coding_success"], windows["model on two"]["overall_success"]) == (1.0, None)
    assert (osworld["model on two"]["office_success"], osworld["model on two"]["overall_success"]) == (1.0, None)
    assert windows["a person"]["coding_success"] == 0.684 and "model on osw" not in windows


def test_an_imported_task_has_the_domain_of_its_folder(tmp_path: Path) -> None:
    def domain(name: str, **changes: Any) -> str:
        file = TaskFile.model_validate(task(**changes))
        return imported_task(name, file, {address: "0" for _, address in file.addresses}, tmp_path).task.discipline

    assert domain("libreoffice_calc/a") == domain("osworld/libreoffice_calc/a") == domain("a") == OFFICE
    assert domain("multi_apps/a") == "OSWorld, Workflow" and domain("elsewhere/a") == ""
    assert domain("waa/vs_code/a", id="0-WOS") == CODING
    named = {f"{benchmark}, {part}" for benchmark, parts in applications().domains.items() for part in parts.values()}
    for benchmark, query in (("OSWorld", "episode_osworld"), ("Windows Agent Arena", "episode_table_4")):
        text = QUERIES.joinpath(f"{query}.sql").read_text()
        assert all(f"'{one.partition(', ')[2]}' as" in text for one in named if one.startswith(benchmark)), "no domain is left out of its table"
