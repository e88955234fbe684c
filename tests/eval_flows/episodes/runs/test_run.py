"""Protects runs on the real sandbox: what simple agents earn, that a killed run goes on, and that faults of machines are tried again and counted apart."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil  # type: ignore[import-untyped]
import pytest

from eval_flows.episodes.agents.choice import AgentChoice
from eval_flows.episodes.runs import run as runs
from eval_flows.episodes.runs.pipeline import EpisodeOptions, SuiteRun, evaluate_episodes
from eval_flows.episodes.runs.store import read_lines, write_trajectory
from eval_flows.episodes.runs.trajectory import _short
from eval_flows.episodes.runs.workers import Done, OnFault
from machines.image import Image
from machines.packages import KEPT
from tests.conftest import REPOSITORY, quiet, workers_and_machines
from tests.eval_flows.episodes.conftest import Listed
from tests.eval_flows.episodes.runs.results import play
from warehouse.layout import DataFolder
from warehouse.query import connect, rows_of

APPEND, REPLACE = "{level: L1, tasks: [mousepad.append_line]}", "{level: L1, tasks: [mousepad.replace_word]}"

FIGURES = {
    "status": "done", "reward": 1.0, "is_success": True, "steps": 0, "malformed": 0, "ready_seconds": 1.0, "seconds": 2.0, "first_application": None,
    "input_tokens": 0, "output_tokens": 0, "cost_usd": 0.0, "checks": [],
}  # fmt: skip


def played(data: DataFolder, agent: str, **options: Any) -> SuiteRun:
    return evaluate_episodes("small", AgentChoice(agent), EpisodeOptions(**options), data, quiet)


def trajectories(data: DataFolder) -> dict[str, int]:
    """The trajectories of all runs, and when each was written."""
    return {path.parent.name: path.stat().st_mtime_ns for path in data.runs.glob("*/trajectories/[!.]*/trajectory.json")}


def test_the_oracle_succeeds_and_repeats_extend_its_run(data: DataFolder, listed: Listed) -> None:
    listed(APPEND, REPLACE)
    first = played(data, "oracle")
    assert [(row["reward"], row["status"], row["fault"], row["malformed"]) for row in first.rows] == [(1.0, "done", None, 0)] * 2
    folder = data.runs / first.run_id / "trajectories" / f"{first.rows[0]['episode_id']}_1"
    steps = json.loads((folder / "trajectory.json").read_text())["steps"]
    assert len(list(folder.glob("*.png"))) == len(steps) == first.rows[0]["steps"] and steps[-1]["decision"] == "DONE"
    kept = trajectories(data)
    again = played(data, "oracle", repeats=2)
    assert again.run_id == first.run_id and again.rows[:2] == first.rows and kept.items() < trajectories(data).items()
    assert {(row["episode_id"], row["repeat"]) for row in again.rows} == {(row["episode_id"], repeat) for row in first.rows for repeat in (1, 2)}
    told = rows_of(connect(data.warehouse), "select repeat, reward, steps from episodes order by repeat")
    assert [(row["repeat"], row["reward"]) for row in told] == [(1, 1), (1, 1), (2, 1), (2, 1)]
    described = json.loads((data.runs / first.run_id / "suite_run.json").read_text())
    made_on = rows_of(
        connect(data.warehouse),
        "select version from image_packages join suite_runs on image_packages.image = suite_runs.image[1] where package = 'mousepad'",
    )
    assert [f"mousepad={row['version']}" for row in made_on] == [one for one in described["packages"] if one.startswith("mousepad=")]
    assert not workers_and_machines()


@pytest.mark.parametrize(("agent", "status"), [("idle", "done"), ("fail", "failed by agent")])
def test_doing_nothing_and_giving_up_earn_nothing(data: DataFolder, listed: Listed, agent: str, status: str) -> None:
    listed(APPEND)
    (row,) = played(data, agent).rows
    assert (row["reward"], row["is_success"], row["status"], row["steps"]) == (0.0, False, status, 1)


def test_giving_up_is_right_where_a_task_is_infeasible(data: DataFolder, listed: Listed) -> None:
    listed("{level: L1, tasks: [galculator.draw_curve]}")
    assert [played(data, agent).rows[0]["reward"] for agent in ("fail", "idle")] == [1.0, 0.0]


def test_from_an_empty_desktop_the_first_program_is_scored(data: DataFolder, listed: Listed) -> None:
    listed(APPEND)
    (row,) = played(data, "oracle", start="bare").rows
    assert (row["start"], row["first_application"], row["is_valid_choice"], row["reward"]) == ("bare", "mousepad", True, 1.0)


COMMAND = """
import sys
from pathlib import Path
from eval_flows.episodes.tasks import suite
from eval_flows.episodes.agents.choice import AgentChoice
from eval_flows.episodes.runs.pipeline import EpisodeOptions, evaluate_episodes
from warehouse.layout import DataFolder
suite.SUITES = Path(sys.argv[1])
if __name__ == "__main__":
    evaluate_episodes("small", AgentChoice("fail"), EpisodeOptions(1, 5), DataFolder(Path(sys.argv[2])), lambda *_: None)
