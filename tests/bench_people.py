"""Figures of people who watch and take over in the browser: takeover to the first input that counts, a key to its picture, and what watching costs.

The image `smoke` has to be there; `make bench` builds it if it is not.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from subprocess import DEVNULL
from typing import Any

from eval_flows.episodes.people.halls import Halls
from machines.build import build_image
from tests.browser import chromium
from tests.conftest import REPOSITORY
from tests.eval_flows.episodes.people.conftest import SECONDS, at_screen, links, person, take_over
from tests.eval_flows.episodes.people.scripted import Typist
from tests.timing import seconds_of
from warehouse.layout import DataFolder

_AGENT = f"{Typist.__module__}:{Typist.__name__}"
_TAKEOVERS, _KEYS, _VIEWS = 9, 15, 8
_SECONDS = 12.0  # that steps are counted for
_TURNS = 3
_TAKEN_WITHIN, _SHOWN_WITHIN = 0.5, 0.15  # seconds that a person does not notice
Figure = tuple[str, float, str, str, float]
_CHANGED = """async () => {
    const canvas = document.querySelector("#screen canvas");
    const hidden = document.createElement("canvas");
    [hidden.width, hidden.height] = [canvas.width, canvas.height];
    const context = hidden.getContext("2d", { willReadFrequently: true });
    const look = () => { context.drawImage(canvas, 0, 0); return context.getImageData(0, 100, canvas.width, canvas.height - 100).data; };
    const before = look();
    const begun = performance.now();
    for (const type of ["keydown", "keyup"]) canvas.dispatchEvent(new KeyboardEvent(type, { key: "b", code: "KeyB", bubbles: true }));
    while (performance.now() - begun < 5000) {
        await new Promise((then) => requestAnimationFrame(then));
        const now = look();
        for (let place = 0; place < now.length; place += 4) if (Math.abs(now[place] - before[place]) > 90) return performance.now() - begun;
    }
    return 5000;
}"""


def figures() -> Iterator[Figure]:
    """Each beside what it may be at most, or beside the same episode that nobody watches."""
    with _played(1) as (halls, acting, watching), chromium() as browser:
        with person(browser, acting) as page:
            takeovers = [_takeover(page) for _ in range(_TAKEOVERS)]
            yield "takeover_to_first_input", median(takeovers), "s", "at most", _TAKEN_WITHIN
            take_over(page)
            page.mouse.click(*at_screen(page, 640, 400))
            keys = [float(page.evaluate(_CHANGED)) / 1000 for _ in range(_KEYS)]
            yield "key_to_picture", median(keys), "s", "at most", _SHOWN_WITHIN
            page.click("#back")
        watched, alone = _turns(halls, browser, [watching])
        yield "steps_of_an_episode_that_is_watched", watched, "steps/s", "the same while nobody watches", alone
    with _played(_VIEWS) as (halls, _, watching), chromium() as browser:
        watched, alone = _turns(halls, browser, [watching] * _VIEWS)
        yield f"steps_of_{_VIEWS}_episodes_with_a_view_each", watched, "steps/s", "the same while nobody watches", alone


@contextmanager
def _played(episodes: int) -> Iterator[tuple[Halls, str, str]]:
    """Play so many episodes that never end, and serve their pages."""
    machines = DataFolder.from_environment().machines
    build_image("smoke", machines, lambda _: None)
    with tempfile.TemporaryDirectory() as folder:
        data = DataFolder(Path(folder))
        data.machines.symlink_to(machines.absolute())
        command = [sys.executable, str(REPOSITORY / "deskmill.py"), "episodes", "smoke", "--agent", _AGENT, "--people"]
        many = ["--workers", str(episodes), "--limit", str(episodes)]
        with subprocess.Popen([*command, *many], env={**os.environ, "DESKMILL_DATA": folder}, stdout=DEVNULL, stderr=DEVNULL) as run:
            try:
                halls = Halls(data)
                _wait_for(halls, episodes)
                with links(data) as (acting, watching):
                    yield halls, acting, watching
            finally:
                run.terminate()


def _wait_for(halls: Halls, episodes: int) -> None:
    until = time.monotonic() + SECONDS
    while sum(state["step"] > 1 for _, state in halls.states()) < episodes:
        assert time.monotonic() < until, "the episodes do not begin"
        time.sleep(0.2)


def _takeover(page: Any) -> float:
    """Seconds from the click until what the person does counts; the machine goes back afterwards."""
    page.wait_for_selector("#take:enabled")
    seconds = seconds_of(partial(take_over, page))
    page.click("#back")
    page.wait_for_selector("#screen:not(.held)")
    return seconds


def _turns(halls: Halls, browser: Any, links: Sequence[str]) -> tuple[float, float]:
    """Steps a second of all episodes while each has a viewer, and while none has, turn by turn."""
    watched, alone = [], []
    for _ in range(_TURNS):
        alone.append(_steps_a_second(halls))
        with ExitStack() as stack:
            for number, link in enumerate(links):
                stack.enter_context(person(browser, link, number))
            watched.append(_steps_a_second(halls))
    return median(watched), median(alone)


def _steps_a_second(halls: Halls) -> float:
    before, begun = _steps(halls), time.perf_counter()
    time.sleep(_SECONDS)
    return (_steps(halls) - before) / (time.perf_counter() - begun)


def _steps(halls: Halls) -> int:
    return sum(int(state["step"]) for _, state in halls.states())


if __name__ == "__main__":
    for name, value, unit, reference, reference_value in figures():
        print(f"{name}: {value:.3f} {unit}; {reference}: {reference_value:.3f}")
