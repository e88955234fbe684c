"""`python -m tests.observations`: how true, whole, short and fast observations are, over screens of the suite `desktop` while the oracle plays.

For every screen: the milliseconds of the observation, the bytes that an agent is told, and whether a second observation, a moment later, tells
the same: if not, the first one was stale. On the last screen of each episode elements are clicked, in the middle of their boxes: a click hits if
it is that element that has the focus, is selected, opened or ticked, or if the element has done its work and is gone. An element that shows
nothing of a click, such as a button that only acts, counts neither way.

`--keep FOLDER` keeps screens for people who judge them: the picture, the picture with a box around each element that is told, and the text.
"""

import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import median

import click

from eval_flows.episodes.agents.awaited import OracleStuck
from eval_flows.episodes.agents.oracle import lines
from eval_flows.episodes.environment import Environment, Observation
from eval_flows.episodes.tasks.suite import tasks_of
from eval_flows.episodes.tasks.task import Task
from machines.actions import Action
from machines.build import build_image
from machines.errors import MachineError
from machines.observation import Element, with_marks
from machines.sandbox import Sandbox
from machines.telling import told
from warehouse.layout import DataFolder

_LATER = 0.8  # seconds
_KEPT = 60  # screens to be judged
_CLICKED = 6  # elements of an episode's last screen
_SHOWS_A_CLICK = frozenset({
    "table cell", "list item", "tree item", "text", "entry", "spin button", "page tab", "check box", "radio button", "toggle button", "menu",
    "check menu item", "combo box", "paragraph", "heading",
})  # fmt: skip
_TEXTS = frozenset({"paragraph", "heading"})  # on a page that only shows them, nothing happens
_SIGNS = frozenset({"focused", "selected", "checked", "expanded", "pressed"})


@dataclass
class Found:
    """What was found in the screens of one application: seconds and bytes of each, stale ones, and clicks."""

    seconds: list[float] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    stale: int = 0
    unsettled: int = 0
    hits: int = 0
    misses: list[str] = field(default_factory=list)


@dataclass
class Kept:
    """The folder of screens to be judged, and of how many screens one is kept."""

    folder: Path
    one_of: int
    looks: int = 0

    def take(self, seen: Observation, screen: tuple[int, int]) -> None:
        """Keep the screen, if it is its turn."""
        if self.looks % self.one_of == 0:
            shown, picture = told(seen.elements, seen.windows, screen), seen.screenshot
            assert picture is not None
            name = f"{self.looks // self.one_of:03}"
            (self.folder / f"{name}.png").write_bytes(picture)
            (self.folder / f"{name}_boxes.png").write_bytes(with_marks(picture, shown.elements))
            (self.folder / f"{name}.txt").write_text(shown.text)
        self.looks += 1


