"""Protects what pages tell a person in a browser, without a machine: that an agent asks, also on the wall, whose name counts, and that time is up."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import pytest
from axe_playwright_python.sync_playwright import Axe

from eval_flows.episodes.environment import Environment
from eval_flows.episodes.people.desk import Desk
from eval_flows.episodes.people.halls import Halls
from eval_flows.episodes.people.intervention import PeopleChoice
from eval_flows.episodes.people.reception import received
from eval_flows.episodes.people.serve import people_served
from tests.eval_flows.episodes.people.test_bridge import Machine, until
from tests.eval_flows.episodes.people.test_desk import ABOUT, meanwhile
from warehouse.layout import DataFolder

pytestmark = pytest.mark.browser
LISTEN = """
    window.rung = []; window.notified = [];
    window.AudioContext = class { currentTime = 0; createOscillator() { return { connect() {}, start() { window.rung.push(1); }, stop() {} }; } close() {} };
    window.Notification = class { static permission = "granted"; constructor(title, more) { window.notified.push(more.body); } };
"""


@contextmanager
def page_of(data: Path, choice: PeopleChoice, browser: Any, person: str | None = "ann") -> Iterator[tuple[Desk, Any]]:
    """An episode whose agent thinks, and the wall in a browser."""
    environment, said = cast("Environment", Machine()), list[str]()
    desk = Desk({**ABOUT, "step_budget": 5, "instruction": "Write milk."}, environment, choice)
    with (
        received(desk, environment, data / "runs" / "r" / "live" / "e_1.json"),
        people_served(Halls(DataFolder(data)), "127.0.0.1", 0, person, said.append),
    ):
        desk.begin(1, True)
        context = browser.new_context()
        page = context.new_page()
        page.add_init_script(LISTEN)
        page.goto(said[0].partition(": ")[2])
        page.locator("#wall a").wait_for()
        yield desk, page
        context.close()


@pytest.mark.parametrize("place", ["wall", "episode"])
def test_a_person_is_told_that_an_agent_asks_on_whichever_page_they_are(tmp_path: Path, browser: Any, place: str) -> None:
    with page_of(tmp_path, PeopleChoice(asks=True, wait_seconds=30), browser) as (desk, page):
        if place == "episode":
            page.click("#wall a")
            page.wait_for_selector("#take:enabled")
        assert page.evaluate("[document.title.startsWith('(!)'), window.rung.length]") == [False, 0]
        for number in (1, 2):
            thread, _ = meanwhile(lambda: desk.ask(1, "lost", "where is it?"))
            until(lambda: page.title().startswith("(!)"))
            time.sleep(1.5)  # it is asked for its state again
            assert page.evaluate("[window.rung.length, window.notified]") == [number, ["where is it?"] * number]
            assert desk.take("bob", "Bob") == "taken" and desk.back("bob", "there")
            thread.join()
            until(lambda: not page.title().startswith("(!)"))


def test_who_acts_gives_their_name_and_is_told_when_their_time_is_up(tmp_path: Path, browser: Any) -> None:
    with page_of(tmp_path, PeopleChoice(most_seconds=1.0), browser, person=None) as (desk, page):
        page.click("#wall a")
        page.wait_for_selector("#naming:not([hidden])")
        assert page.is_disabled("#take") and Axe().run(page).violations_count == 0
        page.fill("#name", "model:x")
        page.keyboard.press("Enter")
        page.get_by_text("does not begin with model:").wait_for()
        page.fill("#name", "Ann <b>Lee</b>")
        page.keyboard.press("Enter")
        page.click("#take:enabled")
        page.wait_for_selector("#screen.held")
        assert page.is_hidden("#naming")
        helped = desk.pause(1)
        assert helped is not None and helped.person == "Ann <b>Lee</b>"
        page.get_by_text("Your time is up: the machine went back.").wait_for()
        page.wait_for_selector("#screen:not(.held)")
        page.click("#take:enabled")
        page.get_by_text("The time for people in this episode is over.").wait_for()
