"""Protects that what an agent sees agrees with itself and with the machine: on real applications, right after an action."""

from collections.abc import Iterator
from dataclasses import replace

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


def test_a_button_that_enter_presses_has_acted_before_the_next_key_comes(environment: Environment) -> None:
    """Found by playing: GTK lets it act a quarter of a second later, and keys until then were lost in the dialog."""
    opened(environment, "mousepad")
    seen = environment.step([Action("press", {"key": "ctrl+l"}), Action("press", {"key": "enter"}), Action("write", {"text": "zz"})])
    assert len(seen.windows) == 1 and any("zz" in one.text for one in seen.elements if one.role == "text")
    press(environment, "ctrl+l")
    assert len(press(environment, "enter").windows) == 1


def test_what_is_typed_after_open_program_goes_to_the_program(environment: Environment) -> None:
    """Found by playing: the text went into the window that was in front before."""
    before = opened(environment, "mousepad")
    typed = "12345"
    seen = environment.step([Action("open_program", {"program": "galculator"}), Action("write", {"text": typed})])
    texts = {one.application: one.text for one in seen.elements if one.role == "text"}
    assert texts["galculator"] == typed and seen.has_changed
    assert texts["mousepad"] == next(one.text for one in before.elements if one.role == "text")
    again = environment.step([Action("open_program", {"program": "Mousepad"}), Action("write", {"text": "milk"})])
    assert any("milk" in one.text for one in again.elements if one.application == "mousepad" and one.role == "text"), "its window comes to the front"


def test_nothing_is_done_after_open_program_if_no_window_comes(environment: Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eval_flows.episodes.environment.desktop._PROGRAM_SECONDS", 1.0)
    before = opened(environment, "mousepad")
    offers = environment.desktop.offers
    without = {**offers.programs, "thunar": offers.programs["thunar"].model_copy(update={"window_class": "Nobody"})}
    environment.desktop.offers = replace(offers, programs=without)
    seen = environment.step([Action("open_program", {"program": "thunar"}), Action("write", {"text": "lost"})])
    assert "was carried out, but no window of thunar came to the front within 1 s: nothing was done after it" in seen.feedback
    texts = [[one.text for one in observed.elements if one.application == "mousepad" and one.role == "text"] for observed in (before, seen)]
    assert texts[0] == texts[1] and seen.carried_out == 1


def test_a_program_that_hangs_does_not_hide_the_others(environment: Environment) -> None:
    """Found by playing: the list of elements stayed empty for the rest of an episode."""
    opened(environment, "mousepad")
    environment.step(Action("open_program", {"program": "galculator"}))
    environment.desktop.client.execute(["pkill", "-STOP", "galculator"])
    for _ in range(2):
        seen = environment.step(())
        assert {one.application for one in seen.elements} == {"mousepad"} and named(seen, "Edit")
    environment.desktop.client.execute(["pkill", "-CONT", "galculator"])
    assert {one.application for one in environment.step(()).elements} == {"mousepad", "galculator"}


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


def test_a_view_that_thunar_tells_nothing_of_is_told_with_a_hint(environment: Environment) -> None:
    opened(environment, "thunar")
    seen = press(environment, "ctrl+1")
    lines = told(seen.elements, seen.windows, environment.desktop.screen).text
    assert "(focused, see the picture): " in lines and '"Icon view"' in lines and "split pane" not in lines, lines