@click.command()
@click.option("--screens", type=click.IntRange(1), default=300, show_default=True, help="Screens to look at, of episodes drawn at random.")
@click.option("--seed", default=1, show_default=True)
@click.option("--keep", type=click.Path(file_okay=False, path_type=Path), help=f"A folder for {_KEPT} of the screens, to be judged by people.")
def main(screens: int, seed: int, keep: Path | None) -> None:
    """Measure observations of the suite `desktop`, and print a table by application."""
    kept = None if keep is None else Kept(keep, max(1, screens // _KEPT))
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
    image = build_image("desktop", DataFolder.from_environment().machines, lambda _: None)
    random, found = Random(seed), defaultdict[str, Found](Found)
    tasks = [task for task in tasks_of("desktop") if task.steps[0].oracle]
    random.shuffle(tasks)
    for task in tasks:
        if sum(len(one.seconds) for one in found.values()) >= screens:
            break
        try:
            with Environment(Sandbox(image)) as environment:
                _measure(environment, task, found[task.steps[0].program], random, kept)
        except MachineError as error:
            click.echo(f"{task.episode_id}: {error}", err=True)
    _print(found)


def _measure(environment: Environment, task: Task, found: Found, random: Random, kept: Kept | None) -> None:
    environment.reset(task)
    _look(environment, environment.step(()), found, kept)
    try:
        for line in (line for step in environment.steps_left for line in lines(environment, step)):
            if line.actions:
                _look(environment, environment.step(line.actions), found, kept)
    except OracleStuck as stuck:
        click.echo(f"{task.episode_id}: {stuck}", err=True)
    _click(environment, found, random)


def _look(environment: Environment, seen: Observation, found: Found, kept: Kept | None) -> None:
    """Compare an observation with the one a moment later, which no action lies between."""
    begun = time.monotonic()
    pictured = environment.desktop.look("screenshot")
    found.seconds.append(time.monotonic() - begun)
    if kept is not None:
        kept.take(pictured, environment.desktop.screen)
    found.sizes.append(len(_text(environment, seen).encode()))
    found.unsettled += not seen.is_still
    time.sleep(_LATER)
    later = environment.look()
    found.stale += seen.is_still and _text(environment, seen) != _text(environment, later)


def _text(environment: Environment, seen: Observation) -> str:
    return told(seen.elements, seen.windows, environment.desktop.screen).text


def _click(environment: Environment, found: Found, random: Random) -> None:
    tried: set[int] = set()
    for _ in range(_CLICKED):
        seen = environment.observation
        usable = [one for one in _usable(environment, seen) if one.number not in tried]
        if not usable:
            return
        element = random.choice(usable)
        tried.add(element.number)
        if (element.states & _SIGNS) - {"expanded", "checked"}:
            continue  # it shows already what a click would show
        after = environment.step([Action("move_id", {"id": element.number}), Action("single_click", {})])
        if _was_hit(element, seen, after):
            found.hits += 1
        else:
            found.misses.append(f"{element.role} {element.label or element.text[:30]!r} at {element.box} of {element.window!r}")
        environment.step(Action("press", {"key": "escape"}))


def _usable(environment: Environment, seen: Observation) -> list[Element]:
    """Return what can be clicked in the window in front: a dialog takes the clicks of all others."""
    front = {window.title for window in seen.windows if window.is_active}
    elements = told(seen.elements, seen.windows, environment.desktop.screen).elements
    return [one for one in elements if one.window in front and _shows_a_click(one) and one.states & {"enabled", "sensitive"}]


def _shows_a_click(element: Element) -> bool:
    return element.role in _SHOWS_A_CLICK and (element.role not in _TEXTS or "editable" in element.states)


def _was_hit(element: Element, before: Observation, after: Observation) -> bool:
    """Tell whether the click had its effect on the element, or on something in it; a window or a menu that opened is an effect too."""
    now = next((one for one in after.elements if one.number == element.number), None)
    if now is None or now.states & _SIGNS != element.states & _SIGNS or (now.name, now.text) != (element.name, element.text):
        return True
    x, y, width, height = element.box
    inside = (one for one in after.elements if x <= one.middle[0] < x + width and y <= one.middle[1] < y + height)
    return any("focused" in one.states for one in inside) or len(after.windows) != len(before.windows) or _new_menu(before, after)


def _new_menu(before: Observation, after: Observation) -> bool:
    known = {one.number for one in before.elements}
    return any(one.number not in known and "menu" in one.role for one in after.elements)


def _print(found: dict[str, Found]) -> None:
    click.echo(f"{'application':20} screens  ms median  bytes median  bytes most  stale  unsettled  clicks  hits")
    for name, one in [*sorted(found.items()), ("all", _sum(list(found.values())))]:
        clicks = one.hits + len(one.misses)
        share = f"{one.hits / clicks:.3f}" if clicks else "-"
        click.echo(
            f"{name:20} {len(one.seconds):7} {1000 * median(one.seconds):10.0f} {median(one.sizes):13.0f} {max(one.sizes):11} {one.stale:6} "
            f"{one.unsettled:10} {clicks:7} {share:>5}"
        )
    for name, miss in _misses(found):
        click.echo(f"missed in {name}: {miss}")


def _misses(found: dict[str, Found]) -> Iterator[tuple[str, str]]:
    return ((name, miss) for name, one in sorted(found.items()) for miss in one.misses)


def _sum(found: Sequence[Found]) -> Found:
    seconds, sizes, misses = ([value for one in found for value in getattr(one, name)] for name in ("seconds", "sizes", "misses"))
    return Found(seconds, sizes, sum(one.stale for one in found), sum(one.unsettled for one in found), sum(one.hits for one in found), misses)


if __name__ == "__main__":
    main()
