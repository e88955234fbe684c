"""The form of workflow files (pydantic models)."""

from typing import Literal

from pydantic import Field

from atomic_tasks.schema import REWORDINGS, Declared, Identifier, Phrasing, Rewordings, Talk

MOST_STEPS = 8  # of a workflow


class WorkflowStep(Declared):
    """One atomic task of a workflow. It can rename its arguments."""

    task: str
    with_: dict[Identifier, Identifier] = Field(default_factory=dict, alias="with", description="task argument: workflow argument")
    label: Identifier | None = Field(None, description="a name for `after` to refer to")
    after: tuple[Identifier, ...] = Field((), description="labels of steps that must come before, in addition to facts")
    optional: bool = Field(False, description="left out half the time")


class Goal(Talk):
    """The purpose of the workflow, for texts that say only the goal.

    A workflow across applications has no capability for its goal. Such a goal never stands alone in a text.
    """

    capability: str | None = None


class Joint(Declared):
    """Whole requests for several steps of a workflow together, as a person words them: with "it", "there" and "the export"."""

    says: tuple[str, ...] = Field(
        min_length=2, description="the steps that these texts say, by label, or by the id of the task without its application"
    )
    say: tuple[Phrasing, ...] = Field(min_length=1)
    rewordings: Rewordings = REWORDINGS


class Workflow(Declared):
    """A curated workflow, within one application or across several."""

    id: Identifier | str
    goal: Goal
    joint: tuple[Joint, ...] = Field((), description="words for several steps together; a text that says several steps uses them")
    order: Literal["listed", "free"] = "listed"
    steps: tuple[WorkflowStep, ...] = Field(min_length=2, max_length=MOST_STEPS)


class Workflows(Declared):
    """A file of workflows."""

    workflows: tuple[Workflow, ...]
