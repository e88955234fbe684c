"""The trajectory of an episode: every step that an agent took and the outcome, and what the tables hold of them."""

import json
from dataclasses import dataclass, field
from typing import Any, Literal

from eval_flows.episodes.agents.agent import Decision, Spent
from eval_flows.episodes.agents.question import NoAnswer
from eval_flows.episodes.environment import Reward
from eval_flows.episodes.people.intervention import Intervention

Row = dict[str, Any]
Status = Literal["done", "failed by agent", "out of steps"] | NoAnswer
_SHOWN = 4_000  # the most characters of a value that a check saw


@dataclass(frozen=True)
class PlayedStep:
    """A step of an agent: what it saw, said and did, and the result. `pointer` is the place of the action, in pixels.

    `pictures` are the files that the agent got; of an agent that got none, they show a reader the screen.
    `gave_no_answer` is true if the model gave no decision; `feedback` says why. `printed` is what code of the step printed.
    """

    number: int
    decision: Decision
    feedback: str
    pictures: tuple[bytes, ...]
    pointer: tuple[int, int] | None
    seconds: float
    gave_no_answer: bool = False
    printed: str = ""


@dataclass
class Trajectory:
    """An episode that was played to its end. `seconds` are those until the last step was over, with the `ready_seconds` and without the checks."""

    status: Status
    reward: Reward
    steps: list[PlayedStep]
    first_program: str | None
    ready_seconds: float
    seconds: float
    spent: Spent = field(default_factory=Spent)
    interventions: list[Intervention] = field(default_factory=list)

    @property
    def malformed(self) -> int:
        """Return the number of decisions that were malformed or that the machine refused."""
        return sum(bool(step.feedback) and not step.gave_no_answer for step in self.steps)


def figures(played: Trajectory) -> Row:
    """Return the columns of the table `episodes` that are known when an episode has ended."""
    return {
        "status": played.status,
        "reward": played.reward.value,
        "side_effects": played.reward.side_effects,
        "is_success": played.reward.is_success,
        "steps": len(played.steps),
        "malformed": played.malformed,
        "ready_seconds": round(played.ready_seconds, 3),
        "seconds": round(played.seconds, 3),
        "first_application": played.first_program,
        "input_tokens": played.spent.input_tokens,
        "output_tokens": played.spent.output_tokens,
        "cost_usd": played.spent.cost_usd,
        "model_seconds": round(played.spent.seconds, 3),
        "checks": [
            {"check": json.dumps(dict(one.entry)), "got": _short(one.got), "holds": one.holds, "share": round(one.share, 4)}
            for one in played.reward.checked
        ],
    }


def step_figures(step: PlayedStep) -> Row:
    """Return the columns of the table `steps` without those that name the episode."""
    decision, spent = step.decision, step.decision.spent
    return {
        "number": step.number,
        "decision": "NONE" if step.gave_no_answer else decision.kind,
        "actions": [str(action) for action in decision.actions] if decision.kind == "COMMAND" else [],
        "words": decision.words,
        "memory": decision.memory,
        "feedback": step.feedback,
        "pointer_x": step.pointer and step.pointer[0],
        "pointer_y": step.pointer and step.pointer[1],
        "seconds": round(step.seconds, 3),
        "calls": list(spent.calls),
        "input_tokens": spent.input_tokens,
        "output_tokens": spent.output_tokens,
        "cost_usd": spent.cost_usd,
        "printed": step.printed,
        "notes": list(decision.notes),
    }


def _short(got: Any) -> str:
    """Return the value in words, without the middle of a very long one: important parts often stand at the end."""
    told = repr(got)
    left_out = len(told) - _SHOWN
    return told if left_out <= 0 else f"{told[: _SHOWN // 2]} ... {left_out:,} characters left out ... {told[-_SHOWN // 2 :]}"