"""


def test_a_killed_run_goes_on_and_plays_only_what_is_missing(data: DataFolder, listed: Listed, tmp_path: Path) -> None:
    listed(APPEND)
    program = tmp_path / "command.py"
    program.write_text(COMMAND)
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    command = subprocess.Popen([sys.executable, str(program), str(tmp_path), str(data.root)], env=environment)
    wait_for(lambda: len(trajectories(data)) >= 2 or command.poll() is not None)
    below = psutil.Process(command.pid).children(recursive=True)
    command.send_signal(signal.SIGKILL)
    command.wait()
    wait_for(lambda: not any(one.is_running() and one.status() != psutil.STATUS_ZOMBIE for one in below))
    kept = trajectories(data)
    assert 2 <= len(kept) < 5 and not list(data.runs.glob("*/episodes/*")), "killed before the tables were written"
    run = played(data, "fail", repeats=5)
    assert [row["repeat"] for row in run.rows] == [1, 2, 3, 4, 5] and kept.items() < trajectories(data).items()
    assert [row["fault"] for row in run.rows] == [None] * 5 and not list(data.runs.glob("*/trajectories/.*"))


def wait_for(holds: Any) -> None:
    end = time.monotonic() + 240
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_smaller_limit_leaves_the_rows_beyond_it(data: DataFolder, listed: Listed, monkeypatch: pytest.MonkeyPatch) -> None:
    """A faulted episode beyond the limit left the tables until it was played again. No machine is started."""
    tried: list[int] = []

    def replaces(job: Any) -> bool:
        return any(step.task == "mousepad.replace_word" for phase in job.task.phases for step in phase)

    def ended(jobs: Sequence[Any], *given: object, on_fault: OnFault[Any], **named: object) -> Iterator[Done[Any]]:
        tried.append(len(jobs))
        for job in jobs:
            fault = "MachineError: lost" if replaces(job) and len(tried) == 1 else None
            if fault:
                on_fault(job, fault, 1.0)
            else:
                write_trajectory(job.folder, {**job.about, **FIGURES}, [], {})
            yield Done(job, not fault, fault)

    monkeypatch.setattr(runs, "supervised", ended)
    listed(APPEND, REPLACE)
    played(data, "idle")
    query = "select episode_id, status, fault from episodes order by episode_id"
    before = rows_of(connect(data.warehouse), query)
    assert sorted(row["status"] for row in before) == ["done", "infrastructure fault"]
    played(data, "idle", limit=1)
    assert rows_of(connect(data.warehouse), query) == before and tried == [2, 0]
    played(data, "idle")
    assert [row["status"] for row in rows_of(connect(data.warehouse), query)] == ["done", "done"] and tried == [2, 0, 1]


def test_a_run_is_extended_and_when_it_is_complete_it_is_not_read_again(data: DataFolder, listed: Listed, monkeypatch: pytest.MonkeyPatch) -> None:
    """A resume read every trajectory. No machine is started."""

    def ended(jobs: Sequence[Any], *given: object, **named: object) -> Iterator[Done[Any]]:
        for job in jobs:
            write_trajectory(job.folder, {**job.about, **FIGURES}, [], {})
            yield Done(job, True, None)

    monkeypatch.setattr(runs, "supervised", ended)
    listed(APPEND, REPLACE)
    begun = played(data, "idle", limit=1)
    first = played(data, "idle", repeats=2)
    assert first.run_id == begun.run_id and first.rows[:1] == begun.rows
    assert [path.name for path in sorted(data.runs.glob("*/episodes/*"))] == ["00000.parquet", "00001.parquet"], "a part of each command"
    for path in data.runs.glob("*/trajectories/*/trajectory.json"):
        path.write_text("not to be read")
    before = {path: path.stat().st_mtime_ns for path in data.runs.rglob("*")}
    monkeypatch.setattr(runs, "supervised", lambda jobs, *_, **__: pytest.fail("played again") if jobs else iter(()))
    assert played(data, "idle", repeats=2) == first and len(first.rows) == 4
    assert {path: path.stat().st_mtime_ns for path in data.runs.rglob("*")} == before
    assert played(data, "idle", limit=1).rows == first.rows[:1]


def test_an_image_is_unpacked_before_the_workers_of_this_host_begin(
    data: DataFolder, listed: Listed, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It took from the time of the first episodes. No machine is started."""
    folders: list[Path] = []

    def ended(jobs: Sequence[Any], *given: object, **named: object) -> Iterator[Done[Any]]:
        folders.extend(job.machine.folder for job in jobs)
        yield from ()

    monkeypatch.setattr(runs, "supervised", ended)
    monkeypatch.setattr(runs, "on_this_host", lambda choice: replace(choice, folder=tmp_path / "own"))
    listed(APPEND, REPLACE)
    played(data, "idle")
    assert folders == [tmp_path / "own"] * 2


