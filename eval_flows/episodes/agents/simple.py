"""The agents that need no model: the oracle, one that does nothing, one that always gives up, and one that clicks at random."""

from collections.abc import Iterator
from random import Random

from eval_flows.episodes.agents.agent import Decision, Situation
from eval_flows.episodes.agents.oracle import OracleStuck, lines
from eval_flows.episodes.environment import DONE, FAIL, Environment
from machines.actions import Action
from machines.observation import marked

_KEYS = ("enter", "escape", "tab", "ctrl+s", "alt+f4", "ctrl+a", "delete", "down")
_WORDS = ("hello", "42", "report", "Monday")


class Idle:
    """Says at once that it is done."""

    wants = frozenset[str]()

    def decide(self, situation: Situation) -> Decision:
        """Return DONE."""
        return Decision([DONE])


class AlwaysFail:
    """Says that every task is infeasible."""

    wants = frozenset[str]()

    def decide(self, situation: Situation) -> Decision:
        """Return FAIL."""
        return Decision([FAIL])


class Clicker:
    """Moves, clicks, types and presses keys at random, by a seed."""

    wants = frozenset[str]()

    def __init__(self, random: Random) -> None:
        self._random = random

    def decide(self, situation: Situation) -> Decision:
        """Return a random action."""
        draw = self._random.random()
        there = list(marked(situation.observation.elements))
        if draw < 0.02:
            return Decision([DONE])
        if draw < 0.15 or not there:
            return Decision([Action("press", {"key": self._random.choice(_KEYS)})])
        if draw < 0.25:
            return Decision([Action("write", {"text": self._random.choice(_WORDS)})])
        click = self._random.choice(("single_click", "single_click", "single_click", "double_click", "right_click"))
        return Decision([Action("move_id", {"id": self._random.choice(there).number}), Action(click, {})])


class Oracle:
    """Follows the catalog's oracle, in the same actions as every agent; it may look again while it waits for an element."""

    wants = frozenset[str]()

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self._decisions = self._all()

    def decide(self, situation: Situation) -> Decision:
        """Return the next line of the oracle."""
        try:
            return next(self._decisions)
        except OracleStuck as error:
            return Decision([FAIL], words=str(error))

    def _all(self) -> Iterator[Decision]:
        infeasible = self._environment.task.infeasible
        if infeasible is not None:
            yield Decision([FAIL], words=infeasible)
            return
        for step in self._environment.steps_left:
            for line in lines(self._environment, step):
                yield Decision(line.actions, words=line.words)
        yield Decision([DONE])
