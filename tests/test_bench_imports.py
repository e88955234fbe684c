"""Protects the bench of imported episodes where no machine is needed: what it plays, what its model says, and the arithmetic beside it."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from atomic_tasks.catalog import sound_catalog
from eval_flows.episodes.agents.action_space import ACTION_SPACES
from eval_flows.episodes.agents.agent import Spent
from eval_flows.episodes.agents.model import read_decision
from eval_flows.episodes.tasks.suite import read_suite, suite_tasks
from tests.bench_imports import EXAMPLES, IMAGE, STEPS, SUITE, figure_of, imported, reply, seconds_of_sleeps
from warehouse.layout import DataFolder


def test_it_plays_runnable_tasks_of_every_application(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESKMILL_DATA", str(tmp_path / "data"))
    found = imported(DataFolder(tmp_path / "data"), tmp_path / "tasks")
    assert found.problems == [] and all(row.reason is None for row in found.rows)
    assert Counter(row.application for row in found.rows) == {path.name: 2 for path in EXAMPLES.iterdir() if path.is_dir()}
    suite = read_suite(SUITE)
    assert suite.image == IMAGE and len(suite_tasks(suite, sound_catalog())) == len(found.rows)


def test_its_model_acts_and_ends(tmp_path: Path) -> None:
    answers = [reply({"messages": [{}, {"content": f"... Step {step} of 55 ..."}]}) for step in range(1, STEPS + 1)]
    decisions = [read_decision(answer, Spent(), ACTION_SPACES["computer"]()) for answer in answers]
    assert [one.malformed for one in decisions] == [None] * STEPS
    assert [one.kind for one in decisions] == ["COMMAND"] * (STEPS - 1) + ["DONE"]


def test_the_arithmetic_is_of_the_same_episodes() -> None:
    assert seconds_of_sleeps([5, 0]) == 60 + 20 + 10 + 60 + 20
    rows: list[dict[str, Any]] = [
        {"steps": 5, "reward": 0.0},
        {"steps": 5, "reward": 1.0},
        {"steps": 3, "reward": None},
        {"status": "infrastructure fault"},
    ]
    name, ours, unit, reference, theirs = figure_of(rows, 18.0)
    assert (name, unit) == ("imported_episodes_an_hour", "episodes/h") and reference.startswith("arithmetic")
    assert ours == pytest.approx(3600 * 2 / 18) and theirs == pytest.approx(3600 / 90)
    with pytest.raises(RuntimeError, match="none of 1 episodes was played"):
        figure_of(rows[2:3], 18.0)