def test_an_episode_whose_worker_is_lost_after_its_trajectory_is_not_played_again(data: DataFolder, tmp_path: Path) -> None:
    """The second try played it again, and a kill could lose the first trajectory."""
    play(tmp_path, "e", reward=0.5)
    job: Any = SimpleNamespace(folder=tmp_path / "trajectories" / "e_1")  # no machine and no agent
    assert runs._play(job, pytest.fail) is False


def test_what_a_check_saw_is_kept_to_its_end() -> None:
    """It was cut after 500 characters, before the line that the task had appended."""
    assert _short("x" * 3_000 + "the end") == repr("x" * 3_000 + "the end")
    told = _short("the start" + "x" * 100_000 + "the end")
    assert "the start" in told and told.endswith("the end'") and "characters left out" in told and len(told) < 4_100


def test_a_machine_that_cannot_start_is_a_fault_that_is_tried_again(data: DataFolder, listed: Listed, image: Image) -> None:
    listed(APPEND)
    data.machines.unlink()
    for part in (image.current, image.root / KEPT):  # a root with its list alone
        (data.machines / part.relative_to(image.machines)).parent.mkdir(parents=True)
        shutil.copy(part, data.machines / part.relative_to(image.machines), follow_symlinks=False)
    (data.machines / image.home.relative_to(image.machines)).mkdir(parents=True)
    broken = played(data, "fail")
    (row,) = broken.rows
    assert row["status"] == "infrastructure fault" and row["tries"] == 3 and "MachineError" in row["fault"]
    assert row["reward"] is None and row["is_success"] is None
    kept = list(read_lines(data.runs / broken.run_id / "faults.jsonl"))
    assert [(one["episode_id"], "MachineError" in one["fault"]) for one in kept] == [(row["episode_id"], True)] * 3
    told = rows_of(connect(data.warehouse), "select reward, status from episodes")
    assert [(one["reward"], one["status"]) for one in told] == [(None, "infrastructure fault")]
    shutil.rmtree(data.machines)
    data.machines.symlink_to(image.machines)
    mended = played(data, "fail")
    assert mended.run_id == broken.run_id and [(row["fault"], row["reward"]) for row in mended.rows] == [(None, 0.0)]
    assert len(list(read_lines(data.runs / broken.run_id / "faults.jsonl"))) == 3 and mended.rows[0]["tries"] == 4
    assert rows_of(connect(data.warehouse), "select status, tries from episodes") == [{"status": "failed by agent", "tries": 4}]


def test_the_wall_clock_ends_an_episode_from_outside(data: DataFolder, listed: Listed, monkeypatch: pytest.MonkeyPatch) -> None:
    listed(APPEND)
    monkeypatch.setattr(runs, "_SECONDS_AROUND", 0.5)
    monkeypatch.setattr(runs, "_SECONDS_PER_STEP", 0.0)
    (row,) = played(data, "oracle").rows
    assert row["status"] == "infrastructure fault" and "not done within" in row["fault"] and row["tries"] == 3 and row["reward"] is None
    assert not workers_and_machines()
