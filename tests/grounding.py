"""Measures the element sources on screens of a suite: their time, and how much of what is on the screen they find.

`python -m tests.grounding [--suite SUITE] [--screens N] [--seed S]` plays episodes by the oracle, and prints tables in Markdown. It takes about five seconds a screen.
"""

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from random import Random
from typing import TypeVar

import numpy as np
from statsmodels.stats.proportion import proportion_confint

from eval_flows.episodes.agents.agent import Situation
from eval_flows.episodes.agents.awaited import OracleStuck
from eval_flows.episodes.agents.element_source import ELEMENTS, ElementSource, Found
from eval_flows.episodes.agents.elements.detector import ADDRESS_VARIABLE
from eval_flows.episodes.agents.merging import fits, merged
from eval_flows.episodes.agents.oracle import expanded, is_immediate, lines
from eval_flows.episodes.environment import Environment, Observation
from eval_flows.episodes.tasks.suite import ANY_IMAGE, read_suite, tasks_of
from eval_flows.episodes.tasks.task import Task
from machines.actions import Action
from machines.errors import MachineError, PluginError
from machines.image import find_image
from machines.observation import Element, marked
from machines.sandbox import Sandbox
from machines.trees.elements import Box
from warehouse.layout import DataFolder

MOST_SCREENS = 200
_OF_EPISODE = 2  # screens: its first one, and one that the oracle has reached
_CLICKS = {"single_click", "double_click", "right_click"}
_ALL, _WITHOUT_TREE = "all", "all but tree"
T = TypeVar("T")
Spent = tuple[float, float]
"""Seconds, and seconds of processors."""


@dataclass(frozen=True)
class Screen:
    """A screen of an episode: what was observed, the element that the oracle clicks there, and the seconds that tree and DOM took."""

    application: str
    observation: Observation
    clicked: Element | None
    seconds: Mapping[str, float]


@dataclass
class Tally:
    """What a source found on some screens: of usable elements of the tree, of its own boxes, and of the oracle's clicks.

    `of_processor` are seconds of this process in all its threads: on a host that others use, they tell more than the others.
    """

    seconds: list[float] = field(default_factory=list)
    of_processor: list[float] = field(default_factory=list)
    usable: int = 0
    usable_found: int = 0
    boxes: int = 0
    boxes_right: int = 0
    clicks: int = 0
    clicks_found: int = 0

    def add(self, screen: Screen, boxes: Sequence[Box], spent: Spent) -> None:
        """Count one screen."""
        usable = in_front(screen.observation)
        reference = _array([one.box for one in usable])
        right = [fits(box, reference) for box in boxes] if usable else []
        self.seconds.append(spent[0])
        self.of_processor.append(spent[1])
        self.usable += len(usable)
        self.usable_found += int(np.any(right, axis=0).sum()) if right else 0
        self.boxes += len(boxes)
        self.boxes_right += sum(bool(one.any()) for one in right)
        if screen.clicked is not None:
            self.clicks += 1
            self.clicks_found += any(lands(box, screen.clicked, usable) for box in boxes)


def in_front(observation: Observation) -> list[Element]:
    """Return the tree's usable elements in the front window, and those of menus, which have no window."""
    front = {window.title for window in observation.windows if window.is_active} | {""}
    return [one for one in marked(observation.elements) if one.window in front]


def lands(box: Box, target: Element, usable: Sequence[Element]) -> bool:
    """Tell whether a click in the middle of a box lands on an element: on it, and on no smaller one that lies in it."""
    x, y = box[0] + box[2] // 2, box[1] + box[3] // 2
    under = [one for one in [target, *usable] if one.box[0] <= x < one.box[0] + one.box[2] and one.box[1] <= y < one.box[1] + one.box[3]]
    return target in under and target.box[2] * target.box[3] <= min(one.box[2] * one.box[3] for one in under)


