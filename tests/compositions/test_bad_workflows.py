"""Protects the messages on workflows: each mistake with its file, line and reason."""

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
