"""Protects the environment of a suite: a stranger needs a suite's name, an episode and text; mistakes are told, and the budget holds."""

import pytest

from atomic_tasks.problems import BadInput
from eval_flows.episodes.environment import DONE, WAIT
from eval_flows.episodes.serving import open_environment
from eval_flows.episodes.serving.suite_environment import EpisodeOver, SuiteEnvironment, find_task, named_action, read_deed
from eval_flows.episodes.tasks.task import Task
from machines.actions import Action, MalformedAction
from machines.errors import MachineNeeds, PluginError
from machines.machine import MachineChoice
from tests.conftest import workers_and_machines
from warehouse.layout import DataFolder

TYPE = 'computer.keyboard.write(text="milk")'


def test_an_episode_is_played_by_text_until_its_end(data: DataFolder, smoke: list[Task]) -> None:
    with open_environment("smoke", data=data) as environment:
        first = environment.reset()
        assert first.screenshot and environment.task == smoke[0] and environment.steps == 0 and environment.screen == (1280, 800)
        typed = environment.step(TYPE)
        assert any("milk" in element.text for element in typed.elements) and not typed.feedback
        assert "the code cannot be read" in environment.step("please type milk").feedback
        assert environment.step([Action("press", {"key": "ctrl+a"}), WAIT]).feedback == "" and environment.steps == 3
        assert len(environment.look().elements) > 5 and environment.steps == 3, "looking is no step"
        assert environment.step("DONE").ended == "DONE" and environment.end == "DONE" and environment.evaluate().value == 0
        with pytest.raises(EpisodeOver, match="has ended \\(DONE\\)"):
            environment.step(TYPE)
        environment.reset(smoke[2].episode_id)
        assert environment.task == smoke[2] and environment.end is None
    assert not workers_and_machines()


def test_the_budget_of_steps_holds_and_the_last_state_is_judged(smoke: list[Task], choice: MachineChoice) -> None:
    with SuiteEnvironment(smoke, choice, (), most_steps=2) as environment:
        assert environment.reset(0).screenshot is None
        wanted = smoke[0].values["jotting"]
        environment.step([Action("press", {"key": "ctrl+end"}), Action("write", {"text": wanted}), Action("press", {"key": "ctrl+s"})])
        assert environment.end is None
        environment.step("not an action at all")
        assert environment.end == "out of steps" and environment.evaluate().value == 1
        with pytest.raises(EpisodeOver, match="out of steps"):
            environment.step(DONE)


def test_looking_again_keeps_what_the_last_step_came_to(smoke: list[Task], choice: MachineChoice) -> None:
    with SuiteEnvironment(smoke, choice, ()) as environment:
        environment.reset(0)
        wanted = smoke[0].values["jotting"]
        environment.step([Action("press", {"key": "ctrl+end"}), Action("write", {"text": wanted}), Action("press", {"key": "ctrl+s"})])
        told = environment.step([Action("move_abs", {"x": 0.5, "y": 0.5}), Action("move_id", {"id": 9999})])
        again = environment.look()
        assert again.feedback == told.feedback != "" and (again.pointer, again.carried_out) == (told.pointer, told.carried_out) == ((640, 400), 1)
        assert environment.step("please type milk").feedback == environment.look().feedback != ""
        environment.step("FAIL")
        assert environment.look().ended == "FAIL" and environment.end == "FAIL" and environment.evaluate().value == 0, "the checks do not decide it"
        with pytest.raises(EpisodeOver, match="has ended \\(FAIL\\)"):
            environment.step(TYPE)
        assert environment.reset(0).feedback == "" and environment.look().ended is None


@pytest.mark.parametrize("episode", [-1, 10, "0", "nothing", 99])
def test_an_unknown_episode_lists_what_there_is(smoke: list[Task], episode: int | str) -> None:
    with pytest.raises(BadInput, match=rf"no episode {episode!r}.*from 0 to 9.*{smoke[0].episode_id}"):
        find_task(smoke, episode)


def test_a_wrong_suite_or_machine_is_said_before_anything_starts(data: DataFolder) -> None:
    with pytest.raises(BadInput, match="no suite 'smok'; did you mean smoke"):
        open_environment("smok", data=data)
    with pytest.raises(PluginError, match="no kind of machine 'sandbx'; did you mean 'sandbox'"):
        open_environment("smoke", "sandbx", data=data)
    with pytest.raises(MachineNeeds, match="deskmill machine build smoke"):
        open_environment("smoke", data=DataFolder(data.root / "elsewhere"))


def test_text_and_named_actions_say_the_same() -> None:
    assert read_deed(" DONE\n") == read_deed("DONE()") == [DONE] == [named_action("DONE", {})]
    assert read_deed("press('a')") == [named_action("press", {"key": "a"})] == [Action("press", {"key": "a"})]
    for name, arguments in (("fly", {}), ("DONE", {"now": 1}), ("press", {}), ("press", {"key": 3})):
        with pytest.raises(MalformedAction):
            named_action(name, arguments)
    for text in ("", "DONE\nDONE", "import os", "x = 3"):
        with pytest.raises(MalformedAction):
            read_deed(text)
