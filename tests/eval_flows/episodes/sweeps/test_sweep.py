"""Protects sweeps that run: killed at any moment and started again, they end as an uninterrupted one does; a failing model stops no other; a budget holds for the whole."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]
import pytest
from click.testing import CliRunner

from deskmill import main
from eval_flows.episodes.runs import run as runs
from eval_flows.episodes.runs.store import write_trajectory
from eval_flows.episodes.runs.workers import Done
from eval_flows.episodes.sweeps.cells import cells_of
from eval_flows.episodes.sweeps.estimate import OUTPUT_TOKENS
from eval_flows.episodes.sweeps.recipe import read_sweep
from eval_flows.episodes.sweeps.sweep import CellRun, Sweep, estimates, planned_sweep, run_sweep
from language_models.cache import Cache, Call
from language_models.errors import BudgetReached, ModelError
from tests.conftest import REPOSITORY, quiet
from tests.eval_flows.episodes.sweeps.agents import reply
from tests.language_models.fake_server import fake_server
from warehouse.layout import DataFolder
from warehouse.query import connect, rows_of

AGENTS = "tests.eval_flows.episodes.sweeps.agents"
RECIPE = """
title: Small
description: Two agents, three observations and two histories, and two scripts.
suite: smoke
workers: 2
runs:
  - agents: [fail, {{agent: clumsy, options: {{wrong_clicks: 0.5, skipped_steps: 0.3}}}}]
  - agents: ["{agents}:Remembering", "{agents}:Forgetful"]
    models: [{{model: m, base_url: "{address}"}}]
    observations: [tree, marks, screenshot]
    histories: [0, all]
"""
FIGURES: dict[str, Any] = {
    "status": "done", "reward": 1.0, "is_success": True, "steps": 1, "malformed": 0, "ready_seconds": 1.0, "seconds": 2.0, "first_application": None,
    "input_tokens": 0, "output_tokens": 0, "cost_usd": 0.0, "model_seconds": 0.0, "checks": [], "side_effects": [], "is_valid_choice": None,
}  # fmt: skip
# In the long form, what a user types. In the short form, an episode is a trajectory that is written after a moment, and no report is written.
LONG = """
from deskmill import main

if __name__ == "__main__":
    main()
"""
SHORT = """
import sys, time
from eval_flows.episodes.runs import run as runs
from eval_flows.episodes.runs.store import write_trajectory
from eval_flows.episodes.runs.workers import Done
from eval_flows.episodes.sweeps.cells import cells_of
from eval_flows.episodes.sweeps.recipe import read_sweep
from eval_flows.episodes.sweeps.sweep import planned_sweep, run_sweep
from tests.eval_flows.episodes.sweeps.test_sweep import FIGURES, outcome
from warehouse.layout import DataFolder

def played(jobs, *given, **named):
    for job in jobs:
        time.sleep(0.01)
        write_trajectory(job.folder, {**job.about, **FIGURES, **outcome(job)}, [], {})
        yield Done(job, True, None)

