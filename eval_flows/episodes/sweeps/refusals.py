"""What cannot be in a recipe of a sweep: unknown names, scripts that are crossed, pictures for a model that takes none, and so on."""

from collections.abc import Iterable, Iterator
from itertools import product
from math import prod
from pathlib import Path

from atomic_tasks.problems import BadInput, Place, Problem, Source
from eval_flows.episodes.agents.action_space import ACTION_SPACES
from eval_flows.episodes.agents.choice import AGENTS, AgentChoice
from eval_flows.episodes.agents.observation_source import ObservationChoice, observation_choice
from eval_flows.episodes.environment.picture import PictureForm, picture_form
from eval_flows.episodes.runs.pipeline import refuse_pictures
from eval_flows.episodes.sweeps.recipe import AskedAgent, Cross, SweepRecipe, endpoint_of, values_of
from eval_flows.episodes.tasks.suite import read_suite
from language_models.endpoint import Endpoint
from language_models.errors import ModelError
from machines.errors import PluginError

_AXES = ("models", "observations", "prompts", "histories", "cards")  # lists of a cross that mean something only to an agent with a model
_REASONS = (BadInput, PluginError, ModelError)


def refused(recipe: SweepRecipe, source: Source, own_models: Path) -> Iterator[Problem]:
    """Yield everything that cannot be, with its place in the file. `own_models` is the file of the user's models."""
    try:
        read_suite(recipe.suite)
    except BadInput as error:
        yield source.problem(("suite",), _first(error))
        return  # observations show what a suite has
    form = PictureForm()
    try:
        form = picture_form(recipe.picture)
    except BadInput as error:
        yield source.problem(("picture",), _first(error))
    for number, cross in enumerate(recipe.runs):
        place = ("runs", number)
        yield from _repeated(cross, source, place)
        for position, asked in enumerate(cross.agents):
            yield from _of_agent(cross, asked, source, (*place, "agents", position))
        yield from _of_models(cross, recipe.suite, form, source, place, own_models)


def _repeated(cross: Cross, source: Source, place: Place) -> Iterator[Problem]:
    for name in _AXES:
        given: tuple[object, ...] = getattr(cross, name)
        for number, value in enumerate(given):
            if value in given[:number]:
                yield source.problem((*place, name, number), "stands twice in the list")


def _of_agent(cross: Cross, asked: AskedAgent, source: Source, place: Place) -> Iterator[Problem]:
    try:
        AGENTS.plugin(asked.agent).load()
        ACTION_SPACES.plugin(asked.actions).load()
    except PluginError as error:
        yield source.problem(place, _first(error))
        return
    choice = AgentChoice(asked.agent)
    crossed = [name for name in _AXES if getattr(cross, name)]
    if choice.is_scripted and crossed:
        times = prod(len(getattr(cross, name)) for name in crossed)
        told = f"'{asked.agent}' is a script: it asks no model and sees no observation, so {' and '.join(crossed)} would give one run, not {times}"
        yield source.problem(place, f"{told}; list it in a cross of its own under `runs`")
        return
    seen = [name for name in ("observations", "cards") if getattr(cross, name)]
    if seen and choice.settled is not choice:
        told = f"'{asked.agent}' has one observation of its own, so {' and '.join(seen)} cannot be crossed with it"
        yield source.problem(place, f"{told}; list it in a cross of its own under `runs`")
    if choice.asks_a_model and not cross.models:
        yield source.problem(place, f"'{asked.agent}' asks a language model: list `models` in this cross")
    yield from _of_options(cross, asked, source, place)


def _of_options(cross: Cross, asked: AskedAgent, source: Source, place: Place) -> Iterator[Problem]:
    values = values_of(asked)
    if cross.histories and "history" in values:
        yield source.problem((*place, "options"), "`history` is set here and by `histories` of the cross: keep one of them")
        return
    for name, number in ((name, number) for name, several in values.items() for number in range(len(several))):
        if values[name][number] in values[name][:number]:
            yield source.problem((*place, "options", name), f"the value {values[name][number]} stands twice")
    reasons = dict.fromkeys(_reasons(asked.agent, {name: value}) for name, several in values.items() for value in several)
    for reason in filter(None, reasons):
        yield source.problem((*place, "options"), reason)
    lengths = dict.fromkeys(_reasons(asked.agent, {"history": length}) for length in cross.histories)
    for reason in filter(None, lengths):
        yield source.problem(place, f"cannot be crossed with `histories`: {reason}")


def _reasons(agent: str, options: dict[str, bool | int | float | str]) -> str:
    """Return why an agent does not take options; empty if it does."""
    try:
        _ = AgentChoice(agent, options=options).checked_options
    except BadInput as error:
        return "; ".join(str(error).splitlines())
    return ""


def _of_models(cross: Cross, suite: str, form: PictureForm, source: Source, place: Place, own_models: Path) -> Iterator[Problem]:
    endpoints: list[Endpoint] = []
    for number, asked in enumerate(cross.models):
        try:
            endpoints.append(endpoint_of(asked, own_models))
        except ModelError as error:
            yield source.problem((*place, "models", number), _first(error))
    observed: list[tuple[Place, ObservationChoice]] = []
    for number, text in enumerate(cross.observations):
        try:
            observed.append(((*place, "observations", number), observation_choice(text, suite)))
        except _REASONS as error:
            yield source.problem((*place, "observations", number), _first(error))
        if cross.cards and "cards" in text.split("+"):
            yield source.problem((*place, "observations", number), "has the cards already: leave them out here, or leave out `cards` of the cross")
    yield from _of_pictures(observed, endpoints, source)
    yield from _of_interfaces(cross, endpoints, form, source, place)


def _of_interfaces(cross: Cross, endpoints: list[Endpoint], form: PictureForm, source: Source, place: Place) -> Iterator[Problem]:
    """Yield what agents say themselves of the models and the pictures that they cannot play with."""
    for position, asked in enumerate(cross.agents):
        try:
            refuse = getattr(AGENTS[asked.agent], "refuse", None)
        except PluginError:
            continue  # it is told already that there is no such agent
        if refuse is None:
            continue
        reasons: dict[str, None] = {}
        for endpoint in endpoints:
            try:
                refuse(asked.agent, endpoint, form)
            except BadInput as error:
                reasons[_first(error)] = None
        yield from (source.problem((*place, "agents", position), reason) for reason in reasons)


def _of_pictures(observed: Iterable[tuple[Place, ObservationChoice]], endpoints: list[Endpoint], source: Source) -> Iterator[Problem]:
    for (place, observation), endpoint in product(observed, endpoints):
        try:
            refuse_pictures(observation, endpoint)
        except ModelError as error:
            yield source.problem(place, f"'{observation.words}' has pictures, but {error}")


def _first(error: Exception) -> str:
    """Return the reason in one line, as problems have it."""
    return "; ".join(str(error).splitlines())
