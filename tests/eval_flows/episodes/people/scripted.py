"""Scripted agents that need a person: one breaks what it should do and waits, the other asks. They play as agents of any package do, by their place."""

from collections.abc import Iterator

from eval_flows.episodes.agents.agent import Decision, Situation
from eval_flows.episodes.agents.choice import Setting
from eval_flows.episodes.agents.follower import Follower
from eval_flows.episodes.agents.oracle import lines
from eval_flows.episodes.environment import ASK, DONE, WAIT
from machines.actions import Action

GARBAGE = "oops"


class Breaker(Follower):
    """Types what belongs nowhere, waits until a person has acted, and does the task only then."""

    budget = 400  # steps: the person takes their time

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self._told = ""

    def decide(self, situation: Situation) -> Decision:
        self._told = situation.people or self._told
        return super().decide(situation)

    def _worked(self) -> Iterator[Decision]:
        yield Decision([Action("write", {"text": GARBAGE})], words="I type.")
        while not self._told:
            yield Decision([WAIT], words="I wait.")
        for step in self._environment.steps_left:
            for line in lines(self._environment, step):
                yield Decision(line.actions, words=f"{line.words} Told: {self._told}")


class Asker:
    """Asks a person to do all of it, and is done."""

    wants = frozenset[str]()
    is_scripted = True

    def __init__(self, setting: Setting) -> None:
        """Begin with the question."""

    def decide(self, situation: Situation) -> Decision:
        if situation.number == 1:
            return Decision([Action(ASK, {"reason": "I cannot type", "request": "append the line and save"})], words="I am stuck.")
        return Decision([DONE], words=situation.people)


class Typist:
    """Types one letter a step, and never ends by itself: for figures of watching and taking over."""

    wants = frozenset[str]()
    is_scripted = True
    budget = 100_000  # steps

    def __init__(self, setting: Setting) -> None:
        """Begin with nothing."""

    def decide(self, situation: Situation) -> Decision:
        return Decision([Action("write", {"text": "a"})], words="I type.")
