"""Protects the results of runs: each fact has one source, the tables follow from it, and a kill at any moment loses and doubles nothing."""

from pathlib import Path

import pytest

from eval_flows.episodes.runs.store import Results, append_line, read_lines
from tests.eval_flows.episodes.runs.results import FAULT, about, assert_nothing_is_doubled, go_on, killed_everywhere, look, play, table
from tests.warehouse.episode_rows import episode_row, write_run
from warehouse.errors import WarehouseError
from warehouse.layout import DataFolder
from warehouse.loader import load_warehouse
from warehouse.parquet import SCHEMAS
from warehouse.query import connect, rows_of

TABLES = ("episodes", "steps")


def parts(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for name in TABLES for path in sorted((folder / name).glob("*"))}


def test_a_trajectory_gives_its_row_and_its_steps(tmp_path: Path) -> None:
    row = play(tmp_path, "a", checks=[{"check": "{}", "got": "'x'", "holds": True, "share": 1.0}])
    rows = Results(tmp_path).update()
    assert rows == {("a", 1): {**row, "tries": 1, "fault": None}} and list(rows.values()) == table(tmp_path, "episodes")
    steps = table(tmp_path, "steps")
    assert [(step["run_id"], step["episode_id"], step["repeat"], step["number"]) for step in steps] == [
        ("run", "a", 1, number) for number in (1, 2, 3)
    ]
    assert set(steps[0]) == set(SCHEMAS["steps"].names) and steps[0]["actions"] == ["press(key='enter')"]


def test_a_part_is_made_once_and_its_trajectories_are_not_read_again(tmp_path: Path) -> None:
    """Every command read every trajectory again, and wrote every row again."""
    results = Results(tmp_path)
    first = {play(tmp_path, name)["episode_id"] for name in "ab"}
    results.update()
    before = parts(tmp_path)
    assert set(before) == {"episodes/00000.parquet", "steps/00000.parquet"}
    for path in tmp_path.glob("trajectories/*/trajectory.json"):
        path.write_text("not to be read")
    play(tmp_path, "b", 2)
    rows = results.update()
    after = parts(tmp_path)
    assert set(rows) == {(name, 1) for name in first} | {("b", 2)} and before.items() < after.items()
    assert set(after) - set(before) == {"episodes/00001.parquet", "steps/00001.parquet"}
    assert results.update() == rows and parts(tmp_path) == after, "nothing is new, so nothing is written"


def test_lost_tables_are_made_again_from_the_trajectories_and_faults(tmp_path: Path) -> None:
    results = Results(tmp_path)
    play(tmp_path, "a")
    results.update()
    play(tmp_path, "b", reward=0.0)
    results.note_fault(about("c"), FAULT, 30.0)
    rows = results.update()
    steps = table(tmp_path, "steps")
    for path in [path for name in TABLES for path in (tmp_path / name).iterdir()]:
        path.unlink()
    assert results.update() == rows and table(tmp_path, "steps") == steps


def test_faults_are_a_row_until_the_episode_is_played_to_its_end(tmp_path: Path) -> None:
    results = Results(tmp_path)
    for seconds in (10.0, 20.12345):
        results.note_fault(about("a"), f"{FAULT} ({seconds:.0f})", seconds)
    (row,) = results.update().values()
    assert (row["status"], row["fault"], row["tries"], row["seconds"]) == ("infrastructure fault", f"{FAULT} (20)", 2, 20.123)
    assert (row["reward"], row["is_success"], row["steps"], row["checks"], row["cost_usd"]) == (None, None, None, [], 0.0)
    assert {name: row[name] for name in about("a")} == about("a")
    play(tmp_path, "a")
    (row,) = results.update().values()
    assert (row["status"], row["fault"], row["tries"], row["seconds"]) == ("done", None, 3, 4.5)
    assert_nothing_is_doubled(tmp_path)
    assert [line["seconds"] for line in read_lines(tmp_path / "faults.jsonl")] == [10.0, 20.123], "every fault stays known"


def test_a_line_that_a_kill_cut_off_spoils_no_other(tmp_path: Path) -> None:
    path = tmp_path / "faults.jsonl"
    append_line(path, {"a": 1})
    path.write_text(path.read_text() + '{"a": 2, "b')
    append_line(path, {"a": 3})
    assert list(read_lines(path)) == [{"a": 1}, {"a": 3}]


def test_a_damaged_trajectory_is_named_with_what_to_do(tmp_path: Path) -> None:
    play(tmp_path, "a")
    path = tmp_path / "trajectories" / "a_1" / "trajectory.json"
    for content in ("{", "[]", '{"steps": []}'):
        path.write_text(content)
        with pytest.raises(WarehouseError, match=r"a_1/trajectory.json is damaged \(.*\): remove its folder, and the same command plays"):
            Results(tmp_path).update()


def test_what_is_no_trajectory_is_left_alone(tmp_path: Path) -> None:
    play(tmp_path, "a")
    for name in (".b_1.x.tmp", ".b_2", "notes", "a_1 (copy)"):
        (tmp_path / "trajectories" / name).mkdir()
    assert set(Results(tmp_path).update()) == {("a", 1)}


@pytest.mark.slow(minutes=0.2)
def test_a_kill_at_any_moment_loses_nothing_and_doubles_nothing(tmp_path: Path) -> None:
    """Before the kill, one episode is in a part, and one has only faults."""
    folder = tmp_path / "before"
    play(folder, "ended")
    Results(folder).note_fault(about("failed_once"), FAULT, 30.0)
    Results(folder).update()
    copies = killed_everywhere("go_on", folder, tmp_path / "killed")
    expected = {key: {**row, "tries": None} for key, row in look(copies[-1]).items()}
    assert len(copies) > 20 and {key[0]: row["status"] for key, row in expected.items()} == {
        "ended": "done", "failed_once": "done", "new": "done", "lost": "infrastructure fault"
    }  # fmt: skip
    for copy in copies:
        assert_nothing_is_doubled(copy)
        kept = {path.name for path in (copy / "trajectories").glob("[!.]*")}
        faults = len(list(read_lines(copy / "faults.jsonl")))
        pictures = {path: path.stat().st_mtime_ns for path in copy.glob("trajectories/[!.]*/*")}
        rows = go_on(copy)
        assert_nothing_is_doubled(copy)
        assert {key: {**row, "tries": None} for key, row in rows.items()} == expected
        assert {f"{key[0]}_1" for key in rows} > kept and len(list(read_lines(copy / "faults.jsonl"))) >= faults
        assert {path: path.stat().st_mtime_ns for path in pictures} == pictures, "no episode is played again"
        assert not list(copy.rglob(".*")), "nothing of the killed command stays"


def test_steps_without_their_episodes_wait_outside_the_warehouse(tmp_path: Path) -> None:
    """A kill between the two files of a part leaves such steps."""
    data = DataFolder(tmp_path)
    folder = write_run(data, [episode_row("run", "a")])
    play(folder, "b")
    Results(folder).update()
    (folder / "episodes" / "00001.parquet").unlink()
    load_warehouse(data)
    query = "select (select count(*) from episodes) as episodes, (select count(*) from steps) as steps"
    with connect(data.warehouse) as connection:
        assert rows_of(connection, query) == [{"episodes": 1, "steps": 0}]
    Results(folder).update()
    load_warehouse(data)
    with connect(data.warehouse) as connection:
        assert rows_of(connection, query) == [{"episodes": 2, "steps": 3}]
