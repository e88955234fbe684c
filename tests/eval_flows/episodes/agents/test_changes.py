"""Protects the source `changes`: what is new, changed or gone since the last step, and nothing that is said of the whole screen."""

from dataclasses import replace

from eval_flows.episodes.agents.agent import Situation
from eval_flows.episodes.agents.observations.changes import Changes
from eval_flows.episodes.environment import Observation
from machines.client import Window
from machines.observation import Element

SCREEN = (600, 400)
BELOW, FRONT = Window("list", "a", None, 0, 0, 600, 400, False), Window("editor", "b", None, 0, 200, 600, 200, True)


def element(number: int, name: str, window: str, top: int) -> Element:
    return Element(number, "push button", name, "", None, frozenset({"enabled", "focusable"}), (10, top, 60, 20), window, "a")


BEFORE = [element(1, "Save", "editor", 220), element(2, "Undo", "editor", 250), element(3, "Add", "list", 30), element(4, "Sort", "list", 60)]


def shown(now: list[Element], before: list[Element] | None = BEFORE) -> str:
    seen = None if before is None else Observation(before, [BELOW, FRONT])
    return Changes().show(Situation("Do it.", Observation(now, [BELOW, FRONT]), seen, 2, 35, "", [], SCREEN)).text


def test_all_is_told_in_the_first_step_then_what_is_new_changed_or_gone() -> None:
    assert shown(BEFORE, before=None).startswith("Elements on the screen:\npush button: 1")
    assert shown(BEFORE) == "Elements that are new or changed since the last step:\nnone"
    now = [*BEFORE[:2], replace(BEFORE[2], name="Add one")]
    assert shown(now) == 'Elements that are new or changed since the last step:\npush button: 3 "Add one" at .017 .075 .117 .125\nGone: 4'
