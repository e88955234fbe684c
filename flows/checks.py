"""The checks of `deskmill validate` over all declared files, with all problems at once, and the JSON Schemas for editors."""

import json
from pathlib import Path

from pydantic import BaseModel

from atomic_tasks.arguments.worlds import Worlds
from atomic_tasks.catalog import CATALOG_ROOT
from atomic_tasks.considered import FILE, Considered, problems_of
from atomic_tasks.problems import BadInput, Problem
from atomic_tasks.schema import Application, CandidateList, Equivalence, Kinds
from atomic_tasks.value_schema import Locale, Pools
from atomic_tasks.yaml_source import read_yaml, validated
from compositions.library import read_workflows
from compositions.schema import Workflows
from flows.pipeline import read_declared
from flows.recipe import RECIPES_ROOT, Recipe, read_recipe
from narrators import rewordings
from narrators.styles import Styles, read_styles

SCHEMAS_ROOT = CATALOG_ROOT / "json_schemas"
_SCHEMAS: dict[str, type[BaseModel]] = {
    "application": Application,
    "candidates": CandidateList,
    "equivalence": Equivalence,
    "considered": Considered,
    "pools": Pools,
    "kinds": Kinds,
    "locale": Locale,
    "worlds": Worlds,
    "workflows": Workflows,
    "styles": Styles,
    "recipe": Recipe,
}


def check_everything() -> str:
    """Return a line that counts the declared things; BadInput lists every problem."""
    problems: list[Problem] = []
    words: list[str] = []
    try:
        catalog, workflows = read_declared()
    except BadInput as error:
        problems += error.problems
    else:
        phrasings = sum(len(task.say) for task in catalog.tasks.values())
        words.append(f"{len(catalog.applications)} applications, {len(catalog.tasks)} atomic tasks, {phrasings} phrasings")
        source = read_yaml(CATALOG_ROOT / FILE, problems)
        considered = validated(source, Considered, problems) if source.data is not None else None
        problems += problems_of(considered, catalog.capabilities, source) if considered else ()
        problems += rewordings.problems_of(catalog, read_workflows()[0], read_styles().voices)
        words.append(f"{len(catalog.capabilities)} capabilities, {len(catalog.generators)} argument generators, {len(workflows)} workflows")
    try:
        read_styles()
    except BadInput as error:
        problems += error.problems
    for path in sorted(RECIPES_ROOT.glob("*.yaml")):
        try:
            read_recipe(str(path))
        except BadInput as error:
            problems += error.problems
    if problems:
        raise BadInput(problems)
    return "the catalog is sound: " + ", ".join(words)


def json_schemas() -> dict[Path, str]:
    """Return the text of each schema file."""
    return {SCHEMAS_ROOT / f"{name}.schema.json": json.dumps(model.model_json_schema(), indent=2) + "\n" for name, model in _SCHEMAS.items()}


def write_json_schemas() -> list[Path]:
    """Write the schema files beside the catalog."""
    SCHEMAS_ROOT.mkdir(exist_ok=True)
    for path, text in json_schemas().items():
        path.write_text(text)
    return list(json_schemas())
