"""Protects the measurement of element sources: what counts as found, as right and as a click, and a sample with all applications."""

from types import SimpleNamespace
from typing import Any, cast

from eval_flows.episodes.environment import Observation
from eval_flows.episodes.tasks.task import Task
from machines.client import Window
from machines.observation import Element
from tests.grounding import Screen, Tally, in_front, lands, sampled, tables

FRONT = Window("Save as", "Editor", 1, 0, 0, 400, 300, True)


def button(number: int, box: tuple[int, int, int, int], window: str = "Save as") -> Element:
    return Element(number, "push button", "OK", "", None, frozenset(), box, window, "editor")


OK, CANCEL, MENU = button(1, (10, 10, 80, 30)), button(2, (100, 10, 80, 30)), button(3, (10, 100, 80, 20), "")
BEHIND = button(4, (300, 200, 80, 30), "notes")
SEEN = Observation([OK, CANCEL, MENU, BEHIND], [FRONT])


def test_the_reference_is_what_can_be_used_in_front_and_in_menus() -> None:
    assert in_front(SEEN) == [OK, CANCEL, MENU]


def test_a_click_lands_on_the_smallest_element_under_it() -> None:
    page = button(9, (0, 0, 400, 300))
    assert lands((20, 15, 40, 20), OK, [OK, page]) and not lands((20, 15, 40, 20), page, [OK, page])
    assert lands((200, 200, 20, 20), page, [OK, page]) and not lands((200, 200, 20, 20), OK, [OK, page])


def test_recall_precision_and_clicks_are_counted() -> None:
    tally = Tally()
    tally.add(Screen("editor", SEEN, OK, {}), [(12, 12, 76, 26), (30, 15, 40, 20), (300, 200, 80, 30)], (0.2, 0.1))
    tally.add(Screen("editor", SEEN, CANCEL, {}), [], (0.4, 0.1))
    assert (tally.usable, tally.usable_found) == (6, 1), "two boxes in one button find one element"
    assert (tally.boxes, tally.boxes_right) == (3, 2), "what is behind is none of the reference"
    assert (tally.clicks, tally.clicks_found) == (2, 1)
    lines = list(tables({("editor", "ocr"): tally}))
    assert lines[2].startswith("| `ocr` | 300 | 390 | 100 | 0.17 | 0.67 | 1 of 2 (") and lines[-1] == "| editor | 2 | 0.17 / 0.67 / 1 of 2 |"


def test_a_small_sample_has_every_application_and_a_seed_draws_the_same_again() -> None:
    made: list[Any] = [
        SimpleNamespace(instruction=f"{program} {number}", infeasible=None, steps=[SimpleNamespace(program=program)])
        for program, count in (("mousepad", 20), ("gimp", 3), ("vlc", 1))
        for number in range(count)
    ]
    made.append(SimpleNamespace(instruction="never", infeasible="it cannot be done", steps=[SimpleNamespace(program="thunar")]))
    tasks = cast("list[Task]", made)
    drawn = sampled(tasks, 6, seed=1)
    assert {task.steps[0].program for task in drawn} == {"mousepad", "gimp", "vlc"} and sampled(tasks, 6, seed=1) == drawn
    assert sampled(tasks, 6, seed=2) != drawn and len(sampled(tasks, 200, seed=1)) == 24
