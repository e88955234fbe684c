"""The cells of a sweep: every combination of a cross is one run, the same that `deskmill episodes` makes with these options."""

import json
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from atomic_tasks.problems import BadInput, Place, Problem, Source
from eval_flows.episodes.agents.choice import AgentChoice, Prompt, Sampling
from eval_flows.episodes.agents.observation_source import observation_choice
from eval_flows.episodes.environment.picture import picture_form
from eval_flows.episodes.runs.pipeline import EpisodeOptions
from eval_flows.episodes.sweeps.recipe import AskedAgent, AskedModel, Cross, History, SweepRecipe, endpoint_of, values_of
from eval_flows.episodes.sweeps.refusals import refused
from warehouse.layout import DataFolder

HISTORY = "history"  # the option of agents that history lengths set
_CARDS = "cards"  # the observation source of knowledge cards
_OF_CROSS = ("temperature", "top_p", "model_seconds", "repeats")  # keys that are options of `deskmill episodes`, with the same defaults
_OF_RECIPE = ("picture", "start", "machine", "limit")
_USUAL = AgentChoice("model")


@dataclass(frozen=True)
class Cell:
    """One run of a sweep. `factors` holds what tells it from other cells: only what its cross names, with each option of the agent by its name."""

    number: int
    agent: AgentChoice
    options: EpisodeOptions
    factors: dict[str, Any]
    command: str

    @property
    def label(self) -> str:
        """Return the cell in words."""
        told = {"agent": "{}", "model": "{}", "observation": "{}", "prompt": "{}", _CARDS: "cards={}"}
        values = {name: {True: "yes", False: "no"}.get(value, value) if isinstance(value, bool) else value for name, value in self.factors.items()}
        return ", ".join(told.get(name, f"{name}={{}}").format(value) for name, value in values.items())


@dataclass(frozen=True)
class _Combination:
    """A value for each list of a cross; None where the cross has none."""

    asked: AskedAgent
    options: dict[str, Any]
    model: AskedModel | None
    observation: str | None
    prompt: Prompt | None
    history: History | None
    cards: bool | None

    @property
    def factors(self) -> dict[str, Any]:
        named: dict[str, Any] = {
            "agent": self.asked.agent,
            "model": self.model and self.model.model,
            "observation": self.observation,
            "prompt": self.prompt,
        }
        named |= {HISTORY: self.history, _CARDS: self.cards}
        return {name: value for name, value in named.items() if value is not None} | self.options

    @property
    def given(self) -> dict[str, Any]:
        """Return the options of the agent, with the history length."""
        return self.options if self.history is None else self.options | {HISTORY: self.history}

    @property
    def observe(self) -> str:
        """Return the observation as `--observe` takes it."""
        observed = self.observation or _USUAL.observation.words
        return f"{observed}+{_CARDS}" if self.cards else observed


def cells_of(recipe: SweepRecipe, source: Source, data: DataFolder) -> list[Cell]:
    """Return the cells, in the order of the file; BadInput names everything that cannot be, with its line."""
    problems = list(refused(recipe, source, data.models))
    if problems:
        raise BadInput(problems)
    made = [(("runs", number), cross, combination) for number, cross in enumerate(recipe.runs) for combination in _combinations(cross)]
    cells = [_cell(number, cross, combination, recipe, data) for number, (_, cross, combination) in enumerate(made, 1)]
    if twice := list(_same(cells, [place for place, _, _ in made], source)):
        raise BadInput(twice)
    return cells


def _combinations(cross: Cross) -> Iterator[_Combination]:
    for asked in cross.agents:
        names, lists = list(values_of(asked)), list(values_of(asked).values())
        for options in product(*lists):
            for model, observation, prompt, history, cards in product(
                cross.models or (None,), cross.observations or (None,), cross.prompts or (None,), cross.histories or (None,), cross.cards or (None,)
            ):
                yield _Combination(asked, dict(zip(names, options, strict=True)), model, observation, prompt, history, cards)


def _cell(number: int, cross: Cross, one: _Combination, recipe: SweepRecipe, data: DataFolder) -> Cell:
    asked = one.model
    endpoint = None if asked is None else endpoint_of(asked, data.models)
    agent = AgentChoice(
        one.asked.agent,
        model=None if asked is None else asked.model,
        prompt=one.prompt or _USUAL.prompt,
        observation=observation_choice(one.observe, recipe.suite),
        actions=one.asked.actions,
        sampling=Sampling(cross.temperature, cross.top_p),
        seconds_per_step=cross.model_seconds,
        options=one.given,
    )
    form = picture_form(recipe.picture)
    options = EpisodeOptions(
        recipe.workers, cross.repeats, recipe.start, recipe.machine, recipe.machine_options, recipe.limit, recipe.levels, endpoint, form=form
    )
    return Cell(number, agent.settled, options, one.factors, _command(recipe, cross, one))


def _command(recipe: SweepRecipe, cross: Cross, one: _Combination) -> str:
    """Return the command that plays the same run, without the options that have their usual value."""
    words = ["deskmill", "episodes", recipe.suite, "--agent", one.asked.agent]
    for name, value in one.given.items():
        words += ["--agent-option", name, str(value)]
    model = one.model or AskedModel(model="")
    values: dict[str, Any] = {"model": model.model, "base-url": model.base_url, "key-variable": model.key_variable, "ask-anew": model.ask_anew}
    values |= {"interface": model.interface, "observe": one.observe, "prompt": one.prompt or _USUAL.prompt, "actions": one.asked.actions}
    values |= {name.replace("_", "-"): getattr(cross, name) for name in _OF_CROSS}
    values |= {name: getattr(recipe, name) for name in _OF_RECIPE}
    usual: dict[str, Any] = {"observe": _USUAL.observation.words, "prompt": _USUAL.prompt, "actions": _USUAL.actions}
    usual |= {name.replace("_", "-"): Cross.model_fields[name].default for name in _OF_CROSS}
    usual |= {name: SweepRecipe.model_fields[name].default for name in _OF_RECIPE}
    for name, value in values.items():
        words += [] if value in (None, "", usual.get(name)) else [f"--{name}", str(value)]
    for level in recipe.levels:
        words += ["--level", level]
    for name, text in recipe.machine_options.items():
        words += ["--machine-option", name, text]
    return shlex.join(words)


def _same(cells: list[Cell], places: list[Place], source: Source) -> Iterator[Problem]:
    """Yield the cells that would be the same run as an earlier one."""
    known: dict[str, Cell] = {}
    for cell, place in zip(cells, places, strict=True):
        endpoint = cell.options.endpoint
        decides = json.dumps([cell.agent.described, endpoint.described if endpoint else None], sort_keys=True)
        earlier = known.setdefault(decides, cell)
        if earlier is not cell:
            yield source.problem(place, f"cell {cell.number} ({cell.label}) is the same run as cell {earlier.number} ({earlier.label}): list it once")