runs.supervised = played
data = DataFolder.from_environment()
name, declared, source = read_sweep(sys.argv[2])
run_sweep(planned_sweep(name, declared, cells_of(declared, source, data), data), data, lambda *_: None)
"""


def outcome(job: Any) -> dict[str, Any]:
    """An outcome that only the run, the episode and the repeat decide."""
    is_success = random.Random(f"{job.about['run_id']}{job.about['episode_id']}{job.about['repeat']}").random() < 0.5
    return {"is_success": is_success, "reward": float(is_success)}


def folder(tmp_path: Path, image: Any, name: str) -> DataFolder:
    found = DataFolder(tmp_path / name)
    found.root.mkdir()
    found.machines.symlink_to(image.machines)
    return found


def recipe(tmp_path: Path, address: str) -> Path:
    path = tmp_path / "small.yaml"
    path.write_text(RECIPE.format(agents=AGENTS, address=address))
    return path


def started(tmp_path: Path, data: DataFolder, form: str, path: Path) -> subprocess.Popen[str]:
    program = tmp_path / "command.py"
    program.write_text(form)
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), "DESKMILL_DATA": str(data.root)}
    return subprocess.Popen([sys.executable, str(program), "sweep", str(path)], env=environment, stdout=subprocess.PIPE, text=True)


def trajectories(data: DataFolder) -> list[Path]:
    return list(data.runs.glob("*/trajectories/[!.]*"))


def results(data: DataFolder) -> dict[str, list[dict[str, Any]]]:
    """What a reader sees of the sweep, without times."""
    with connect(data.warehouse) as connection:
        return {
            "sweeps": rows_of(connection, "select * exclude (started_at) from sweeps"),
            "cells": rows_of(connection, "select * from sweep_cells order by number"),
            "episodes": rows_of(connection, "select run_id, episode_id, repeat, agent, status, reward, steps, input_tokens, tries, fault from episodes order by all"),
            "pairs": rows_of(connection, "select * from sweep_pairs order by all"),
        }  # fmt: skip


def killed_and_whole(tmp_path: Path, image: Any, form: str, kills: int) -> tuple[DataFolder, DataFolder, int]:
    """The folder of a sweep that was killed so often, that of an uninterrupted one, and the number of episodes of each."""
    source = random.Random(11)
    with fake_server(reply, models=["m"]) as server:
        path = recipe(tmp_path, server.base_url)
        whole, killed = (folder(tmp_path, image, name) for name in ("whole", "killed"))
        first = started(tmp_path, whole, form, path)
        said, _ = first.communicate()
        assert first.returncode == 0, said
        episodes = len(trajectories(whole))
        for number in range(kills):
            at = episodes * (number + 1) // (kills + 1) + source.randint(0, 2)
            command = started(tmp_path, killed, form, path)
            wait_for(lambda at=at, command=command: len(trajectories(killed)) >= at or command.poll() is not None)  # type: ignore[misc]
            assert command.poll() is None, "killed before it ended"
            below = psutil.Process(command.pid).children(recursive=True)
            command.send_signal(signal.SIGKILL)
            command.wait()
            wait_for(lambda below=below: not any(one.is_running() and one.status() != psutil.STATUS_ZOMBIE for one in below))  # type: ignore[misc]
        last = started(tmp_path, killed, form, path)
        said, _ = last.communicate()
        assert last.returncode == 0, said
    return killed, whole, episodes


def wait_for(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 1800
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.005)


@pytest.mark.slow(minutes=1.5)
def test_a_sweep_that_is_killed_ends_as_an_uninterrupted_one(tmp_path: Path, image: Any, pytestconfig: pytest.Config) -> None:
    """Without machines: each episode is a trajectory that is written after a moment. Five kills with --whole, otherwise one."""
    killed, whole, episodes = killed_and_whole(tmp_path, image, SHORT, 5 if pytestconfig.getoption("--whole") else 1)
    assert episodes == 14 * 10
    assert results(killed) == results(whole) and len(results(whole)["pairs"]) == (6 + 2 * 6 + 6) * 10
    assert not list(killed.runs.glob("*/trajectories/.*"))


@pytest.mark.whole
def test_a_sweep_on_real_machines_that_is_killed_five_times_ends_as_an_uninterrupted_one(tmp_path: Path, image: Any) -> None:
    """All of `smoke` in each cell."""
    killed, whole, episodes = killed_and_whole(tmp_path, image, LONG, 5)
    assert episodes == 14 * 10
    found, expected = results(killed), results(whole)
    assert found["sweeps"] == expected["sweeps"] and found["cells"] == expected["cells"]
    assert [row["fault"] for row in found["episodes"]] == [None] * episodes
    names = ("run_id", "episode_id", "repeat", "agent")
    assert [[row[name] for name in names] for row in found["episodes"]] == [[row[name] for name in names] for row in expected["episodes"]]
    (page,) = (killed.report / "sweeps").glob("[!i]*.html")
    assert "not begun" not in page.read_text() and not list(killed.root.glob(".report.*.*"))
    models = {cell["run_id"] for cell in expected["cells"] if not cell["is_scripted"]}
    assert [row for row in found["episodes"] if row["run_id"] in models] == [row for row in expected["episodes"] if row["run_id"] in models]


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Episodes that are played without a machine; the number of each run."""
    numbers: list[int] = []

    def ended(jobs: Sequence[Any], *given: object, **named: object) -> Iterator[Done[Any]]:
        numbers.append(len(jobs))
        for job in jobs:
            write_trajectory(job.folder, {**job.about, **FIGURES, **outcome(job)}, [], {})
            yield Done(job, True, None)

    monkeypatch.setattr(runs, "supervised", ended)
    return numbers


