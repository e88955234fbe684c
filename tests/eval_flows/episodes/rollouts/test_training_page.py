"""Protects the page about training: `datasets` reads the rollouts as it says, and its loop learns which action earns the reward."""

import re
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from eval_flows.episodes.rollouts.export import write_rollouts
from machines.image import Image
from tests.conftest import REPOSITORY
from tests.eval_flows.episodes.rollouts.made_runs import RUN, conversation_run
from tests.eval_flows.episodes.rollouts.test_rollouts import answered
from tests.language_models.fake_server import fake_server
from warehouse.layout import DataFolder

PAGE = (REPOSITORY / "docs/training.md").read_text()
READING, LOOP = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
DEFINED, _, MAIN = LOOP.partition("\nwith ")


class Desk:
    """An environment whose episode earns the reward if one key was pressed, and nothing else but DONE."""

    def __init__(self, right: str) -> None:
        self._right = right
        self.pressed: list[str] = []
        self.played: Counter[str] = Counter()

    def reset(self, episode: int) -> None:
        assert episode == 6
        self.pressed = []

    def step(self, deed: str) -> None:
        self.pressed.append(deed)

    def evaluate(self) -> SimpleNamespace:
        first, last = self.pressed
        assert last == "DONE"
        self.played[first] += 1
        return SimpleNamespace(value=float(f'"{self._right}"' in first))


def loop() -> dict[str, Any]:
    defined: dict[str, Any] = {}
    exec(compile(DEFINED, "docs/training.md, A loop", "exec"), defined)
    return defined


def test_the_loop_is_short() -> None:
    assert len([line for line in LOOP.splitlines() if line]) <= 30


@pytest.mark.parametrize("right", ["ctrl+h", "ctrl+a", "f5"])
def test_the_loop_learns_the_right_key_whichever_it_is(right: str) -> None:
    defined, desk = loop(), Desk(right)
    number = defined["KEYS"].index(right)
    policy = defined["train"](desk, updates=6)
    assert policy[number] > 0.85 and policy.sum() == pytest.approx(1)
    assert sum(desk.played.values()) == 6 * 8 and desk.played.most_common(1)[0][0] == f'computer.keyboard.press(key="{right}")'


def test_a_group_with_equal_rewards_teaches_nothing() -> None:
    defined, desk = loop(), Desk("no key at all")
    assert defined["train"](desk, updates=3) == pytest.approx(np.full(3, 1 / 3))


def test_a_step_of_the_loop_is_the_policy_gradient_of_the_group() -> None:
    """Against differences of the objective: the mean of advantage times log probability over the group."""
    defined = loop()
    chosen = np.random.default_rng(0).choice(3, size=8, p=np.full(3, 1 / 3))
    rewards = (chosen == 0).astype(float)
    advantages = (rewards - rewards.mean()) / rewards.std()

    def objective(preferences: np.ndarray) -> float:
        return float((advantages * np.log(defined["policy_of"](preferences))[chosen]).mean())

    small = 1e-6 * np.eye(3)
    gradient = np.array([(objective(one) - objective(-one)) / 2e-6 for one in small])
    assert defined["train"](Desk("ctrl+h"), updates=1) == pytest.approx(defined["policy_of"](gradient), abs=1e-6)


@pytest.mark.rotates(of="programs of the pages", number=2)
@pytest.mark.slow(minutes=2)
def test_the_loop_learns_on_the_real_desktop(image: Image, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("DESKMILL_DATA", str(image.machines.parent))
    shorter = LOOP.replace("updates=3", "updates=2")
    assert shorter != LOOP
    exec(compile(shorter, "docs/training.md, A loop", "exec"), {})
    means, learnt = zip(*re.findall(r"^([\d.]+) \[([\d.]+)", capsys.readouterr().out, re.MULTILINE), strict=True)
    first, last = map(float, learnt)
    assert len(means) == 2 and 1 / 3 < first < last and last > 0.55, "the right key becomes likelier with each group"


def test_datasets_reads_the_rollouts_with_their_pictures_as_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data = DataFolder(tmp_path / "data")
    with fake_server(answered) as server:
        conversation_run(data, server.base_url, log_probabilities=True)
    made = write_rollouts(RUN, data)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.chdir(made.folder)
    from datasets import config, load_dataset

    monkeypatch.setattr(config, "HF_DATASETS_CACHE", tmp_path / "cache")
    exec(compile(READING, "docs/training.md, Read them", "exec"), {})
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "[1.0, -1.0]" and lines[1] == "2 (16, 10)" and lines[2].startswith("2 [{") and lines[3].startswith("4 [{")
    by_card = load_dataset(str(made.folder), cache_dir=str(tmp_path / "cache"))["train"]
    assert by_card.num_rows == 2 and by_card[0]["steps"][0]["calls"][0]["log_probabilities"] == [-0.5, -0.125]
