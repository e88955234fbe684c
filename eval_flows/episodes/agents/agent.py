"""The input and the decisions of every agent (ProSoftArena, section 4.2; Windows Agent Arena, section 4)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from eval_flows.episodes.agents.question import NoAnswer
from eval_flows.episodes.environment import DONE, FAIL, WAIT, Observation
from machines.actions import Action
from machines.observation import Element

_OF_EPISODE = frozenset({WAIT.name, DONE.name, FAIL.name})


@dataclass(frozen=True)
class Spent:
    """The cost of a decision; `seconds` are those of the model."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    calls: tuple[str, ...] = ()
    seconds: float = 0.0


class NoDecision(Exception):
    """The model gave no answer: the episode ends with that status, and the state that it has reached is judged.

    `pictures` are those that it was shown.
    """

    def __init__(self, status: NoAnswer, why: str, spent: Spent, pictures: tuple[bytes, ...] = ()) -> None:
        super().__init__(why)
        self.pictures = pictures
        self.status = status
        self.spent = spent


@dataclass(frozen=True)
class Decision:
    """A decision of an agent: the actions of one step. They are those of a machine, or one of WAIT, DONE and FAIL.

    `malformed` says why the agent's text is not an action: then nothing is carried out, and the agent is told. `elements` are the ones that the
    actions refer to, if they are not all elements of the last observation: an agent may be shown only some. `pictures` are the ones that the agent
    was shown, if it was shown others than those of the observation: a trajectory keeps them.
    """

    actions: Sequence[Action] = ()
    words: str = ""
    memory: str = ""
    malformed: str | None = None
    spent: Spent = field(default_factory=Spent)
    elements: Sequence[Element] | None = None
    pictures: tuple[bytes, ...] = ()

    @property
    def kind(self) -> str:
        """Return WAIT, DONE or FAIL if that is the decision, else COMMAND."""
        return next((action.name for action in self.actions if action.name in _OF_EPISODE), "COMMAND")


@dataclass(frozen=True)
class Situation:
    """What an agent knows before a step: the observation with the feedback on its last decision, and the observation before that.

    `screen` is its width and height in pixels.
    """

    instruction: str
    observation: Observation
    before: Observation | None
    number: int
    budget: int
    memory: str
    history: Sequence[str]
    screen: tuple[int, int]


class Agent(Protocol):
    """Decides one step after another, in one episode."""

    wants: frozenset[str]  # what its observations hold besides elements and windows: `screenshot`, `clipboard`

    def decide(self, situation: Situation) -> Decision:
        """Return the next step; raise NoDecision if there is none."""
        ...
