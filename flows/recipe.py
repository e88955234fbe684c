"""A recipe: the numbers that people change, and nothing else, of one dataset."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, model_validator

from atomic_tasks.arguments.locales import locales
from atomic_tasks.problems import BadInput, Problem, suggestion
from atomic_tasks.yaml_source import read_yaml, validated
from narrators.rates import NarrationRates
from narrators.styles import read_styles

RECIPES_ROOT = Path(__file__).parent / "recipes"


class CompositionRates(BaseModel):
    """How often a composition is a single task, a chain, or a workflow, where its application has such."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    single: float = Field(ge=0)
    chain: float = Field(ge=0)
    workflow: float = Field(ge=0)
    chain_lengths: dict[int, float] = Field(description="weights of how many tasks follow the first one in a chain")


class SplitShares(BaseModel):
    """Shares of the atomic tasks that fall to each split; a composition follows the rarest."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    dev: float = Field(ge=0, le=1)
    test: float = Field(ge=0, le=1)


class AskedModel(BaseModel):
    """A language model that a recipe asks."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    model: str = Field(description="its name in the registry or, with base_url, at its server")
    base_url: str | None = Field(None, description="an OpenAI-compatible endpoint; none: as registered")
    key_variable: str | None = Field(None, description="the environment variable that holds the key; none: as registered")


class Refill(AskedModel):
    """Pools of argument values to which a language model adds."""

    columns: tuple[str, ...] = Field(min_length=1, description="columns of the pools to refill")
    values: int = Field(ge=1, le=200, description="rows to ask for, for each pool")


class Paraphrasing(AskedModel):
    """Texts that a language model says in other words."""

    rate: float = Field(ge=0, le=1, description="share of the texts to paraphrase; those with a typo are never among them")
    temperature: float = Field(0.0, ge=0, le=2)


class Recipe(BaseModel):
    """What a dataset is to be."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    title: str
    description: str
    seed: int
    candidates: str = Field(description="a file of atomic_tasks/candidates")
    tasks: int = Field(gt=0, description="rows of the dataset, graphs included")
    graph_tasks: int = Field(ge=0, description="rows whose steps no single application can do")
    spare: float = Field(ge=0, le=1, description="share of rows made beyond the number wanted, for what later stages reject")
    most_attempts: float = Field(gt=1, description="attempts for each wanted row before a shard gives up")
    compositions: CompositionRates
    locales: dict[str, float] = Field(min_length=1, description="weights of the locales of argument values; one for each text")
    narration: NarrationRates
    recurrences: int | None = Field(None, ge=1, description="the most texts that are the same once arguments are masked; none: no limit")
    uses_every_task: bool = Field(False, description="refuse a dataset in which some atomic task of the candidates stands in no composition")
    splits: SplitShares
    refill: Refill | None = None
    paraphrase: Paraphrasing | None = None

    @model_validator(mode="after")
    def _some_singletons(self) -> "Recipe":
        if self.graph_tasks >= self.tasks:
            raise ValueError("graph_tasks must leave room for tasks of single applications")
        return self


def read_recipe(name_or_path: str) -> tuple[str, Recipe]:
    """The recipe of that name, or in that file, with the name that its dataset gets; BadInput says what is wrong."""
    named = {path.stem: path for path in RECIPES_ROOT.glob("*.yaml")}
    is_path = name_or_path.endswith((".yaml", ".yml"))
    path = Path(name_or_path) if is_path else named.get(name_or_path)
    if path is None or not path.is_file():
        known = ", ".join(sorted(named))
        raise BadInput(f"no recipe '{name_or_path}'{suggestion(name_or_path, named)} (recipes: {known}; or give the path of a .yaml file)")
    problems: list[Problem] = []
    source = read_yaml(path, problems)
    recipe = validated(source, Recipe, problems) if source.data is not None else None
    for name in recipe.locales if recipe else ():
        if name not in locales():
            problems.append(source.problem(("locales", name), f"unknown locale '{name}'{suggestion(name, locales())}"))
    for style in recipe.narration.styles if recipe else ():
        if style not in read_styles().styles:
            problems.append(source.problem(("narration", "styles", style), f"unknown style '{style}'{suggestion(style, read_styles().styles)}"))
    if recipe is None or problems:
        raise BadInput(problems or f"{path} is empty")
    return path.stem, recipe
