"""Protects what is kept of the files that an open-ended task leaves: what the task declares, bounded, under names that nobody on the machine chose."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from eval_flows.episodes.agents.choice import AgentChoice
from eval_flows.episodes.environment import Environment
from eval_flows.episodes.runs import left_files as module
from eval_flows.episodes.runs import run
from eval_flows.episodes.runs.left_files import LeftFile, left_files
from eval_flows.episodes.runs.pipeline import EpisodeOptions, planned_run
from eval_flows.episodes.runs.store import read_trajectory, write_trajectory
from eval_flows.episodes.tasks.task import Task, TaskStep
from tests.eval_flows.episodes.conftest import Listed
from warehouse.layout import DataFolder

FILES = {"Documents/a.txt": b"a", "Documents/b.png": b"bb", "Documents/other.txt": b"not declared", "Projects/test_x.py": b"by a star"}


def environment(files: dict[str, bytes]) -> Environment:
    return cast("Environment", SimpleNamespace(desktop=SimpleNamespace(client=SimpleNamespace(file=files.get))))


def task(*changes: Any, level: Any = "L4") -> Task:
    step = TaskStep(task="t", application="a", program="p", setup=(), preload=None, oracle=(), check=(), changes=changes)
    return Task(level=level, discipline="", instruction="", values={}, steps=(step,))


DECLARED = ({"file": "Documents/a.txt"}, {"file": "Documents/b.png"}, {"file": "Documents/missing.txt"}, {"file": "Projects/test_*"})


def test_the_declared_files_that_are_there_are_kept() -> None:
    assert left_files(environment(FILES), task(*DECLARED)) == [LeftFile("Documents/a.txt", 1, b"a"), LeftFile("Documents/b.png", 2, b"bb")]


@pytest.mark.parametrize("level", ["L1", "L2", "L3"])
def test_tasks_of_other_levels_leave_nothing(level: str) -> None:
    assert left_files(environment(FILES), task(*DECLARED, level=level)) == []


def test_what_is_too_large_is_told_and_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_LARGEST", 4)
    monkeypatch.setattr(module, "_MOST_TOGETHER", 5)
    files = {"a": b"12345", "b": b"1234", "c": b"12", "d": b"1"}
    kept = left_files(environment(files), task(*({"file": name} for name in files)))
    assert [(one.path, one.size, one.content) for one in kept] == [("a", 5, None), ("b", 4, b"1234"), ("c", 2, None), ("d", 1, b"1")]


def test_the_most_files_are_counted_of_those_that_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_FILES", 2)
    declared = task(*({"file": name} for name in "abcdef"))
    assert [one.path for one in left_files(environment({"c": b"", "e": b"", "f": b""}), declared)] == ["c", "e"]


def test_a_trajectory_holds_them_under_numbers_and_tells_their_paths(tmp_path: Path) -> None:
    folder = tmp_path / "trajectories" / "e_1"
    write_trajectory(folder, {}, [], {}, left=[LeftFile("../../evil.sh", 2, b"ab"), LeftFile("big", 9_000_000, None)])
    assert sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()) == [
        "trajectories/e_1/files/01",
        "trajectories/e_1/trajectory.json",
    ]
    assert read_trajectory(folder)["files"] == [
        {"path": "../../evil.sh", "bytes": 2, "kept": "files/01"},
        {"path": "big", "bytes": 9_000_000, "kept": None},
    ]
    write_trajectory(tmp_path / "trajectories" / "e_2", {}, [], {})
    assert read_trajectory(tmp_path / "trajectories" / "e_2")["files"] == [] and not (tmp_path / "trajectories" / "e_2" / "files").exists()


@pytest.mark.slow(minutes=0.5)
def test_an_episode_that_is_played_keeps_them(data: DataFolder, listed: Listed, monkeypatch: pytest.MonkeyPatch) -> None:
    """The image of tests has no open-ended task, so one of another level stands for it."""
    monkeypatch.setattr(module, "_LEVEL", "L1")
    plan = planned_run(listed("{level: L1, tasks: [mousepad.append_line]}"), AgentChoice("oracle"), EpisodeOptions(1), data)
    (made,) = plan.episodes
    folder = data.runs / plan.run_id / "trajectories" / f"{made.task.episode_id}_1"
    assert run._play(run._job(plan, made.task, 1, folder, plan.machine), lambda _: pytest.fail("a model was asked"))
    (kept,) = read_trajectory(folder)["files"]
    content = (folder / kept["kept"]).read_bytes()
    assert made.task.values["jotting"] in content.decode() and kept["bytes"] == len(content) and kept["path"].endswith(".txt")
