"""The input and the decisions of every agent (ProSoftArena, section 4.2; Windows Agent Arena, section 4)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from eval_flows.episodes.agents.question import NoAnswer, Told
from eval_flows.episodes.environment import ASK, DONE, FAIL, WAIT, Observation
from machines.actions import Action
from machines.observation import Element

_ENDS = frozenset({DONE.name, FAIL.name})


@dataclass(frozen=True)
class Spent:
    """The cost of a decision; `seconds` are those of the model."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    calls: tuple[str, ...] = ()
    seconds: float = 0.0

    @classmethod
    def of(cls, told: Told) -> "Spent":
        """Return the cost of one answer."""
        answer = told.answer
        calls = (answer.call_id,) if answer.call_id else ()
        return cls(answer.input_tokens, answer.output_tokens, answer.cost_usd, calls, told.seconds)

    def __add__(self, other: "Spent") -> "Spent":
        """Return the cost of both."""
        return Spent(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cost_usd + other.cost_usd,
            self.calls + other.calls,
            self.seconds + other.seconds,
        )


class NoDecision(Exception):
    """The model gave no answer: the episode ends with that status, and the state that it has reached is judged.

    `pictures` are those that it was shown, `notes` as those of a decision.
    """

    def __init__(self, status: NoAnswer, why: str, spent: Spent, pictures: tuple[bytes, ...] = (), notes: tuple[str, ...] = ()) -> None:
        super().__init__(why)
        self.pictures = pictures
        self.notes = notes
        self.status = status
        self.spent = spent


@dataclass(frozen=True)
class Decision:
    """A decision of an agent: the actions of one step. They are those of a machine, or WAIT, DONE, FAIL and ASK.

    `malformed` says why the agent's text is not an action: then nothing is carried out, and the agent is told. `elements` are the ones that the
    actions refer to, if they are not all elements of the last observation: an agent may be shown only some. `pictures` are the ones that the agent
    was shown, if it was shown others than those of the observation: a trajectory keeps them. `notes` say what was changed in what the model was
    shown, such as pictures that did not fit. `is_done` says that a person has carried the actions out on the machine already.
    """

    actions: Sequence[Action] = ()
    words: str = ""
    memory: str = ""
    malformed: str | None = None
    spent: Spent = field(default_factory=Spent)
    elements: Sequence[Element] | None = None
    pictures: tuple[bytes, ...] = ()
    notes: tuple[str, ...] = ()
    is_done: bool = False

    @property
    def kind(self) -> str:
        """Return DONE or FAIL if it ends the episode, WAIT if it only waits, ASK if it asks a person, else COMMAND."""
        names = [action.name for action in self.actions]
        return next((name for name in names if name in _ENDS), names[0] if names in ([WAIT.name], [ASK]) else "COMMAND")


@dataclass(frozen=True)
class Situation:
    """What an agent knows before a step: the observation with the feedback on its last decision, and the observation before that.

    `screen` is its width and height in pixels. `people` says what a person did since the last decision; empty if nobody came.
    """

    instruction: str
    observation: Observation
    before: Observation | None
    number: int
    budget: int
    memory: str
    history: Sequence[str]
    screen: tuple[int, int]
    people: str = ""


class Agent(Protocol):
    """Decides one step after another, in one episode."""

    wants: frozenset[str]  # what its observations hold besides elements and windows: `screenshot`, `clipboard`

    def decide(self, situation: Situation) -> Decision:
        """Return the next step; raise NoDecision if there is none."""
        ...
