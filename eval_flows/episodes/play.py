"""One episode, from a ready machine to its reward: the loop between an agent and a desk, with every step recorded."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from eval_flows.episodes.agents.agent import Agent, Decision, NoDecision, Situation, Spent
from eval_flows.episodes.agents.question import NoAnswer
from eval_flows.episodes.checkers.reward import Checked
from eval_flows.episodes.desk import Desk, Look
from eval_flows.episodes.episode import Episode
from eval_flows.episodes.judging import CHECK_SECONDS, Judged, judge, look_before
from eval_flows.episodes.stage import prepare
from machines.actions import MalformedAction, for_guest
from machines.errors import RefusedAction

Status = Literal["done", "failed by agent", "out of steps"] | NoAnswer
HISTORY = 8  # past decisions that an agent is told
_WAIT_QUIET, _WAIT_LIMIT = 0.5, 3.0  # seconds: the stillness that WAIT waits for, and its limit


@dataclass(frozen=True)
class Step:
    """One step: what the agent saw, said and did, and the result. `pointer` is the place of the action, in pixels."""

    number: int
    decision: Decision
    feedback: str
    screenshot: bytes | None
    pointer: tuple[int, int] | None
    seconds: float


@dataclass
class Played:
    """An episode that was played to its end."""

    status: Status
    reward: float
    checked: list[Checked]
    side_effects: list[str]
    steps: list[Step]
    first_program: str | None
    ready_seconds: float
    seconds: float
    spent: Spent = field(default_factory=Spent)

    @property
    def malformed(self) -> int:
        """Return the number of decisions that were malformed or that the guest refused."""
        return sum(bool(step.feedback) and step.decision.kind != "NONE" for step in self.steps)


MakeAgent = Callable[[Episode, Desk, int], Agent]


def play(desk: Desk, episode: Episode, make_agent: MakeAgent, bare: bool, keep_pictures: bool, budget: int | None = None) -> Played:
    """Set the stage, let the agent work within its budget of steps, and judge the final state."""
    begun = time.monotonic()
    agent = make_agent(episode, desk, prepare(desk, episode, bare))
    before = look_before(desk, episode)
    ready = time.monotonic() - begun
    status, steps, first = _worked(desk, episode, agent, budget or episode.budget, keep_pictures)
    judged = judge(desk, episode, before, 0.0 if status == "failed by agent" else CHECK_SECONDS)  # after FAIL the checks do not decide the reward
    return Played(
        status,
        _earned(episode, status, judged),
        judged.checked,
        judged.side_effects,
        steps,
        first if bare else None,
        ready,
        time.monotonic() - begun,
        _sum([step.decision.spent for step in steps]),
    )


def _earned(episode: Episode, status: Status, judged: Judged) -> float:
    """Return the reward: giving up earns 1 if the task is infeasible and nothing was damaged, else 0."""
    if episode.infeasible is not None:
        return float(status == "failed by agent" and not judged.side_effects)
    return 0.0 if status == "failed by agent" else judged.reward


def _worked(desk: Desk, episode: Episode, agent: Agent, budget: int, keep_pictures: bool) -> tuple[Status, list[Step], str | None]:
    steps: list[Step] = []
    before: Look | None = None
    memory, feedback, first = "", "", None
    wanted = {*agent.wants, *(["screenshot"] if keep_pictures else [])}
    for number in range(1, budget + 1):
        begun = time.monotonic()
        look = desk.look(*wanted)
        history = [_told(step) for step in steps[-HISTORY:]]
        try:
            decision = agent.decide(Situation(episode.instruction, look, before, number, budget, memory, history, feedback))
        except NoDecision as error:
            seen = look.screenshot if keep_pictures else None
            steps.append(Step(number, Decision("NONE", spent=error.spent), str(error), seen, None, time.monotonic() - begun))
            return error.status, steps, first
        memory, before = decision.memory or memory, look
        feedback, pointer = _carried_out(desk, decision, look)
        first = first or _opened(desk)
        steps.append(Step(number, decision, feedback, look.screenshot if keep_pictures else None, pointer, time.monotonic() - begun))
        if decision.kind in ("DONE", "FAIL") and decision.malformed is None:
            return ("done" if decision.kind == "DONE" else "failed by agent"), steps, first
    return "out of steps", steps, first


def _carried_out(desk: Desk, decision: Decision, look: Look) -> tuple[str, tuple[int, int] | None]:
    """Carry out a decision; return the feedback for the agent, and the place of its last click or drag."""
    if decision.malformed is not None:
        return decision.malformed, None
    if decision.kind == "WAIT":
        desk.settle(_WAIT_QUIET, _WAIT_LIMIT)
    elements = decision.elements if decision.elements is not None else look.elements
    pointer = None
    for action in decision.actions:
        try:
            desk.do(action, elements)
            asked = for_guest(action, elements, desk.screen)
            pointer = (asked["x"], asked["y"]) if {"x", "y"} <= set(asked) else pointer
        except (MalformedAction, RefusedAction) as error:
            return f"{action} was not carried out: {error}", pointer
    return "", pointer


def _opened(desk: Desk) -> str | None:
    """Return the program whose window was opened first."""
    for window in desk.windows():
        for handle, program in desk.image.programs.items():
            if program.window_class.lower() == window.window_class.lower():
                return handle
    return None


def _told(step: Step) -> str:
    if step.decision.malformed is not None:
        return f"{step.number}. refused: {step.feedback}"
    done = ", ".join(map(str, step.decision.actions)) or step.decision.kind
    return f"{step.number}. {done}{f' ({step.feedback})' if step.feedback else ''}"


def _sum(spent: Sequence[Spent]) -> Spent:
    return Spent(
        sum(one.input_tokens for one in spent),
        sum(one.output_tokens for one in spent),
        sum(one.cost_usd for one in spent),
        tuple(call for one in spent for call in one.calls),
        sum(one.seconds for one in spent),
    )


def as_json(played: Played) -> dict[str, Any]:
    """Return the episode's steps and checks as they are kept, without pictures."""
    return {
        "checks": [{"check": json.dumps(dict(one.entry)), "got": _short(one.got), "holds": one.holds} for one in played.checked],
        "side_effects": played.side_effects,
        "steps": [
            {
                "number": step.number,
                "decision": step.decision.kind,
                "actions": [str(action) for action in step.decision.actions],
                "words": step.decision.words,
                "memory": step.decision.memory,
                "feedback": step.feedback,
                "pointer": step.pointer,
                "seconds": round(step.seconds, 3),
                "calls": list(step.decision.spent.calls),
                "input_tokens": step.decision.spent.input_tokens,
                "output_tokens": step.decision.spent.output_tokens,
                "cost_usd": step.decision.spent.cost_usd,
            }
            for step in played.steps
        ],
    }


_SHOWN = 4_000  # the most characters of a value that a check saw


def _short(got: Any) -> str:
    """Return the value in words, without the middle of a very long one: important parts often stand at the end."""
    told = repr(got)
    left_out = len(told) - _SHOWN
    return told if left_out <= 0 else f"{told[: _SHOWN // 2]} ... {left_out:,} characters left out ... {told[-_SHOWN // 2 :]}"
