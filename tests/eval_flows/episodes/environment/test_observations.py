"""Protects that what an agent sees agrees with itself and with the machine: on real applications, right after an action."""

from collections.abc import Iterator

import pytest

from eval_flows.episodes.environment import Environment, Observation
from eval_flows.episodes.tasks.suite import tasks_of
from machines.actions import Action
from machines.image import Image
from machines.observation import Element
from machines.sandbox import Sandbox
from machines.telling import told


@pytest.fixture
def environment(image: Image) -> Iterator[Environment]:
    with Environment(Sandbox(image)) as running:
        yield running


def opened(environment: Environment, program: str) -> Observation:
    return environment.reset(next(task for task in tasks_of("smoke") if task.steps[0].program == program))


def named(seen: Observation, name: str) -> Element:
    return next(one for one in seen.elements if one.name == name)


def press(environment: Environment, key: str) -> Observation:
    return environment.step(Action("press", {"key": key}))


def titles(seen: Observation) -> tuple[str, str]:
    return seen.windows[-1].title, next(one.name for one in seen.elements if one.role == "frame")


def test_after_typing_and_saving_windows_and_tree_tell_the_same_state_at_once(environment: Environment) -> None:
    opened(environment, "mousepad")
    changed = environment.step([Action("press", {"key": "ctrl+end"}), Action("write", {"text": "milk"})])
    assert all(title.startswith("*") for title in titles(changed)) and changed.has_changed and changed.is_still
    saved = press(environment, "ctrl+s")
    assert not any(title.startswith("*") for title in titles(saved)) and titles(saved)[0] == titles(saved)[1]


def test_a_dialog_is_gone_with_the_step_that_closes_it(environment: Environment) -> None:
    opened(environment, "mousepad")
    shown = press(environment, "ctrl+l")
    assert len(shown.windows) == 2 and any(one.role == "dialog" for one in shown.elements)
    gone = press(environment, "escape")
    assert len(gone.windows) == 1 and not any(one.role == "dialog" for one in gone.elements)


def test_an_action_that_does_nothing_is_told_as_such(environment: Environment) -> None:
    opened(environment, "mousepad")
    press(environment, "ctrl+home")
    assert press(environment, "ctrl+home").has_changed is False
    assert environment.step(Action("move_abs", {"x": 0.3, "y": 0.5})).has_changed is False, "the pointer alone is no change"
    assert environment.step(Action("write", {"text": "a"})).has_changed is True


def test_ids_stay_with_their_elements_while_others_come_and_go(environment: Environment) -> None:
    seen = opened(environment, "mousepad")
    menu = named(seen, "Edit")
    for key in ("ctrl+f", "a", "escape"):
        seen = press(environment, key)
        assert named(seen, "Edit").number == menu.number
    assert len({one.number for one in seen.elements}) == len(seen.elements)


def test_a_click_into_the_middle_of_an_element_hits_it(environment: Environment) -> None:
    seen = opened(environment, "thunar")
    for name in [one.name for one in seen.elements if one.role == "table cell" and one.name.endswith(".txt")][:5]:
        seen = environment.step([Action("move_id", {"id": named(seen, name).number}), Action("single_click", {})])
        assert "selected" in named(seen, name).states, name


def test_an_open_menu_is_told_whole_and_its_items_open_what_they_say(environment: Environment) -> None:
    seen = opened(environment, "galculator")
    seen = environment.step([Action("move_id", {"id": named(seen, "View").number}), Action("single_click", {})])
    lines = told(seen.elements, seen.windows, environment.desktop.screen).text
    assert '"Scientific Mode"' in lines and '"Basic Mode" (checked)' in lines, lines


def test_what_is_told_is_short(environment: Environment) -> None:
    seen = opened(environment, "thunar")
    lines = told(seen.elements, seen.windows, environment.desktop.screen).text
    assert "empty cells" in lines and len(lines.split("\n")) < 0.3 * len(seen.elements)
