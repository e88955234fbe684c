"""Protects the messages: each kind of mistake is reported with file, line, field and remedy, all of them at once."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from atomic_tasks.catalog import CATALOG_ROOT, read_catalog
from atomic_tasks.validator import validate_catalog

GOOD = """\
application: excel
title: Microsoft Excel
aliases: [Excel]
vendor: Microsoft
kind: spreadsheet program
platform: windows
category: Office & Knowledge Work
description: A spreadsheet program.
features: [formulas, charts, tables]
typical_scenarios: [budgets, lists, reports]
tasks:
""" + "".join(
    f"""\
  - id: excel.task_{number}
    title: Task{number}
    capability: spreadsheet.aggregate
    arguments: {{workbook: spreadsheet_file}}
    {"gives: [open(workbook)]" if number == 1 else "needs: [open(workbook)]"}
    say:
      - do thing number {number} in {{workbook}}
      - have thing number {number} done in {{workbook}}
      - Is thing number {number} done in {{workbook}}?
"""
    for number in range(1, 6)
)

Problems = Callable[..., list[str]]


@pytest.fixture
def problems(tmp_path: Path) -> Problems:
    """The problems of a catalog of one application, after a replacement in one of its files."""
    for name in ("applications", "candidates", "pools"):
        (tmp_path / name).mkdir()
    for name in ("categories.yaml", "checkers.yaml"):
        shutil.copy(CATALOG_ROOT / name, tmp_path)
    (tmp_path / "applications/excel.yaml").write_text(GOOD)
    (tmp_path / "candidates/one.yaml").write_text("title: One\ndescription: One.\napplications: [excel, excel2]\n")
    (tmp_path / "candidates/one.yaml").unlink()
    (tmp_path / "kinds.yaml").write_text(
        "vendors: [Microsoft]\nkinds:\n  spreadsheet:\n    applications: [excel]\n    say: [in my spreadsheet program]\n    of_vendor: in the {vendor} spreadsheet program\n"
    )
    (tmp_path / "equivalence.yaml").write_text("capabilities:\n  spreadsheet.aggregate:\n    applications: [excel]\n    reason: Totals.\n")

    def found(*changes: tuple[str, str, str]) -> list[str]:
        for file, old, new in changes:
            text = (tmp_path / file).read_text()
            assert old in text
            (tmp_path / file).write_text(text.replace(old, new, 1))
        catalog, form = read_catalog(tmp_path)
        return sorted(str(problem).replace(f"{tmp_path}/", "") for problem in [*form, *validate_catalog(catalog)])

    return found


def test_a_sound_catalog_has_no_problems(problems: Problems) -> None:
    assert problems() == []


APPLICATION = "applications/excel.yaml"


@pytest.mark.parametrize(
    ("change", "place", "reason"),
    [
        ((APPLICATION, "vendor: Microsoft", "vender: Microsoft"), "excel.yaml:4: vender", "unknown key 'vender'; did you mean 'vendor'?"),
        ((APPLICATION, "workbook: spreadsheet_file", "workbook: spredsheet_file"), ":15: tasks[0].arguments.workbook", "did you mean 'spreadsheet_file'?"),
        ((APPLICATION, "gives: [open(workbook)]", "gives: []"), ":25: tasks[1].needs[0]", "unmet need: no other task of excel gives 'open(workbook)'"),
        ((APPLICATION, "excel.task_2", "excel.task_1"), ":21: tasks[1].id", "'excel.task_1' is already used"),
        ((APPLICATION, "do thing number 1 in {workbook}", "do thing 1 in {workbok}"), ":18: tasks[0].say[0]", "uses {workbok}, but excel.task_1 has no such argument; did you mean 'workbook'?"),
        ((APPLICATION, "capability: spreadsheet.aggregate", "capability: spreadsheet.agregate"), ":14: tasks[0].capability", "not in equivalence.yaml; did you mean 'spreadsheet.aggregate'?"),
        (("equivalence.yaml", "applications: [excel]", "applications: []"), "equivalence.yaml:3: capabilities.spreadsheet.aggregate.applications", "at least 1 item"),
        (("equivalence.yaml", "[excel]", "[excel, exel]"), "equivalence.yaml:3:", "unknown application 'exel'; did you mean 'excel'?"),
        ((APPLICATION, "do thing number 1 in", "do thing 1 with Excel in"), ":18: tasks[0].say[0]", "names its own application: move it to `named`"),
        ((APPLICATION, "category: Office & Knowledge Work", "category: Offices"), ":7: category", "unknown category 'Offices' (categories: Browsers & Search, "),
        ((APPLICATION, "open(workbook)", "open(workbok)"), ":16: tasks[0].gives[0]", "'workbok' is not an argument of excel.task_1"),
        ((APPLICATION, "title: Task1", "title: Task1\n    title: Task1"), ":14: title", "this key stands twice"),
        ((APPLICATION, "- do thing number 1", "- Do thing number 1"), ":18: tasks[0].say[0]", "a clause starts with a verb in lower case"),
        ((APPLICATION, "- do thing number 1 in {workbook}", "- {workbook}: do: thing"), ":18: file", "the text needs quotes"),
        ((APPLICATION, "      - have thing number 1", "       - have thing number 1"), ":18: file", "goes on in the next line: a list item there is indented too deep"),
        ((APPLICATION, "      - have thing number 1", "     - have thing number 1"), ":19: file", "does not belong to the mapping above: indent it like the keys there"),
        ((APPLICATION, "    title: Task2", "     title: Task2"), ":22: file", "the key is indented too deep"),
        ((APPLICATION, "    title: Task2", "\ttitle: Task2"), ":22: file", "indented by a tab; indent by spaces"),
        ((APPLICATION, "    title: Task2", "    title Task2"), ":22: file", "no ': ' between a key and its value"),
        ((APPLICATION, "gives: [open(workbook)]", "gives: [open(workbook)"), ":16: file", "the [ is not closed"),
        ((APPLICATION, "have thing number 1 done in {workbook}\n", "do thing number 1 in {workbook}\n"), ":19: tasks[0].say[1]", "stands twice in this list: also in line 18"),
        ((APPLICATION, "do thing number 1 in {workbook}", "do thing 1 in {workbook"), ":18: tasks[0].say[0]", "a brace belongs to no {argument}"),
        ((APPLICATION, "do thing number 1 in {workbook}", "do thing 1 in {{workbook}}"), ":18: tasks[0].say[0]", "in one pair of braces"),
        ((APPLICATION, "do thing number 1 in {workbook}", "2026-13-45"), ":18: file", "looks like a date or a number but is not one"),
        ((APPLICATION, "do thing number 1 in {workbook}", "17"), ":18: tasks[0].say[0]", "must be a text (quote it), not 17"),
        ((APPLICATION, "features: [formulas, charts, tables]", "features: [formulas, charts, charts]"), ":9: features[2]", "stands twice in this list: also in line 9"),
        ((APPLICATION, "platform: windows", "platform: window"), ":6: platform", "must be windows or linux, not 'window'"),
        (("kinds.yaml", "applications: [excel]", "applications: [exel]"), "kinds.yaml:4: kinds.spreadsheet.applications[0]", "unknown application 'exel'; did you mean 'excel'?"),
        (("kinds.yaml", "vendors: [Microsoft]", "vendors: [Microsft]"), "kinds.yaml:1: vendors[0]", "no application has the vendor 'Microsft'; did you mean 'Microsoft'?"),
        ((APPLICATION, "    say:\n      - do thing number 1", "    named: [\"do it in {workbok}\"]\n    say:\n      - do thing number 1"), ":17: tasks[0].named[0]", "uses {workbok}, but excel.task_1 has no such argument"),
        ((APPLICATION, "    say:\n      - do thing number 1", "    named: [do it somewhere]\n    say:\n      - do thing number 1"), ":17: tasks[0].named[0]", "does not name the application: move it to `say`"),
    ],
)  # fmt: skip
def test_each_mistake_is_reported_with_its_place_and_a_remedy(problems: Problems, change: tuple[str, str, str], place: str, reason: str) -> None:
    lines = problems(change)
    assert any(place in line and reason in line for line in lines), lines


def test_all_mistakes_are_reported_at_once(problems: Problems) -> None:
    lines = problems(
        (APPLICATION, "excel.task_3", "excel.task_2"),
        (APPLICATION, "do thing number 1 in {workbook}", "do thing 1 in {workbok}"),
        ("equivalence.yaml", "[excel]", "[excel, exel]"),
    )
    assert len(lines) == 3


@pytest.mark.parametrize(
    ("change", "only"),
    [
        ((APPLICATION, "    capability: spreadsheet.aggregate\n", "    capabilty: spreadsheet.aggregate\n"), "unknown key 'capabilty'; did you mean 'capability'?"),
        ((APPLICATION, "workbook: spreadsheet_file}", "workbook: {generater: spreadsheet_file}}"), "unknown key 'generater'; did you mean 'generator'?"),
        (("equivalence.yaml", "    applications: [excel]", "    aplications: [excel]"), "unknown key 'aplications'; did you mean 'applications'?"),
        (("checkers.yaml", "{takes: text, does: types a text}", "{takes: txt, does: types a text}"), "oracle.write.takes: must be element, "),
    ],
)  # fmt: skip
def test_what_follows_from_a_mistake_is_not_reported_beside_it(problems: Problems, change: tuple[str, str, str], only: str) -> None:
    (line,) = problems(change)
    assert only in line


def test_a_missing_file_is_a_problem_and_no_crash(tmp_path: Path) -> None:
    _, problems = read_catalog(tmp_path)
    assert {"cannot be read" in str(problem) for problem in problems} == {True}
