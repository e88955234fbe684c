"""Protects runs that an earlier version wrote: they load as they are, and a command goes on with them, whenever it is killed.

The kept run has one episode that was played twice and one that was a fault of the machine twice. The command of the second repeat was killed before it
wrote its tables.
"""

import json
import shutil
from pathlib import Path

import pytest

from eval_flows.episodes.runs.store import Results, Row, read_lines
from eval_flows.episodes.runs.upgrade import LAYOUT
from tests.eval_flows.episodes.runs.results import KEPT, assert_nothing_is_doubled, killed_everywhere, look, play, table
from warehouse.layout import DataFolder
from warehouse.loader import load_warehouse
from warehouse.query import connect, rows_of

PLAYED, LOST = "93386dfb7eb40c6f", "0ec32cfee2a5ccb7"
TABLES = ("episodes", "steps")


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    found = DataFolder(tmp_path / "data")
    shutil.copytree(KEPT, folder_of(found))
    return found


def folder_of(data: DataFolder) -> Path:
    return data.runs / "1c346afc0f83dfaa"


def in_warehouse(data: DataFolder) -> dict[str, list[Row]]:
    load_warehouse(data)
    with connect(data.warehouse) as connection:
        return {name: rows_of(connection, f"from {name} order by all") for name in TABLES}


def test_a_kept_run_gives_the_same_rows_before_and_after_its_upgrade(data: DataFolder) -> None:
    """Its tables hold the first repeat. Its trajectories give the same rows, and also those of the second repeat."""
    folder = folder_of(data)
    before = in_warehouse(data)
    assert [(row["episode_id"], row["repeat"], row["status"]) for row in before["episodes"]] == [
        (LOST, 1, "infrastructure fault"),
        (PLAYED, 1, "done"),
    ]
    rows = look(folder)
    assert {key: (row["status"], row["tries"]) for key, row in rows.items()} == {
        (PLAYED, 1): ("done", 1),
        (PLAYED, 2): ("done", 1),
        (LOST, 1): ("infrastructure fault", 6),  # three tries of each command
        (LOST, 2): ("infrastructure fault", 3),
    }
    after = in_warehouse(data)
    for path in [path for name in TABLES for path in (folder / name).iterdir()]:
        path.unlink()
    assert look(folder) == rows and in_warehouse(data) == after, "all is in the trajectories and the faults"
    for name in TABLES:
        assert [without_tries(row) for row in after[name] if row["repeat"] == 1] == [without_tries(row) for row in before[name]]
    assert [step["number"] for step in after["steps"] if step["repeat"] == 2] == [1, 2, 3, 4, 5]
    assert [row for row in after["steps"] if row["episode_id"] != PLAYED] == []


def without_tries(row: Row) -> Row:
    return {name: value for name, value in row.items() if name != "tries"}


def test_a_fault_of_a_kept_run_goes_when_its_episode_is_played(data: DataFolder) -> None:
    """The fault stood in the only part, and a part does not change any more."""
    folder = folder_of(data)
    look(folder)
    assert json.loads((folder / "suite_run.json").read_text())["layout"] == LAYOUT and not (folder / "episodes.jsonl").exists()
    play(folder, LOST)
    Results(folder).update()
    told = [(row["episode_id"], row["repeat"], row["status"]) for row in in_warehouse(data)["episodes"]]
    assert (LOST, 1, "infrastructure fault") not in told and sorted(told)[0] == (LOST, 1, "done") and len(told) == 4


def test_a_trajectory_without_a_row_is_not_taken_for_an_ended_episode(data: DataFolder) -> None:
    """A kill between the trajectory and its line left it, and the episode was played again."""
    folder = folder_of(data)
    lines = (folder / "episodes.jsonl").read_text().splitlines(keepends=True)
    (folder / "episodes.jsonl").write_text("".join(lines[:-1]) + lines[-1][:500])
    assert (PLAYED, 2) not in look(folder)
    assert [path.name for path in (folder / "trajectories").iterdir()] == [f"{PLAYED}_1"]


@pytest.mark.slow(minutes=0.2)
def test_a_kill_at_any_moment_of_the_upgrade_loses_nothing_and_doubles_nothing(data: DataFolder, tmp_path: Path) -> None:
    copies = killed_everywhere("look", folder_of(data), tmp_path / "killed")
    expected = look(copies[-1])
    steps = sorted(map(str, table(copies[-1], "steps")))
    assert len(copies) > 10 and len(expected) == 4
    for copy in copies:
        assert_nothing_is_doubled(copy)
        assert look(copy) == expected and sorted(map(str, table(copy, "steps"))) == steps
        assert_nothing_is_doubled(copy)
        assert len(list(read_lines(copy / "faults.jsonl"))) == 9 and not list(copy.rglob(".*"))
