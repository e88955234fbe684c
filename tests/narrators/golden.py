"""The golden texts: one narration of every ninth workflow. Run as a module to write them anew, after a meant change."""

from pathlib import Path
from random import Random

from atomic_tasks.catalog import Catalog, read_catalog
from compositions.binding import bind
from compositions.engine import Engine
from compositions.graph import application_graph
from compositions.library import by_id, read_workflows
from compositions.model import Composition
from flows.recipe import read_recipe
from narrators.naming import Names, names_of
from narrators.narrator import Narration, Narrator, Spoken
from narrators.styles import read_styles

GOLDEN_FILE = Path(__file__).parent / "golden_texts.txt"
CATALOG: Catalog = read_catalog()[0]
MAKERS = {name: application.vendor for name, application in CATALOG.applications.items()}
WORKFLOWS = by_id(read_workflows()[0])
NARRATOR = Narrator(read_styles(), read_recipe("demo")[1].narration)


def narrated(composition: Composition, seed: int) -> tuple[Narration, dict[str, str]]:
    graph = application_graph(composition)
    values = bind(composition.arguments, CATALOG.generators, "en", Random(seed))
    workflow = WORKFLOWS[composition.workflow] if composition.workflow else None
    goal, joint = (workflow.goal, workflow.joint) if workflow else (None, ())
    alone = len(graph.nodes) == 1
    names = names_of(CATALOG.applications[graph.applications[0]], CATALOG.kinds, MAKERS) if alone else Names()
    spoken = Spoken(goal, alone and goal is not None, names, values, CATALOG.generators, joint)
    return NARRATOR.narrate(composition, graph, spoken, Random(seed)), values


def golden_texts() -> str:
    """A line for each text: its workflow, its style and what it says."""
    lines = []
    for number, name in enumerate(sorted(WORKFLOWS)[::9]):
        narration, _ = narrated(Engine(()).from_workflow(WORKFLOWS[name], CATALOG.tasks, Random(number)), number)
        lines.append(f"{name} | {narration.style} | {narration.text}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    GOLDEN_FILE.write_text(golden_texts())
