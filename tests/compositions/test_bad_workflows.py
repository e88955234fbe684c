"""Protects the messages on workflows: each mistake with its file, line and reason."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from atomic_tasks.catalog import Catalog
from compositions.library import read_workflows
from compositions.validator import validate_workflows

GOOD = """\
workflows:
  - id: mine
    goal:
      capability: spreadsheet.aggregate
      say: ["total {workbook} up", "Is {workbook} added up?"]
    steps:
      - task: excel.open_workbook
      - task: excel.sum_column
"""


@pytest.mark.parametrize(
    ("old", "new", "place", "reason"),
    [
        ("excel.sum_column", "excel.sum_colum", ":8: workflows[0].steps[1].task", "did you mean 'excel.sum_column'?"),
        ("      - task: excel.open_workbook\n", "      - task: excel.import_csv\n", ":6: workflows[0].steps", "unmet need: step 2 (excel.sum_column) needs open(workbook)"),
        ("      - task: excel.sum_column", "      - {task: excel.sum_column, after: [first]}", ":8: workflows[0].steps[1].after", "no earlier step has the label 'first'"),
        ("      - task: excel.sum_column", "      - {task: excel.sum_column, with: {colum: c}}", ":8: workflows[0].steps[1].with.colum", "has no argument 'colum'"),
        ("spreadsheet.aggregate", "spreadsheet.agregate", ":4: workflows[0].goal.capability", "did you mean 'spreadsheet.aggregate'?"),
        ("total {workbook} up", "total {workbok} up", ":5: workflows[0].goal.say[0]", "did you mean 'workbook'?"),
        ("    steps:", "    joint:\n      - {says: [sum_column, sum_colum], say: [add it up]}\n    steps:", ":7: workflows[0].joint[0].says", "no step is called 'sum_colum'; did you mean 'sum_column'?"),
        ("    steps:", "    joint:\n      - {says: [open_workbook, sum_column], say: [\"add up {colum}\"]}\n    steps:", ":7: workflows[0].joint[0].say[0]", "uses {colum}, which none of its steps has"),
        ("excel.sum_column", "word.accept_changes", ":2: workflows[0]", "needs joint words for steps that are always kept"),
        ("excel.sum_column", "word.accept_changes", ":4: workflows[0].goal.capability", ""),
        ("    steps:", "    stps:", ":6: workflows[0].stps", "unknown key 'stps'; did you mean 'steps'?"),
    ],
)  # fmt: skip
def test_each_mistake_has_its_place_and_reason(tmp_path: Path, catalog: Catalog, old: str, new: str, place: str, reason: str) -> None:
    (tmp_path / "mine.yaml").write_text(GOOD)
    located, form = read_workflows(tmp_path)
    unused = ("no atomic task and no goal has this capability", "no composition reaches")  # the catalog's own workflows are not read here
    assert form == [] and [problem for problem in validate_workflows(located, catalog) if not problem.reason.startswith(unused)] == []
    (tmp_path / "mine.yaml").write_text(GOOD.replace(old, new))
    located, form = read_workflows(tmp_path)
    lines = [str(problem) for problem in [*form, *validate_workflows(located, catalog)]]
    assert any(f"mine.yaml{place}" in line and reason in line for line in lines), lines


def _with_tasks(catalog: Catalog, *changes: tuple[str, Mapping[str, object]]) -> Catalog:
    """The catalog with some of Excel's tasks changed."""
    excel, changed = catalog.applications["excel"], dict(changes)
    tasks = tuple(task.model_copy(update=changed.get(task.id, {})) for task in excel.tasks)
    return replace(catalog, applications={**catalog.applications, "excel": excel.model_copy(update={"tasks": tasks})})


def _reasons(catalog: Catalog) -> list[str]:
    return [str(problem) for problem in validate_workflows(read_workflows()[0], catalog)]


def test_tasks_that_wait_for_each_other_are_reached_by_no_composition(catalog: Catalog) -> None:
    one, other = ({"needs": ("a_fact",), "gives": ("b_fact",)}, {"needs": ("b_fact",), "gives": ("a_fact",)})
    reasons = _reasons(_with_tasks(catalog, ("excel.protect_sheet", one), ("excel.freeze_header", other)))
    for task in ("excel.protect_sheet", "excel.freeze_header"):
        assert any(
            "excel.yaml" in reason and f"no composition reaches {task}: no earlier tasks can meet all its needs" in reason for reason in reasons
        ), reasons


def test_a_generic_task_that_leads_nowhere_is_reported(catalog: Catalog) -> None:
    in_workflows = {step.task for workflow, _, _ in read_workflows()[0] for step in workflow.steps}
    alone = next(task for task in catalog.applications["excel"].tasks if task.id not in in_workflows)
    reasons = _reasons(_with_tasks(catalog, (alone.id, {"generic": True, "needs": (), "gives": ()})))
    assert any(f"no composition reaches {alone.id}: it is generic, needs nothing" in reason for reason in reasons)
