"""The agent `person`: a person plays in the browser (`deskmill demonstrate`), and each of their acts is a step of the trajectory."""

from eval_flows.episodes.agents.agent import Decision, NoDecision, Situation, Spent
from eval_flows.episodes.agents.choice import Setting
from eval_flows.episodes.environment import DONE, FAIL
from machines.errors import MachineError

_ENDS = {"DONE": DONE, "FAIL": FAIL}


class Person:
    """Decides what the person at the desk has done on the machine already."""

    wants = frozenset[str]()
    budget = 10_000  # acts: people have no budget of steps in the papers
    is_person = True

    def __init__(self, setting: Setting) -> None:
        """Take the desk of the episode."""
        if setting.desk is None:
            raise MachineError("the agent 'person' has no desk at which a person could come")
        self._desk = setting.desk

    def prepare(self) -> None:
        """Wait until the person begins: their time counts from then on."""
        self._desk.await_person()

    def decide(self, situation: Situation) -> Decision:
        """Return the next act of the person, or how they end the episode."""
        act = self._desk.next_act()
        if act is None:
            raise NoDecision("out of time", "the time for people is over", Spent())
        if isinstance(act, str):
            return Decision([_ENDS[act]])
        return Decision([act.action], pictures=(act.picture,) if act.picture else (), is_done=True)
