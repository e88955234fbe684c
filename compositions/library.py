"""Read the curated workflows."""

from collections.abc import Mapping
from pathlib import Path

from atomic_tasks.problems import Problem, Source
from atomic_tasks.yaml_source import read_yaml, validated
from compositions.schema import Workflow, Workflows

WORKFLOWS_ROOT = Path(__file__).parent / "workflows"
Located = tuple[Workflow, Source, int]


def read_workflows(root: Path = WORKFLOWS_ROOT) -> tuple[list[Located], list[Problem]]:
    """Return every workflow with its file and its number in that file, and all problems of form."""
    problems: list[Problem] = []
    found: list[Located] = []
    for path in sorted(root.glob("*.yaml")):
        source = read_yaml(path, problems)
        file = validated(source, Workflows, problems) if source.data is not None else None
        found += [(workflow, source, number) for number, workflow in enumerate(file.workflows)] if file else []
    return found, problems


def by_id(located: list[Located]) -> Mapping[str, Workflow]:
    """Return the workflows by id."""
    return {workflow.id: workflow for workflow, _, _ in located}