def planned(tmp_path: Path, data: DataFolder, runs_of: str, head: str = "") -> Sweep:
    path = tmp_path / "mine.yaml"
    path.write_text(f"title: Mine\ndescription: Mine.\nsuite: smoke\n{head}runs:\n{runs_of}")
    name, declared, source = read_sweep(str(path))
    return planned_sweep(name, declared, cells_of(declared, source, data), data)


def test_a_sweep_takes_over_runs_of_commands_and_a_larger_one_goes_on(tmp_path: Path, data: DataFolder, played: list[int]) -> None:
    small = planned(tmp_path, data, "  - agents: [idle]\n  - agents: [fail]\n    repeats: 2\n", "limit: 3\n")
    assert [len(ran.rows) for ran in run_sweep(small, data, quiet)] == [3, 6] and played == [3, 6]
    again = planned(tmp_path, data, "  - agents: [idle]\n  - agents: [fail]\n    repeats: 2\n")
    assert again.sweep_id == small.sweep_id
    begun = json.loads((data.sweeps / f"{small.sweep_id}.json").read_text())["started_at"]
    assert [len(ran.rows) for ran in run_sweep(again, data, quiet)] == [10, 20] and played == [3, 6, 7, 14]
    assert json.loads((data.sweeps / f"{small.sweep_id}.json").read_text())["started_at"] == begun
    other = planned(tmp_path, data, "  - agents: [idle, oracle]\n")
    assert other.sweep_id != small.sweep_id and other.cells[0][1].run_id == small.cells[0][1].run_id
    run_sweep(other, data, quiet)
    assert played == [3, 6, 7, 14, 0, 10]


def test_a_model_that_is_not_there_stops_no_other_cell(tmp_path: Path, data: DataFolder, played: list[int]) -> None:
    sweep = planned(
        tmp_path, data, "  - agents: [model]\n    models: [{model: m, base_url: 'http://localhost:1/v1'}]\n  - agents: [idle]\n", "limit: 1\n"
    )
    lost, idle = run_sweep(sweep, data, quiet)
    assert isinstance(lost.ended_by, ModelError) and "localhost:1" in str(lost.ended_by) and (lost.rows, lost.wanted) == ([], 1)
    assert idle.ended_by is None and len(idle.rows) == 1 and played == [1]


def test_a_budget_holds_for_the_whole_sweep_and_over_commands(tmp_path: Path, data: DataFolder, played: list[int]) -> None:
    """A sweep that was started again had its whole budget again."""
    data.models.write_text(
        "models: {dear: {base_url: 'http://localhost:1/v1', openness: open, context_tokens: 9000, prices: {input: 1, output: 1}}}\n"
    )
    sweep = planned(tmp_path, data, "  - agents: [model]\n    models: [dear]\n    prompts: [react, reflexion]\n  - agents: [idle]\n", "budget: 1.5\n")
    first, second = (plan.run_id for _, plan in sweep.cells[:2])
    cache = Cache(data.model_calls)
    for run_id, cost in ((first, 1.0), (second, 0.7), ("another", 9.0)):
        cache.note(Call("c", run_id, "dear", "there", "2026-01-01T00:00:00+00:00", "answered", 1, 1, 0, 1, cost, 1.0))
    cache.close()
    assert sweep.spent(data) == pytest.approx(1.7)
    (only,) = run_sweep(sweep, data, quiet)
    assert (
        isinstance(only, CellRun) and isinstance(only.ended_by, BudgetReached) and "the budget of $1.5 for the sweep is spent" in str(only.ended_by)
    )
    assert played == []
    with pytest.raises(ModelError, match="a budget needs prices"):
        planned(tmp_path, data, "  - agents: [idle]\n", "budget: 1\n")


