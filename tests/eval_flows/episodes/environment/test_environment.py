"""Protects the environment: whoever plays acts by steps alone, is told what was not carried out, and asks the machine no more than needed."""

from collections import Counter
from typing import Any, cast

import pytest

from eval_flows.episodes.environment import DONE, FAIL, WAIT, Environment
from eval_flows.episodes.tasks.suite import tasks_of
from eval_flows.episodes.tasks.task import Task
from machines.actions import Action
from machines.image import Image
from machines.machine import Machine
from machines.sandbox import Sandbox
from tests.conftest import REPOSITORY, workers_and_machines

SAVE, TYPE = Action("press", {"key": "ctrl+s"}), Action("press", {"key": "a"})


@pytest.fixture(scope="module")
def tasks() -> list[Task]:
    return tasks_of("smoke")


class Counting:
    """A client that counts what it is asked for, and asks another one."""

    def __init__(self, client: Any, asked: Counter[str]) -> None:
        self._client, self._asked = client, asked

    def __getattr__(self, name: str) -> Any:
        self._asked[name] += 1
        return getattr(self._client, name)


class CountingMachine(Sandbox):
    """A sandbox that counts what its guest is asked for."""

    @property
    def client(self) -> Any:
        return Counting(super().client, self.__dict__.setdefault("asked", Counter()))


def test_a_task_is_played_by_steps_and_mistakes_are_told_and_not_raised(tasks: list[Task], image: Image) -> None:
    append, delete, *_ = tasks
    with Environment(Sandbox(image)) as environment:
        observation = environment.reset(append)
        assert observation.screenshot and observation.elements and [window.window_class for window in observation.windows] == ["Mousepad"]
        assert environment.evaluate(0).value == 0 and environment.task == append, "as it was given, with its id"
        jotted = [Action("press", {"key": "ctrl+end"}), Action("write", {"text": append.values["jotting"]}), SAVE]
        observation = environment.step([*jotted, Action("move_id", {"id": 9999}), TYPE])
        assert "there is no element with the id 9999" in observation.feedback and not observation.ended
        assert environment.step(Action("move_abs", {"x": 0.5, "y": 0.5})).pointer == (640, 400)
        told = environment.step(Action("switch_to_app", {"window": "none of that title"}))
        assert "was not carried out" in told.feedback
        assert not environment.step(WAIT).feedback
        last = environment.step(DONE)
        assert last.ended == "DONE" and environment.evaluate().value == 1, "what came after the mistake was not typed"
        with pytest.raises(RuntimeError, match="the episode has ended"):
            environment.step(SAVE)
        assert environment.reset(delete).ended is None and environment.evaluate(0).value == 0, "another task on a machine as new"
        assert environment.step(FAIL).ended == "FAIL" and environment.evaluate().value == 0
    assert not workers_and_machines()


def test_a_step_asks_the_guest_to_act_to_be_still_and_to_show_and_nothing_else(tasks: list[Task], image: Image) -> None:
    machine = CountingMachine(image)
    with Environment(cast("Machine", machine)) as environment:
        environment.reset(tasks[0])
        asked = machine.__dict__["asked"]
        for action, wanted in ((TYPE, {"act": 1, "settle": 1, "observe": 1}), ([TYPE, SAVE], {"act": 2, "settle": 2, "observe": 1}),
                               ((), {"observe": 1}), (WAIT, {"settle": 1, "observe": 1}), (DONE, {})):  # fmt: skip
            asked.clear()
            environment.step(action)
            assert dict(asked) == wanted, action


def test_a_proof_acts_without_looking(tasks: list[Task], image: Image) -> None:
    machine = CountingMachine(image)
    with Environment(cast("Machine", machine)) as environment:
        seen = environment.reset(tasks[0])
        asked = machine.__dict__["asked"]
        asked.clear()
        assert environment.act([TYPE, SAVE]) == "" and environment.observation == seen
        assert dict(asked) == {"act": 2, "settle": 3}
        assert "there is no element with the id 9999" in environment.act([Action("move_id", {"id": 9999}), TYPE])


def test_nothing_can_be_done_before_a_reset() -> None:
    environment = Environment(cast("Machine", None))
    for call in (lambda: environment.step(SAVE), environment.evaluate, environment.look):
        with pytest.raises(RuntimeError, match="reset the environment with a task"):
            call()
    environment.close()


def test_the_program_of_the_page_plays(image: Image, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("DESKMILL_DATA", str(image.machines.parent))
    page = (REPOSITORY / "docs/episodes.md").read_text().partition("## Play from your own program")[2]
    code = page.partition("```python\n")[2].partition("```")[0]
    exec(compile(code, "docs/episodes.md", "exec"), {})
    assert capsys.readouterr().out == "0.0\n" and not workers_and_machines()