def sampled(tasks: Sequence[Task], screens: int, seed: int) -> list[Task]:
    """Return the tasks to play: one of each application after the other, so that a small sample has all applications."""
    mixed = Random(seed).sample([task for task in tasks if task.infeasible is None], k=sum(task.infeasible is None for task in tasks))
    turns: dict[str, int] = defaultdict(int)
    placed = []
    for task in mixed:
        program = task.steps[0].program
        placed.append((turns[program], task))
        turns[program] += 1
    return [task for _, task in sorted(placed, key=lambda one: one[0])][: -(-screens // _OF_EPISODE)]


def screens_of(environment: Environment, task: Task, seed: int) -> Iterator[Screen]:
    """Yield the first screen of an episode and one more, each before the oracle's line there; no more if the oracle is stuck."""
    environment.reset(task)
    planned = sum(not is_immediate(entry) for step in environment.steps_left for entry in expanded(step.oracle))
    wanted = {0, *Random(f"{seed} {task.instruction}").sample(range(1, max(planned, 2)), _OF_EPISODE - 1)}
    at = 0
    for step in environment.steps_left:
        for line in lines(environment, step):
            if at in wanted:
                yield _screen(environment, step.program, line.actions)
            at += 1
            if at > max(wanted):
                return
            environment.step(line.actions)


def _screen(environment: Environment, program: str, actions: Sequence[Action]) -> Screen:
    known = {one.number: one for one in environment.observation.elements}
    moved = next((action.arguments["id"] for action in actions if action.name == "move_id"), None)
    clicked = known[moved] if moved is not None and any(action.name in _CLICKS for action in actions) else None
    _, of_windows = timed(lambda: environment.desktop.client.observe(["windows"]))
    _, of_tree = timed(environment.desktop.look)
    dom, of_dom = timed(lambda: environment.desktop.client.observe(["dom"]).dom)
    seen = replace(environment.desktop.look("screenshot"), dom=dom)
    return Screen(program, seen, clicked, {"tree": of_tree[0] - of_windows[0], "dom": of_dom[0]})


def timed(do: Callable[[], T]) -> tuple[T, Spent]:
    """Return a result, the seconds that it took, and the seconds of processors."""
    begun, of_processor = time.perf_counter(), time.process_time()
    return do(), (time.perf_counter() - begun, time.process_time() - of_processor)


def measured(screen: Screen, sources: Mapping[str, ElementSource], size: tuple[int, int], tallies: Callable[[str], Tally]) -> None:
    """Count what each source finds on a screen, and what they find together."""
    situation = Situation("", screen.observation, None, 1, 1, "", [], size)
    found: dict[str, Sequence[Found]] = {}
    spent: dict[str, Spent] = {}
    for name, source in sources.items():
        found[name], (seconds, of_processor) = timed(partial(source.find, situation))
        spent[name] = seconds + screen.seconds.get(name, 0.0), of_processor
        tallies(name).add(screen, [one.box for one in found[name] if one.is_usable], spent[name])
    for name, names in ((_ALL, list(found)), (_WITHOUT_TREE, [name for name in found if name != "tree"])):
        marks, (seconds, of_processor) = timed(partial(merged, {one: found[one] for one in names}, screen.observation.elements))
        together = seconds + sum(spent[one][0] for one in names), of_processor + sum(spent[one][1] for one in names)
        tallies(name).add(screen, [mark.element.box for mark in marks if mark.is_usable], together)


def available() -> dict[str, ElementSource]:
    """Return the sources that this host has what they need for; the others are named on standard error."""
    found: dict[str, ElementSource] = {}
    for name in ELEMENTS.names:
        try:
            found[name] = ELEMENTS[name]()
        except PluginError as error:
            print(f"without '{name}': {error}", file=sys.stderr)
    return found


def tables(tallies: Mapping[tuple[str, str], Tally]) -> Iterator[str]:
    """Yield the lines of two tables: each source over all screens, and each application by source."""
    sources = list(dict.fromkeys(source for _, source in tallies))
    whole = {source: _sum([tally for (_, one), tally in tallies.items() if one == source]) for source in sources}
    yield "| source | ms, median | ms, 95% | of processors, median | recall of usable elements | precision | clicks of the oracle found (95%) |"
    yield "|---|---|---|---|---|---|---|"
    for source, tally in whole.items():
        middle, late = (round(1000 * float(np.percentile(tally.seconds, share))) for share in (50, 95))
        of_processor = round(1000 * float(np.median(tally.of_processor)))
        low, high = proportion_confint(tally.clicks_found, tally.clicks, method="wilson") if tally.clicks else (0.0, 1.0)
        clicks = f"{tally.clicks_found} of {tally.clicks} ({low:.2f} to {high:.2f})"
        recall, precision = _share(tally.usable_found, tally.usable), _share(tally.boxes_right, tally.boxes)
        yield f"| `{source}` | {middle} | {late} | {of_processor} | {recall} | {precision} | {clicks} |"
    yield ""
    yield f"| application | screens | {' | '.join(f'`{source}`' for source in sources)} |"
    yield "|---" * (2 + len(sources)) + "|"
    for application in sorted({one for one, _ in tallies}):
        of = [tallies[application, source] for source in sources]
        cells = [f"{_share(one.usable_found, one.usable)} / {_share(one.boxes_right, one.boxes)} / {one.clicks_found} of {one.clicks}" for one in of]
        yield f"| {application} | {len(of[0].seconds)} | {' | '.join(cells)} |"


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.2f}" if whole else "-"


def _sum(tallies: Sequence[Tally]) -> Tally:
    whole = Tally()
    for one in tallies:
        whole.seconds += one.seconds
        whole.of_processor += one.of_processor
        for name in ("usable", "usable_found", "boxes", "boxes_right", "clicks", "clicks_found"):
            setattr(whole, name, getattr(whole, name) + getattr(one, name))
    return whole


def _array(boxes: Sequence[Box]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.array(boxes, dtype=np.float64).reshape(-1, 4)


def main() -> None:
    """Play, measure and print."""
    asked = argparse.ArgumentParser(prog="python -m tests.grounding", description=f"The detector is measured if {ADDRESS_VARIABLE} is set.")
    asked.add_argument("--screens", type=int, choices=range(1, MOST_SCREENS + 1), default=30, metavar="N", help="how many screens, at most 200")
    asked.add_argument("--seed", type=int, default=0)
    asked.add_argument("--suite", default="desktop", help="whose screens (default: desktop)")
    options = asked.parse_args()
    sources = available()
    tallies: defaultdict[tuple[str, str], Tally] = defaultdict(Tally)
    image = find_image(read_suite(options.suite).image or ANY_IMAGE, DataFolder.from_environment().machines)
    count = 0
    with Environment(Sandbox(image), sees=()) as environment:
        for task in sampled(tasks_of(options.suite), options.screens, options.seed):
            try:
                for screen in screens_of(environment, task, options.seed):
                    if count < options.screens:
                        of_application = screen.application
                        measured(screen, sources, environment.offers.screen, lambda name, of=of_application: tallies[of, name])  # type: ignore[misc]
                        count += 1
            except (OracleStuck, MachineError) as error:
                print(f"left out: {task.instruction}: {str(error).splitlines()[0]}", file=sys.stderr)
            print(f"{count} screens", file=sys.stderr)
    print(f"{count} screens of {options.suite}, seed {options.seed}\n")
    print("\n".join(tables(tallies)))


if __name__ == "__main__":
    main()
