"""Protects clicks from what hangs over their place, and keys from going elsewhere than to the program that was opened for them."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, cast

import pytest

from eval_flows.episodes.environment.desktop import Desktop, LateWindow, presses_in_dialog
from machines.actions import Action
from machines.client import Observed, Window
from machines.machine import Client, Program
from machines.observation import Element
from tests.eval_flows.episodes.desktops import OFFERS


class Recorder:
    """A guest that only tells what it was asked for, in order."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def act(self, action: dict[str, Any]) -> None:
        self.asked.append(action["name"])

    def settle(self, quiet: float, limit: float) -> bool:
        assert 0 < quiet < limit
        self.asked.append("settle")
        return True


def test_a_click_waits_until_the_desktop_has_seen_the_pointer_come() -> None:
    guest = Recorder()
    screen = Desktop(cast("Client", guest), OFFERS)
    for action in (Action("move_abs", {"x": 0.5, "y": 0.5}), Action("single_click", {})):
        screen.do(action, ())
    assert guest.asked == ["move", "settle", "single_click", "settle"]
    guest.asked.clear()
    assert screen.do(Action("triple_click", {"x": 1, "y": 1}), ()) == (1279, 799)
    assert guest.asked == ["move", "settle", "triple_click", "settle"], "the same if one action names the place"


def test_an_action_at_the_pointer_has_the_place_to_which_another_step_has_moved_it() -> None:
    """The ring of the last action was missing for a bare click."""
    screen = Desktop(cast("Client", Recorder()), OFFERS)
    assert screen.do(Action("single_click", {}), ()) is None, "no action has moved the pointer, so no one knows where it is"
    assert screen.do(Action("move_abs", {"x": 1, "y": 0}), ()) == (1279, 0)
    assert screen.do(Action("press", {"key": "a"}), ()) is None
    for name, arguments in (("single_click", {}), ("right_click", {}), ("scroll", {"direction": "down"}), ("middle_click", {}), ("mouse_down", {})):
        assert screen.do(Action(name, arguments), ()) == (1279, 0), name
    assert screen.do(Action("drag", {"x": 0, "y": 0}), ()) == screen.do(Action("single_click", {}), ()) == (0, 0)


def test_a_button_of_a_dialog_is_given_time_to_close_it() -> None:
    """Found by playing: keys that came right after a click on OK were lost."""
    states = frozenset({"enabled"})
    dialog, ok, field = (
        Element(number, role, name, "", None, states, box, "Page Settings", "eeschema")
        for number, (role, name, box) in enumerate(
            [("dialog", "Page Settings", (0, 0, 400, 300)), ("push button", "OK", (300, 250, 80, 30)), ("text", "Title", (10, 10, 200, 30))], 1
        )
    )
    button = Element(4, "push button", "Save", "", None, states, (600, 0, 30, 30), "Editor", "eeschema")
    assert presses_in_dialog(ok.middle, [dialog, ok, field, button])
    assert not presses_in_dialog(field.middle, [dialog, ok, field, button]) and not presses_in_dialog(button.middle, [dialog, ok, field, button])


class Opens(Recorder):
    """A guest with these windows at each look; the last ones stay."""

    def __init__(self, *looks: list[Window]) -> None:
        super().__init__()
        self._looks = list(looks)

    def observe(self, what: Iterable[str]) -> Observed:
        self.asked.append("look")
        return Observed(windows=tuple(self._looks.pop(0) if len(self._looks) > 1 else self._looks[0]))

    def activate_window(self, name: str, strict: bool = False, by_class: bool = False) -> bool:
        assert by_class
        self.asked.append(f"activate {name}")
        return True


def window(title: str, window_class: str, is_active: bool) -> Window:
    return Window(title, window_class, 1, 0, 0, 100, 100, is_active)


EDITOR, CALCULATOR = window("notes", "Mousepad", True), window("calculator", "Galculator", True)
BEHIND = replace(CALCULATOR, is_active=False)


def opened(monkeypatch: pytest.MonkeyPatch, *looks: list[Window], seconds: float = 20.0) -> list[str]:
    monkeypatch.setattr("eval_flows.episodes.environment.desktop._PROGRAM_SECONDS", seconds)
    monkeypatch.setattr("eval_flows.episodes.environment.desktop._SAME_WINDOW_SECONDS", seconds)
    guest = Opens(*looks)
    offers = replace(OFFERS, programs={"galculator": Program(command=["galculator"], window_class="galculator")})
    assert Desktop(cast("Client", guest), offers).do(Action("open_program", {"program": " Galculator"}), ()) is None
    return guest.asked


def test_a_program_is_open_when_its_window_is_in_front(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = opened(monkeypatch, [EDITOR], [EDITOR], [EDITOR, BEHIND], [replace(EDITOR, is_active=False), CALCULATOR])
    assert asked == ["look", "open_program", "look", "look", "look", "settle"]


def test_another_window_of_a_program_that_is_open_is_waited_for_and_need_not_come(monkeypatch: pytest.MonkeyPatch) -> None:
    assert opened(monkeypatch, [CALCULATOR], [CALCULATOR], [BEHIND, replace(CALCULATOR, title="other")])[-2:] == ["look", "settle"]
    assert opened(monkeypatch, [CALCULATOR], seconds=0.1)[-2:] == ["look", "settle"]
    assert opened(monkeypatch, [BEHIND, EDITOR], seconds=0.1)[-2:] == ["activate galculator", "settle"]


def test_a_window_that_does_not_come_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(LateWindow, match="no window of galculator came to the front within"):
        opened(monkeypatch, [EDITOR], [EDITOR, BEHIND], seconds=0.1)
