"""What every agent is given, and what it decides (ProSoftArena, section 4.2; Windows Agent Arena, section 4)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from eval_flows.episodes.agents.question import NoAnswer
from eval_flows.episodes.desk import Look
from machines.actions import Action
from machines.observation import Element

Kind = Literal["COMMAND", "WAIT", "DONE", "FAIL", "NONE"]  # NONE: the model gave no answer


@dataclass(frozen=True)
class Spent:
    """What a decision cost; `seconds` are those of the model."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    calls: tuple[str, ...] = ()
    seconds: float = 0.0


class NoDecision(Exception):
    """The model gave no answer: the episode ends there with that status, and is judged by the state that it has reached."""

    def __init__(self, status: NoAnswer, why: str, spent: Spent) -> None:
        super().__init__(why)
        self.status = status
        self.spent = spent


@dataclass(frozen=True)
class Decision:
    """What an agent decided. `malformed` says why what it wrote is no action: nothing is carried out then, and it is told.

    `elements` are those that the actions are about, where they are not all that the look held: an agent may have been shown some, or look again.
    """

    kind: Kind
    actions: Sequence[Action] = ()
    words: str = ""
    memory: str = ""
    malformed: str | None = None
    spent: Spent = field(default_factory=Spent)
    elements: Sequence[Element] | None = None


@dataclass(frozen=True)
class Situation:
    """What an agent knows before a step: what is on the screen, what was there before, and what came of its last decision."""

    instruction: str
    look: Look
    before: Look | None
    number: int
    budget: int
    memory: str
    history: Sequence[str]
    feedback: str


class Agent(Protocol):
    """Decides one step after another, within one episode."""

    wants: frozenset[str]  # what its looks hold beside elements and windows: `screenshot`, `clipboard`

    def decide(self, situation: Situation) -> Decision:
        """The next step; NoDecision where there will be none."""
        ...
