"""Protects clicks from what hangs over their place: a tip that comes up there as the pointer leaves another element goes before the click."""

from typing import Any, cast

from eval_flows.episodes.environment.desktop import Desktop
from machines.actions import Action
from machines.machine import Client
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
