"""Protects how values are written: nothing passes for a zero, links are safe, LaTeX compiles; and that every declared query is there and asked."""

import ast
from pathlib import Path
from xml.etree import ElementTree

import pytest

import reports
from reports.exhibits import Column, Exhibit, as_csv, as_latex, declared, written
from reports.figures import category_confusion
from reports.questions import Answer

ROOT = Path(reports.__file__).parent


@pytest.mark.parametrize(
    ("form", "value", "text"),
    [("p", 0.00001, "< 0.0001"), ("p", 0.0, "0.0000"), ("dollars", 0.00002, "< 0.0001"), ("milliseconds", 1234.5, "1,234.50"), ("figure", None, "—"),
     ("signed", -0.0123, "-0.012"), ("percent", 0.5, "50.0%"), ("count", 12345, "12,345")],
)  # fmt: skip
def test_nothing_passes_for_a_zero(form: str, value: float | None, text: str) -> None:
    assert written(form, value) == text


def test_what_others_did_not_publish_stays_empty() -> None:
    assert Column("a", "a", "figure", theirs=True).text({"a": None}) == "" and Column("a", "a", "figure").text({"a": None}) == "—"


def test_the_title_of_a_heat_maps_lines_stands_above_them() -> None:
    """Beside them, upright, it was printed over long labels."""
    names = ["Short", "Windows Core Apps & System Utilities", "Other"]
    rows = [{"target_category": target, "answered_category": answer, "tasks": 1, "share": 1 / 3} for target in names for answer in names]
    drawn = ElementTree.fromstring(category_confusion(rows))
    places = {text.text: text.get("transform", "") for text in drawn.iter("{http://www.w3.org/2000/svg}text")}
    assert "rotate" not in places["category of the target"], places
    height = float(places["category of the target"].partition(",")[2].rstrip(")"))
    assert height < 0, "above the first line, which begins at 0"


def test_addresses_are_encoded_and_absent_where_a_value_is_none() -> None:
    column = Column("tasks", "tasks", "count", link="confusion.html#run={run_id}&target={target}")
    assert column.address({"tasks": 1, "run_id": "a", "target": "Browsers & Search"}) == "confusion.html#run=a&target=Browsers%20%26%20Search"
    assert column.address({"tasks": 1, "run_id": None, "target": "x"}) == ""


def test_latex_and_csv_of_a_table() -> None:
    columns = (Column("name", "name & 100%"), Column("share", "share", "figure", interval=True))
    answer = Answer("select 1", [{"name": "a_b", "share": 0.5, "share_low": 0.25, "share_high": 0.75, "more": None}])
    latex = as_latex(Exhibit("q", "c", "e", columns), answer)
    assert r"name \& 100\% & share \\" in latex and r"a\_b & 0.500 [0.250, 0.750] \\" in latex and r"\begin{tabular}{lr}" in latex
    assert as_csv(answer) == "name,share,share_low,share_high,more\na_b,0.5,0.25,0.75,\n"


def test_every_query_is_there_and_asked() -> None:
    mine = {path.stem for path in (ROOT / "queries").glob("*.sql") if not path.stem.startswith("explorer")}
    asked = {exhibit.query for exhibit in declared().values()}
    assert asked <= mine
    modules = [ast.parse(path.read_text()) for path in ROOT.rglob("*.py")]
    named = {node.value for module in modules for node in ast.walk(module) if isinstance(node, ast.Constant)}
    assert mine == asked | (mine & named), "a query that nothing asks is dead"
    assert set(declared()) <= named, "an exhibit that no page shows is dead"