def test_an_estimate_counts_what_is_left_and_grows_with_what_is_shown(tmp_path: Path, data: DataFolder, played: list[int]) -> None:
    runs_of = "  - agents: [idle]\n  - agents: [conversation]\n    models: [gpt-5]\n    observations: [tree, screenshot+tree]\n    histories: [0, 1, all]\n    cards: [false, true]\n"
    sweep = planned(tmp_path, data, runs_of)
    told = {cell.label: one for cell, one in estimates(sweep, data)}
    assert told["idle"].calls == 0 and told["idle"].episodes == 10
    dear = {label.partition("gpt-5, ")[2]: one for label, one in told.items() if label != "idle"}
    assert len({one.calls for one in dear.values()}) == 1 and len(dear) == 12
    one = dear["tree, history=0, cards=no"]
    assert one.most_calls == 8 * 35 + 55 + 100 and 0 < one.calls < one.most_calls
    assert (
        one.tokens > OUTPUT_TOKENS * one.calls and one.cost_usd is not None and one.most_cost_usd is not None and 0 < one.cost_usd < one.most_cost_usd
    )
    for smaller, larger in (
        ("tree, history=0, cards=no", "tree, history=0, cards=yes"),
        ("tree, history=0, cards=no", "tree, history=1, cards=no"),
        ("tree, history=1, cards=no", "tree, history=all, cards=no"),
        ("tree, history=0, cards=no", "screenshot+tree, history=0, cards=no"),
    ):
        assert dear[smaller].tokens < dear[larger].tokens and dear[smaller].most_tokens < dear[larger].most_tokens
    run_sweep(planned(tmp_path, data, "  - agents: [idle]\n", "limit: 4\n"), data, quiet)
    assert {cell.label: left.episodes for cell, left in estimates(sweep, data)}["idle"] == 6 and played == [4]


def test_the_command_tells_what_came_of_each_cell_and_where_its_page_is(
    tmp_path: Path, data: DataFolder, played: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESKMILL_DATA", str(data.root))
    path = tmp_path / "mine.yaml"
    path.write_text("title: Mine\ndescription: Mine.\nsuite: smoke\nruns:\n  - agents: [idle, fail]\n")
    looked = CliRunner().invoke(main, ["sweep", str(path), "--dry-run", "--limit", "2"])
    assert looked.exit_code == 0 and "4 episodes are left, for about $0.00" in looked.output and played == [] and not data.sweeps.exists()
    done = CliRunner().invoke(main, ["sweep", str(path), "--limit", "2"])
    assert done.exit_code == 0 and played == [2, 2] and ": idle: " in done.output and " of 2 succeeded" in done.output
    page = Path(done.output.partition("page of the sweep: ")[2].strip())
    assert page.is_file() and "All cells are played by scripts" in page.read_text()
    path.write_text(path.read_text() + "  - agents: [model]\n    models: [{model: m, base_url: 'http://localhost:1/v1'}]\n")
    lost = CliRunner().invoke(main, ["sweep", str(path), "--limit", "2"])
    assert lost.exit_code == 2 and "localhost:1" in lost.output and "Run the same command to go on" in lost.output and "2 not played" in lost.output
    assert CliRunner().invoke(main, ["sweep", "demmo"]).exit_code == 2
