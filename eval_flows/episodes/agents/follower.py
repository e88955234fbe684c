"""The agent `oracle`: it follows the catalog's oracle, and shows that a task can be done in the actions that every agent has."""

from collections.abc import Iterator

from eval_flows.episodes.agents.agent import Decision, Situation
from eval_flows.episodes.agents.awaited import OracleStuck
from eval_flows.episodes.agents.choice import Setting
from eval_flows.episodes.agents.oracle import lines
from eval_flows.episodes.environment import DONE, FAIL


class Follower:
    """Decides the lines of the oracle, one after another; it may look again while it waits for an element."""

    wants = frozenset[str]()
    is_scripted = True

    def __init__(self, setting: Setting) -> None:
        """Keep the environment, where elements are looked for."""
        self._environment = setting.environment
        self._decisions = self._all()

    def decide(self, situation: Situation) -> Decision:
        """Return the next line of the oracle; FAIL if it is stuck."""
        try:
            return next(self._decisions)
        except OracleStuck as error:
            return Decision([FAIL], words=str(error))

    def _all(self) -> Iterator[Decision]:
        infeasible = self._environment.task.infeasible
        if infeasible is not None:
            yield Decision([FAIL], words=infeasible)
            return
        yield from self._worked()
        yield Decision([DONE])

    def _worked(self) -> Iterator[Decision]:
        for step in self._environment.steps_left:
            for line in lines(self._environment, step):
                yield Decision(line.actions, words=line.words)
