"""Protects what is promised of kills, by a short form of the campaign, of another part and at another moment with each commit.

`python -m tests.campaign` is the whole. What it finds, and what it counts as a kill, is protected here too.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from machines.image import Image
from tests.campaign import Scene, Told, _killed_once, asked_again, campaign
from tests.campaign_parts import PARTS, Part
from tests.campaign_services import Scheduler, kill_one
from tests.conftest import commit_number
from tests.language_models.fake_server import FakeServer
from warehouse.layout import DataFolder

CASES = [(part, victim) for part in PARTS for victim in part.victims]


@pytest.mark.slow(minutes=2)
@pytest.mark.rotates
@pytest.mark.parametrize(("part", "victim"), CASES, ids=lambda given: given if isinstance(given, str) else given.name)
def test_a_short_campaign_loses_nothing_doubles_nothing_and_leaves_nothing(part: Part, victim: str, image: Image) -> None:
    told = campaign(1, commit_number(), (part,), image.machines, print, (victim,))
    assert told.wrong == [] and told.kills == {f"{part.name}: {victim}": 1}


@pytest.mark.whole
def test_a_campaign_of_a_hundred_kills_loses_nothing_doubles_nothing_and_leaves_nothing(image: Image) -> None:
    told = campaign(100, 0, PARTS, image.machines, print)
    assert told.wrong == [] and told.kills.total() >= len(PARTS)


def test_the_campaign_kills_all_that_is_promised() -> None:
    assert {part.name for part in PARTS} >= {"build", "flow", "select", "episodes", "episodes of a model", "build on dask", "episodes on dask"}
    assert {victim for _, victim in CASES} == {"command", "worker", "scheduler", "worker of dask"}


class Nanny:
    """A process of Dask that has these children."""

    pid = 0

    def __init__(self, *children: Any) -> None:
        self._children = children

    def children(self, recursive: bool = False) -> list[Any]:
        return list(self._children)


def test_a_worker_that_its_nanny_is_just_starting_is_no_kill(monkeypatch: pytest.MonkeyPatch) -> None:
    """A campaign ended with StopIteration, and counted kills of nothing."""
    scheduler = Scheduler.__new__(Scheduler)
    scheduler._processes = [Nanny()]  # type: ignore[list-item]
    monkeypatch.setattr("psutil.Process", lambda pid: Nanny())
    assert not scheduler.kill_worker() and not kill_one([])


@pytest.fixture
def scene() -> Iterator[Scene]:
    yield Scene(FakeServer(), None, {})


@pytest.mark.parametrize(
    ("code", "victim", "killed", "said"),
    [
        ("import time; time.sleep(60)", "command", True, ""),
        ("pass", "command", False, ""),
        ("pass", "worker", False, ""),
        ("raise SystemExit(3)", "worker", False, "ended with 3"),
        ("import subprocess, sys; raise SystemExit(subprocess.run([sys.executable, '-c', 'import time; time.sleep(60) # spawn_main']).returncode != 0)",
         "worker", True, "did not go on after the kill of a worker, but ended with 1"),
    ],
)  # fmt: skip
def test_a_kill_counts_if_something_was_killed_and_what_goes_on_has_to_end_well(
    code: str, victim: str, killed: bool, said: str, scene: Scene, tmp_path: Path
) -> None:
    told = Told()
    moment = 0.2 if killed else 60
    assert _killed_once("a part, round 1", ["-c", code], DataFolder(tmp_path), scene, moment, victim, told) == killed
    assert told.kills == ({f"a part: {victim}": 1} if killed else {})
    assert [said in one for one in told.wrong] == ([True] if said else [])


def test_answers_that_were_asked_for_again_are_counted_for_selection_and_for_episodes() -> None:
    select, episodes = (next(part for part in PARTS if part.name == name) for name in ("select", "episodes of a model"))
    paid, questions = Counter({"a": 2, "b": 1}), {"a", "b"}
    assert list(asked_again(select, paid, questions, 1)) == [] and list(asked_again(episodes, paid, {"a"}, 1)) == []
    assert list(asked_again(episodes, paid, questions, 0)) == ["1 answers were asked for again after 0 kills"]
    assert list(asked_again(select, Counter({"a": 1}), questions, 0)) == ["1 questions, of which 1 are the 2 of the uninterrupted run"]
