"""The recipe of a sweep: a suite, and crosses of models, agents, observations, prompts, history lengths and knowledge cards to play on it."""

import json
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from atomic_tasks.catalog import CATALOG_ROOT
from atomic_tasks.problems import BadInput, Problem, Source, suggestion
from atomic_tasks.yaml_source import read_yaml, validated
from eval_flows.episodes.agents.choice import Prompt
from eval_flows.episodes.environment.stage import Start
from language_models.endpoint import Endpoint, Interface
from language_models.registry import find_endpoint

RECIPES = Path(__file__).parent / "recipes"
SCHEMA = CATALOG_ROOT / "json_schemas" / "sweep.schema.json"
Scalar = bool | int | float | str
History = int | Literal["all"]


class _Declared(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class AskedAgent(_Declared):
    """An agent of a cross. An option with a list of values is crossed too."""

    agent: str = Field(description="its name, or its place such as my_package.my_module:MyAgent")
    options: dict[str, Scalar | tuple[Scalar, ...]] = Field({}, description="values of its options; a list is crossed")
    actions: str = Field("computer", description="action space in which the model answers")


class AskedModel(_Declared):
    """A model of a cross."""

    model: str = Field(description="its name in the registry or, with base_url, at its server")
    base_url: str | None = Field(None, description="an OpenAI-compatible endpoint; none: as registered")
    key_variable: str | None = Field(None, description="the environment variable that holds the key; none: as registered")
    interface: Interface | None = Field(None, description="the interface of the server; none: as registered, or chat")
    ask_anew: str | None = Field(None, description="a name for a change behind the same address, as with --ask-anew")


def _named(key: str, model: type[BaseModel]) -> BeforeValidator:
    """Return a validator of a model that takes a name alone for a mapping with only that key."""
    return BeforeValidator(lambda given: {key: given} if isinstance(given, str) else given, json_schema_input_type=str | model)


class Cross(_Declared):
    """Every combination of the values in its lists is one cell of the sweep. What is left out is as in `deskmill episodes` without it."""

    agents: tuple[Annotated[AskedAgent, _named("agent", AskedAgent)], ...] = Field(min_length=1)
    models: tuple[Annotated[AskedModel, _named("model", AskedModel)], ...] = Field((), description="language models of the agents; scripts have none")
    observations: tuple[str, ...] = Field((), description="what the model observes, as with --observe")
    prompts: tuple[Prompt, ...] = Field((), description="prompt styles")
    histories: tuple[History, ...] = Field((), description="past steps that the agent remembers: its option `history`")
    cards: tuple[bool, ...] = Field((), description="without and with the knowledge cards of the applications")
    repeats: int = Field(1, ge=1, description="times that each episode is played")
    temperature: float = Field(1.0, ge=0, le=2)
    top_p: float = Field(0.8, gt=0, le=1)
    model_seconds: float = Field(60.0, gt=0, description="seconds for the model per step")


class SweepRecipe(_Declared):
    """The declaration of a sweep."""

    title: str = Field(min_length=1)
    description: str
    suite: str
    start: Start = "preloaded"
    machine: str = Field("sandbox", description="kind of machine")
    machine_options: dict[str, str] = {}
    picture: str = Field("native,png,pointer", description="form of pictures of the screen, as with --picture")
    levels: tuple[Literal["L1", "L2", "L3", "L4"], ...] = Field((), description="only these levels")
    limit: int | None = Field(None, ge=1, description="only the first episodes")
    workers: int = Field(2, ge=1, description="machines at once")
    budget: float | None = Field(None, gt=0, description="dollars that all calls of the sweep may cost together, over all commands")
    runs: tuple[Cross, ...] = Field(min_length=1)

    def with_changes(self, workers: int | None, limit: int | None, budget: float | None) -> "SweepRecipe":
        """Return the recipe with other values where they are given; ValidationError for values that a recipe cannot have."""
        changed = {"workers": workers, "limit": limit, "budget": budget}
        return SweepRecipe.model_validate(self.model_dump() | {key: value for key, value in changed.items() if value is not None})


def read_sweep(name_or_path: str) -> tuple[str, SweepRecipe, Source]:
    """Return the recipe with that name or in that file, with the name of the sweep and the lines of the file; BadInput lists the problems."""
    named = {path.stem: path for path in RECIPES.glob("*.yaml")}
    path = Path(name_or_path) if name_or_path.endswith((".yaml", ".yml")) else named.get(name_or_path)
    if path is None or not path.is_file():
        known = ", ".join(sorted(named))
        raise BadInput(f"no sweep '{name_or_path}'{suggestion(name_or_path, named)} (sweeps: {known}; or give the path of a .yaml file)")
    problems: list[Problem] = []
    source = read_yaml(path, problems)
    recipe = validated(source, SweepRecipe, problems) if source.data is not None else None
    if recipe is None or problems:
        raise BadInput(problems or f"{path} is empty")
    return path.stem, recipe, source


def json_schema() -> str:
    """Return the JSON Schema of a recipe, by which editors complete and check."""
    return json.dumps(SweepRecipe.model_json_schema(), indent=2) + "\n"


def endpoint_of(asked: AskedModel, own_models: Path) -> Endpoint:
    """Return the endpoint of a model; ModelError if there is none. `own_models` is the file of the user's models."""
    return find_endpoint(asked.model, asked.base_url, asked.key_variable, interface=asked.interface, edition=asked.ask_anew, own=own_models)


def values_of(asked: AskedAgent) -> dict[str, tuple[Any, ...]]:
    """Return the values of each option of an agent, also of those with one value."""
    return {name: value if isinstance(value, tuple) else (value,) for name, value in asked.options.items()}
