"""The agents that need no model: the oracle, one that does nothing, one that always gives up, and one that clicks at random."""

from collections.abc import Iterator
from random import Random

from eval_flows.episodes.agents.agent import Decision, Situation
from eval_flows.episodes.desk import Desk
from eval_flows.episodes.episode import Episode
from eval_flows.episodes.oracle import OracleStuck, expanded, is_waiting, planned
from eval_flows.episodes.stage import begins_by_opening, steps_left
from machines.actions import Action
from machines.errors import MachineError
from machines.observation import marked

_KEYS = ("enter", "escape", "tab", "ctrl+s", "alt+f4", "ctrl+a", "delete", "down")
_WORDS = ("hello", "42", "report", "Monday")


class Idle:
    """Says at once that it is done."""

    wants = frozenset[str]()

    def decide(self, situation: Situation) -> Decision:
        """Return DONE."""
        return Decision("DONE")


class AlwaysFail:
    """Says that every task is infeasible."""

    wants = frozenset[str]()

    def decide(self, situation: Situation) -> Decision:
        """Return FAIL."""
        return Decision("FAIL")


class Clicker:
    """Moves, clicks, types and presses keys at random, by a seed."""

    wants = frozenset[str]()

    def __init__(self, random: Random) -> None:
        self._random = random

    def decide(self, situation: Situation) -> Decision:
        """Return a random action."""
        draw = self._random.random()
        there = list(marked(situation.look.elements))
        if draw < 0.02:
            return Decision("DONE")
        if draw < 0.15 or not there:
            return Decision("COMMAND", [Action("press", {"key": self._random.choice(_KEYS)})])
        if draw < 0.25:
            return Decision("COMMAND", [Action("write", {"text": self._random.choice(_WORDS)})])
        click = self._random.choice(("single_click", "single_click", "single_click", "double_click", "right_click"))
        return Decision("COMMAND", [Action("move_id", {"id": self._random.choice(there).number}), Action(click, {})])


class Oracle:
    """Follows the catalog's oracle, in the same actions as every agent; it may look again while it waits for an element."""

    wants = frozenset[str]()

    def __init__(self, episode: Episode, desk: Desk, done: int) -> None:
        self._episode = episode
        self._desk = desk
        self._decisions = self._all(done)

    def decide(self, situation: Situation) -> Decision:
        """Return the next line of the oracle."""
        try:
            return next(self._decisions)
        except OracleStuck as error:
            return Decision("FAIL", words=str(error))

    def _all(self, done: int) -> Iterator[Decision]:
        if self._episode.infeasible is not None:
            yield Decision("FAIL", words=self._episode.infeasible)
            return
        for step in steps_left(self._episode, done):
            if not begins_by_opening(step):
                yield from self._brought_up(step.program)
            for entry in expanded(step.oracle):
                actions, elements = planned(self._desk, entry)
                if not is_waiting(entry):
                    yield Decision("COMMAND", actions, words=f"{step.task}: {entry}", elements=elements)
        yield Decision("DONE")

    def _brought_up(self, program: str) -> Iterator[Decision]:
        """Open the program, or bring its window to the front, unless the window is in front already."""
        mine = self._desk.windows_of(program)
        if not mine:
            yield Decision("COMMAND", [Action("open_program", {"program": program})], words=f"open {program}")
            try:
                self._desk.wait_until_ready(program)
            except MachineError as error:
                raise OracleStuck(str(error)) from error
        elif not any(window.is_active for window in mine):
            yield Decision("COMMAND", [Action("switch_to_app", {"window": mine[-1].title})], words=f"bring {program} to the front")
