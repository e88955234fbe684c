"""Shared by the tests of people: a run that is played in a thread, the pages that are served for it, and a person with a browser."""

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from atomic_tasks.catalog import Catalog
from eval_flows.episodes.agents.choice import AgentChoice
from eval_flows.episodes.people.halls import Halls
from eval_flows.episodes.people.intervention import PeopleChoice
from eval_flows.episodes.people.serve import people_served
from eval_flows.episodes.runs.pipeline import EpisodeOptions, SuiteRun, evaluate_episodes
from eval_flows.episodes.tasks.suite import read_suite, suite_tasks
from tests.conftest import quiet
from warehouse.layout import DataFolder

APPEND = "{level: L1, tasks: [mousepad.append_line]}"
SECONDS = 180.0  # for anything on a busy host


@dataclass
class Played:
    """A run that is played in a thread."""

    thread: threading.Thread
    got: list[SuiteRun | BaseException] = field(default_factory=list)

    def run(self) -> SuiteRun:
        """Wait for its end; an error of it is raised here."""
        self.thread.join(SECONDS)
        assert self.got, "the run does not end"
        if isinstance(self.got[0], BaseException):
            raise self.got[0]
        return self.got[0]


Play = Callable[..., Played]


@pytest.fixture
def play(data: DataFolder) -> Iterator[Play]:
    """Plays a suite in a thread, with one worker."""
    started: list[Played] = []

    def begin(suite: str, agent: str, people: PeopleChoice | None = None, **more: Any) -> Played:
        def work() -> None:
            try:
                played.got.append(evaluate_episodes(suite, AgentChoice(agent, **more), EpisodeOptions(1, people=people), data, quiet))
            except BaseException as error:
                played.got.append(error)

        played = Played(threading.Thread(target=work, daemon=True))
        played.thread.start()
        started.append(played)
        return played

    yield begin
    for one in started:
        one.thread.join(SECONDS)


@contextmanager
def links(data: DataFolder, run: str | None = None) -> Iterator[tuple[str, str]]:
    """The pages, served: the link that acts and the one that only watches."""
    said: list[str] = []
    with people_served(Halls(data, run), "127.0.0.1", 0, "ann", said.append):
        acting, watching = (line.partition(": ")[2] for line in said)
        yield acting, watching


@contextmanager
def person(browser: Any, link: str, number: int = 0, **context: Any) -> Iterator[Any]:
    """A person in a browser of their own, in front of an episode that is played; errors of the page's scripts fail the test."""
    opened = browser.new_context(viewport={"width": 1600, "height": 1000}, **context)
    page = opened.new_page()
    page.set_default_timeout(SECONDS * 1000)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(link)
    page.locator("#wall a").nth(number).click()
    page.wait_for_selector("#screen canvas")
    try:
        yield page
        assert errors == []
    finally:
        opened.close()


def take_over(page: Any) -> None:
    """Take over, and wait until the machine is theirs."""
    page.click("#take:enabled")
    page.wait_for_selector("#screen.held")


def at_screen(page: Any, x: int, y: int) -> tuple[float, float]:
    """Return where a pixel of the machine's screen (1280 by 800) is on the page."""
    box = page.locator("#screen canvas").bounding_box()
    return box["x"] + (x + 0.5) * box["width"] / 1280, box["y"] + (y + 0.5) * box["height"] / 800


def append(page: Any, jotting: str) -> None:
    """Append a line in the text editor by mouse and keyboard, and save. The first letter is let go late, as on a busy host."""
    page.mouse.click(*at_screen(page, 640, 400))
    page.keyboard.press("Control+End")
    page.keyboard.press(jotting[0], delay=1500)
    page.keyboard.type(jotting[1:], delay=20)
    page.keyboard.press("Control+s")


def jotting_of(suite: str, catalog: Catalog) -> str:
    """Return the line that the only task of a suite wants."""
    (made,) = suite_tasks(read_suite(suite), catalog)
    return str(made.task.values["jotting"])


def link_to_only(page: Any) -> str:
    """Return the path of the episode that a page shows."""
    page.wait_for_url("**/episode/**")
    found = re.search(r"/episode/\S+$", page.url)
    assert found is not None
    return found.group()
