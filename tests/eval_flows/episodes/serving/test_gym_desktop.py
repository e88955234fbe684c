"""Protects the Gymnasium environment: Gymnasium's own checker passes, texts and numbers both act, and the reward comes at the end."""

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import FilterObservation

from atomic_tasks.problems import BadInput
from eval_flows.episodes.serving.gym_desktop import ID, KEYS, KINDS, ActionText, AnyText, PointerActions, as_text, pointer_space
from eval_flows.episodes.serving.suite_environment import read_deed
from eval_flows.episodes.tasks.task import Task
from machines.actions import for_guest
from machines.image import Image
from tests.conftest import workers_and_machines


@pytest.fixture
def desktop(image: Image, monkeypatch: pytest.MonkeyPatch) -> Iterator[gymnasium.Env[dict[str, Any], str]]:
    monkeypatch.setenv("DESKMILL_DATA", str(image.machines.parent))
    made = gymnasium.make(ID, suite="smoke")
    yield made
    made.close()


@pytest.mark.slow(minutes=1)
def test_the_checker_of_gymnasium_passes(desktop: gymnasium.Env[dict[str, Any], str]) -> None:
    check_env(desktop.unwrapped)
    desktop.close()
    assert not workers_and_machines()


def test_an_episode_earns_its_reward_at_its_end(desktop: gymnasium.Env[dict[str, Any], str], smoke: list[Task]) -> None:
    shown, info = desktop.reset(options={"episode": smoke[0].episode_id})
    assert info["episode"] == smoke[0].episode_id and shown["instruction"] == smoke[0].instruction and shown["screenshot"].shape == (800, 1280, 3)
    assert "frame: 1 " in shown["elements"] and "Mousepad" in shown["windows"]
    code = f"computer.keyboard.press(key='ctrl+end')\ncomputer.keyboard.write(text={smoke[0].values['jotting']!r})\ncomputer.keyboard.press(key='ctrl+s')"
    shown, reward, terminated, truncated, info = desktop.step(code)
    assert (reward, terminated, truncated, shown["feedback"]) == (0, False, False, "") and "checks" not in info
    assert "was not carried out" in desktop.step("computer.mouse.move_id(id=9999)")[0]["feedback"]
    shown, reward, terminated, truncated, info = desktop.step("DONE")
    assert (
        (reward, terminated, truncated) == (1, True, False)
        and info["is_success"]
        and info["side_effects"] == []
        and all(one["holds"] for one in info["checks"])
    )
    assert shown in desktop.observation_space


def test_a_budget_that_is_used_up_truncates_and_a_seed_draws_the_episode(
    desktop: gymnasium.Env[dict[str, Any], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eval_flows.episodes.tasks.task.STEP_BUDGETS", {"L1": 2, "L2": 2, "L3": 2})
    numbers = FilterObservation(PointerActions(desktop), ["screenshot"])
    first = numbers.reset(seed=5)[1]["episode"]
    numbers.reset()
    assert numbers.reset(seed=5)[1]["episode"] == first
    numbers.action_space.seed(5)
    action = {**numbers.action_space.sample(), "kind": KINDS.index("single_click")}
    shown, _, terminated, truncated, _ = numbers.step(action)
    assert set(shown) == {"screenshot"} and (terminated, truncated) == (False, False)
    _, reward, terminated, truncated, info = numbers.step({**action, "kind": KINDS.index("press"), "key": KEYS.index("escape")})
    assert (reward, terminated, truncated) == (0, False, True) and "checks" in info
    with pytest.raises(BadInput, match="no option 'task'; it has 'episode'"):
        desktop.reset(options={"task": 3})


def test_samples_of_both_spaces_can_be_carried_out() -> None:
    texts, numbers = ActionText(), pointer_space()
    texts.seed(3), numbers.seed(3)
    drawn = {texts.sample() for _ in range(300)}
    assert len(drawn) > 200 and not {"DONE", "FAIL"} & drawn
    chosen = [as_text(numbers.sample()) for _ in range(300)]
    assert {"DONE", "FAIL", "WAIT"} <= set(chosen)
    for text in (*drawn, *chosen, *(as_text({"kind": KINDS.index("press"), "key": number, "place": ()}) for number in range(len(KEYS)))):
        assert text in texts
        for action in read_deed(text):
            if action.name not in ("WAIT", "DONE", "FAIL"):
                assert for_guest(action, (), (1280, 800))
    assert "größer ≥ 3 …" in AnyText() and 3 not in AnyText()


def test_without_gymnasium_the_import_says_what_to_install() -> None:
    code = "import sys; sys.modules['gymnasium'] = None; import eval_flows.episodes.serving.gym_desktop"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode != 0 and "pip install 'deskmill[gym]'" in done.stderr
