"""What a workflow file may say (pydantic models)."""

from typing import Literal

from pydantic import Field

from atomic_tasks.schema import Declared, Identifier, Talk

MOST_STEPS = 8  # of a workflow


class WorkflowStep(Declared):
    """One atomic task of a workflow, its arguments perhaps under other names."""

    task: str
    with_: dict[Identifier, Identifier] = Field(default_factory=dict, alias="with", description="task argument: workflow argument")
    label: Identifier | None = Field(None, description="a name for `after` to refer to")
    after: tuple[Identifier, ...] = Field((), description="labels of steps that must come before, beyond what facts say")
    optional: bool = Field(False, description="left out half the time")


class Goal(Talk):
    """What the whole workflow is for, for texts that keep only the goal.

    Without a capability (a workflow whose steps no single application can do) the goal never stands alone.
    """

    capability: str | None = None


class Workflow(Declared):
    """A curated workflow, within one application or across several."""

    id: Identifier | str
    goal: Goal
    order: Literal["listed", "free"] = "listed"
    steps: tuple[WorkflowStep, ...] = Field(min_length=2, max_length=MOST_STEPS)


class Workflows(Declared):
    """A file of workflows."""

    workflows: tuple[Workflow, ...]
