"""A recipe: only the numbers of one dataset that people change."""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PositiveInt, ValidationInfo, field_validator, model_validator

from atomic_tasks.arguments.locales import locales
from atomic_tasks.catalog import CATALOG_ROOT
from atomic_tasks.problems import BadInput, Place, Problem, Source, suggestion
from atomic_tasks.yaml_source import read_yaml, validated
from compositions.schema import MOST_STEPS
from compositions.splits import SplitShares
from narrators.coverage import steps_without_style, styles_for_all
from narrators.rates import NarrationRates, Weight, some_weight
from narrators.styles import read_styles

RECIPES_ROOT = Path(__file__).parent / "recipes"
SHARD_ROWS = 5_000  # more than an application has in any of our recipes, so each of these has one shard an application


class CompositionRates(BaseModel):
    """How often a composition is a single task, a chain, or a workflow (if its application has one)."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
    single: Weight = Field(description="weight of single tasks, with what they need before")
    chain: Weight = Field(description="weight of chains: a task and others that go on from it")
    workflow: Weight = Field(description="weight of the curated workflows within one application, where it has any")
    chain_lengths: Annotated[dict[PositiveInt, Weight], AfterValidator(some_weight)] = Field(
        description="weights of how many tasks follow the first one in a chain"
    )

    @model_validator(mode="after")
    def _some(self) -> "CompositionRates":
        some_weight({"single": self.single, "chain": self.chain, "workflow": self.workflow})
        return self


def _at_most_all(shares: SplitShares) -> SplitShares:
    if shares.dev + shares.test > 1:
        raise ValueError(f"dev and test add up to {shares.dev + shares.test:g}, which is more than 1; the remainder to 1 is train")
    return shares


class AskedModel(BaseModel):
    """A language model that a recipe asks."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
    model: str = Field(description="its name in the registry or, with base_url, at its server")
    base_url: str | None = Field(None, description="an OpenAI-compatible endpoint; none: as registered")
    key_variable: str | None = Field(None, description="the environment variable that holds the key; none: as registered")


class Refill(AskedModel):
    """Pools of argument values to which a language model adds."""

    columns: tuple[str, ...] = Field(min_length=1, description="columns of the pools to refill")
    values: int = Field(ge=1, le=200, description="rows to ask for, for each pool")


class Paraphrasing(AskedModel):
    """Texts that a language model rewords."""

    rate: float = Field(ge=0, le=1, description="share of the texts to paraphrase; those with a typo are never among them")
    temperature: float = Field(0.0, ge=0, le=2)


class Recipe(BaseModel):
    """The declaration of a dataset."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
    title: str
    description: str
    seed: int
    candidates: str = Field(description="a file of atomic_tasks/candidates")
    tasks: int = Field(gt=0, description="rows of the dataset, graphs included")
    graph_tasks: int = Field(ge=0, description="rows whose steps no single application can do")
    spare: float = Field(ge=0, le=1, description="share of rows made beyond the number wanted, for what later stages reject")
    most_attempts: float = Field(gt=1, description="attempts for each wanted row before a shard gives up")
    shard_rows: int = Field(
        SHARD_ROWS,
        ge=100,
        le=100_000,
        description="the most rows of a shard; an application of which more are made has several",
        exclude_if=lambda rows: rows == SHARD_ROWS,  # so that what was made before this field keeps its id
    )
    compositions: CompositionRates
    locales: Annotated[dict[str, Weight], AfterValidator(some_weight)] = Field(
        min_length=1, description="weights of the locales of argument values; one for each text"
    )
    narration: NarrationRates
    recurrences: int | None = Field(None, ge=1, description="the most texts that are the same once arguments are masked; none: no limit")
    uses_every_task: bool = Field(False, description="refuse a dataset in which some atomic task of the candidates stands in no composition")
    splits: Annotated[SplitShares, AfterValidator(_at_most_all)]
    refill: Refill | None = None
    paraphrase: Paraphrasing | None = None

    @field_validator("graph_tasks")
    @classmethod
    def _some_singletons(cls, graph_tasks: int, known: ValidationInfo) -> int:
        if graph_tasks >= known.data.get("tasks", graph_tasks + 1):
            raise ValueError(f"must be less than `tasks`, {known.data['tasks']}, to leave room for tasks of single applications")
        return graph_tasks


def read_recipe(name_or_path: str) -> tuple[str, Recipe]:
    """Return the recipe with that name or in that file, with the name of its dataset; BadInput lists the problems."""
    named = {path.stem: path for path in RECIPES_ROOT.glob("*.yaml")}
    is_path = name_or_path.endswith((".yaml", ".yml"))
    path = Path(name_or_path) if is_path else named.get(name_or_path)
    if path is None or not path.is_file():
        known = ", ".join(sorted(named))
        raise BadInput(f"no recipe '{name_or_path}'{suggestion(name_or_path, named)} (recipes: {known}; or give the path of a .yaml file)")
    problems: list[Problem] = []
    source = read_yaml(path, problems)
    recipe = validated(source, Recipe, problems) if source.data is not None else None
    if recipe is None and not problems:
        raise BadInput(f"{path} is empty")
    problems += _unknown_names(source)
    if recipe is not None and not problems:
        problems += _unsaid(source, recipe)
    if recipe is None or problems:
        raise BadInput(problems)
    return path.stem, recipe


def _unknown_names(source: Source) -> Iterator[Problem]:
    """Yield unknown names of candidate lists, locales and styles, also in an invalid file, so that all mistakes are reported at once."""
    data: Any = source.data if isinstance(source.data, dict) else {}
    narration: Any = data["narration"] if isinstance(data.get("narration"), dict) else {}
    candidates = {file.stem for file in (CATALOG_ROOT / "candidates").glob("*.yaml")}
    if isinstance(data.get("candidates"), str):
        yield from _unknown(source, ("candidates",), "candidate list", data["candidates"], candidates)
    for place, kind, names, known in (
        (("locales",), "locale", data.get("locales"), locales()),
        (("narration", "styles"), "style", narration.get("styles"), read_styles().styles),
        (("narration", "voices"), "voice", narration.get("voices"), read_styles().voices),
    ):
        for name in names if isinstance(names, dict) else ():
            yield from _unknown(source, (*place, name), kind, name, known)


def _unknown(source: Source, place: Place, kind: str, name: str, known: Collection[str]) -> Iterator[Problem]:
    if name not in known:
        yield source.problem(place, f"unknown {kind} '{name}'{suggestion(name, known)} ({kind}s: {', '.join(sorted(known))})")


def _unsaid(source: Source, recipe: Recipe) -> Iterator[Problem]:
    """Yield the compositions that no style of the recipe can say."""
    chosen = [name for name, weight in recipe.narration.styles.items() if weight]
    most = MOST_STEPS if recipe.graph_tasks else 1  # only a text across applications joins steps; others say one thing in words of its own
    lacking = steps_without_style(read_styles(), chosen, most)
    if lacking:
        steps = f"{lacking[0]} step{'s' * (lacking[0] != 1)}"
        reason = f"no style here can say {steps} in any words; add one that can say everything"
        yield source.problem(("narration", "styles"), f"{reason}: {' or '.join(styles_for_all(read_styles(), most))}")
