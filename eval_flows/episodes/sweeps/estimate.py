"""What the rest of a run would cost, without asking a model: the agent writes its requests about a typical screen, and their tokens are counted.

An episode is expected to take as many steps as the oracle's lines, and one to say DONE; at most it takes its budget. The history of an agent
grows as it would, since each step gets an answer of usual length. How much a model really writes, and how many
steps it takes, is only known afterwards.
"""

import io
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from types import SimpleNamespace
from typing import Any, cast

from PIL import Image

from eval_flows.episodes.agents.agent import Situation
from eval_flows.episodes.agents.choice import AgentChoice, Setting, make_agent
from eval_flows.episodes.agents.observation_source import ObservationChoice, Shown
from eval_flows.episodes.agents.question import Question, Told
from eval_flows.episodes.environment import Observation
from eval_flows.episodes.environment.picture import in_form
from eval_flows.episodes.runs.play import HISTORY
from eval_flows.episodes.runs.run import Plan
from eval_flows.episodes.tasks.annotation import oracle_lines
from eval_flows.episodes.tasks.suite_task import SuiteTask
from language_models.chat import Answer
from machines.client import Window
from machines.observation import Element

OUTPUT_TOKENS = 200  # of an answer with a few sentences, a decision, actions and memory
_TRIED = HISTORY + 4  # steps
_ELEMENTS = 80  # of a window with menus, a tool bar and a document
_ANSWER = "The window is there, and the next thing to do is plain. " * 12 + "\n```decision\nWAIT\n```\n```memory\nnothing new\n```"
_TITLE = "notes.txt - Editor"


@dataclass(frozen=True)
class Estimate:
    """What is left of a run: episodes, and the calls, tokens and dollars, as expected and at most. Dollars are None without prices."""

    episodes: int
    calls: int
    most_calls: int
    tokens: int
    most_tokens: int
    cost_usd: float | None
    most_cost_usd: float | None


@dataclass(frozen=True)
class _SameScreen(ObservationChoice):
    """The observation of a screen that stays as it is: shown once, since marks and texts in pictures take long to make."""

    shown: Shown = field(default_factory=Shown)

    def show(self, situation: Situation) -> Shown:
        """Return what it shows."""
        return self.shown


def estimated(plan: Plan, left: Sequence[SuiteTask]) -> Estimate:
    """Return what the episodes that are left of a run would cost."""
    steps = [(min(one.task.budget, oracle_lines(one.task) + 1), one.task.budget) for one in left]
    read_by = [0, *accumulate(_input_tokens(plan, left[0], max(most for _, most in steps)))] if left and plan.endpoint else [0]
    if not any(read_by):
        return Estimate(len(left), 0, 0, 0, 0, 0.0, 0.0)
    expected, most = (sum(step[number] for step in steps) for number in (0, 1))
    read, most_read = (sum(read_by[step[number]] for step in steps) for number in (0, 1))
    written, most_written = OUTPUT_TOKENS * expected, _most_output(plan) * most
    cost, most_cost = (None if plan.endpoint is None or plan.endpoint.prices is None else plan.endpoint.cost(tokens, 0, out)
                       for tokens, out in ((read, written), (most_read, most_written)))  # fmt: skip
    return Estimate(len(left), expected, most, read + written, most_read + most_written, cost, most_cost)


def _most_output(plan: Plan) -> int:
    return plan.agent.sampling.most_tokens + (plan.endpoint.reasoning_tokens if plan.endpoint else 0)


def _input_tokens(plan: Plan, one: SuiteTask, steps: int) -> list[int]:
    """Return the input tokens of each step of an episode; 0 for a step in which the agent asks no model.

    Some steps are tried. Later ones grow as the last two of these do: by nothing where a short history is full.
    """
    asked: list[int] = []

    def answer(question: Question) -> Told:
        asked[-1] += question.request.estimated_tokens
        return Told(Answer(_ANSWER, "answered", question.request.estimated_tokens, OUTPUT_TOKENS), 0.0)

    offers = plan.machine.offers
    seen = _screen(plan, offers.screen)
    told = [f"{number}. single_click(id={number}), write(text='some words')" for number in range(1, _TRIED + 1)]
    first = Situation(one.task.instruction, seen, None, 1, steps, "nothing new", [], offers.screen)
    later = replace(first, before=seen)
    environment = SimpleNamespace(offers=offers, form=plan.form)
    agent = make_agent(Setting(one.task, cast("Any", environment), 1, _with_same_screen(plan.agent, later), answer))
    for number in range(1, _TRIED + 1):
        asked.append(0)
        agent.decide(replace(first if number == 1 else later, number=number, history=told[max(0, number - 1 - HISTORY) : number - 1]))
    growth = asked[-1] - asked[-2]
    return [*asked, *(asked[-1] + growth * number for number in range(1, steps - _TRIED + 1))]


def _with_same_screen(agent: AgentChoice, situation: Situation) -> AgentChoice:
    observation = agent.observation
    return replace(agent, observation=_SameScreen(observation.names, observation.sources, observation.show(situation)))


def _screen(plan: Plan, size: tuple[int, int]) -> Observation:
    """Return the observation of a typical screen."""
    states = frozenset({"enabled", "focusable", "sensitive", "showing", "visible"})
    places = [(20 + 120 * (number % 10), 40 + 60 * (number // 10), 100, 24) for number in range(_ELEMENTS)]
    elements = [Element(number, "push button", f"Name {number:05}", "", None, states, box, _TITLE, "editor") for number, box in enumerate(places, 1)]
    window = Window(_TITLE, "Editor", 1, 0, 0, *size, is_active=True)
    if "screenshot" not in plan.agent.observation.wants:
        return Observation(elements, [window], clipboard="")
    file = io.BytesIO()
    Image.new("RGB", size, "white").save(file, "PNG")
    picture = file.getvalue()
    return Observation(elements, [window], picture, "", pictures=in_form(picture, plan.form, None), dom=[])
