"""Protects the documentation of the warehouse: every worked query runs, the picture of the schema is current, the notebook runs."""

import json
import os
import re
import subprocess
import sys
from dataclasses import fields
from xml.etree import ElementTree

import duckdb
import pytest

from reports.comparison import PairedDifference
from tests.conftest import REPOSITORY, copy_of
from warehouse.diagram import current_picture, declared_joins
from warehouse.layout import DataFolder
from warehouse.query import connect, rows_of

DOCS = REPOSITORY / "docs"
NOTEBOOK = REPOSITORY / "notebooks" / "analysis.ipynb"
BLOCK = re.compile(r"```(sql|python)\n(.*?)```", re.DOTALL)


def blocks(page: str, language: str) -> dict[str, str]:
    """The code of each section of a page, by its heading and text."""
    sections = re.split(r"^#{1,3} ", (DOCS / page).read_text(), flags=re.MULTILINE)
    return {section[: section.index("```")]: code for section in sections for found, code in BLOCK.findall(section) if found == language}


QUERIES = blocks("queries.md", "sql")
SCRIPTS = blocks("queries.md", "python")


@pytest.fixture(scope="module")
def data(tiny: DataFolder, tmp_path_factory: pytest.TempPathFactory) -> DataFolder:
    """A small dataset with two runs over the same tasks, in a folder `data`, as the documentation has it."""
    return copy_of(tiny, tmp_path_factory.mktemp("docs") / "data")


def test_there_are_many_worked_queries_and_each_says_what_it_tells() -> None:
    assert len(QUERIES) >= 25 and len(SCRIPTS) >= 3
    for section in [*QUERIES, *SCRIPTS]:
        assert len(section.partition("\n")[2].split()) >= 8, section


@pytest.mark.parametrize("section", QUERIES, ids=lambda section: section.partition("\n")[0])
def test_a_worked_query_runs_and_gives_rows_unless_it_says_empty(data: DataFolder, section: str) -> None:
    connection = connect(data.warehouse)
    try:
        rows = rows_of(connection, QUERIES[section])
    finally:
        connection.close()
    if "*Empty*, always" in section:
        assert rows == []
    elif "*Empty*" not in section.partition("Where it says")[0]:
        assert rows


@pytest.mark.parametrize("section", SCRIPTS, ids=lambda section: section.partition("\n")[0])
def test_a_worked_script_runs_where_the_page_says(data: DataFolder, section: str) -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPTS[section]], cwd=data.root.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) >= 5


def test_the_picture_of_the_schema_is_current() -> None:
    picture = current_picture()
    assert (DOCS / "er.svg").read_text() == picture, "run: python -m warehouse.diagram"
    ElementTree.fromstring(picture)


def test_every_table_view_macro_and_term_of_comparisons_is_documented(data: DataFolder) -> None:
    page = (DOCS / "warehouse.md").read_text()
    with connect(data.warehouse) as connection:
        there = rows_of(connection, "select table_name as name from duckdb_tables() union select view_name from duckdb_views() where not internal")
    names = (
        {row["name"] for row in there} | {field.name for field in fields(PairedDifference)} | {"interval_low", "interval_high", "residual_squares"}
    )
    assert len(names) > 60 and [name for name in sorted(names) if not re.search(rf"`{name}[`(]", page)] == []


def test_the_declared_joins_are_of_columns_that_exist_and_find_their_rows(data: DataFolder) -> None:
    connection = connect(data.warehouse)
    types = {(row["table_name"], row["column_name"]): row["data_type"] for row in rows_of(connection, "select * from duckdb_columns()")}
    for join in declared_joins():
        (table, column), (one, key) = join.many, join.one
        values = f"unnest({column})" if types[table, column].endswith("[]") else column
        assert (one, key) in types and (join.by is None or (join.by, "dataset_id") in types)
        missing = f"select v from (select {values} as v from {table}) where v is not null and v not in (select {key} from {one})"
        assert rows_of(connection, missing) == [], join
    connection.close()


def test_every_place_that_the_pages_link_to_is_there() -> None:
    for page in (REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md", *DOCS.glob("*.md")):
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
            assert (page.parent / target).exists(), (page.name, target)


def test_the_readme_stays_short() -> None:
    lines = (REPOSITORY / "README.md").read_text().splitlines()
    assert len(lines) <= 150 and max(map(len, lines)) <= 220


def test_the_readme_leads_to_every_page() -> None:
    readme = (REPOSITORY / "README.md").read_text()
    for page in DOCS.glob("*.md"):
        assert f"docs/{page.name}" in readme, page.name


def test_every_table_stands_in_the_page_of_the_warehouse(data: DataFolder) -> None:
    schema = duckdb.connect()
    schema.execute((REPOSITORY / "warehouse/sql/schema.sql").read_text())
    page = (DOCS / "warehouse.md").read_text()
    for (name,) in schema.execute("select table_name from duckdb_tables()").fetchall():
        assert f"| `{name}` |" in page, name


def test_the_notebook_is_kept_without_outputs() -> None:
    cells = json.loads(NOTEBOOK.read_text())["cells"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells if cell["cell_type"] == "code")


@pytest.mark.slow
def test_the_notebook_runs(data: DataFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    import nbformat
    from nbclient import NotebookClient

    monkeypatch.setenv("DESKMILL_DATA", str(data.root))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(REPOSITORY), os.environ.get("PYTHONPATH", "")]))
    notebook = nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]
    NotebookClient(notebook, timeout=180, kernel_name="python3", resources={"metadata": {"path": str(NOTEBOOK.parent)}}).execute()
    shown = [output["data"] for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs if "data" in output]
    figures = [one for one in shown if any("vegalite" in kind or kind == "image/svg+xml" for kind in one)]
    assert len(figures) >= 2 and len(shown) >= 6
    assert any("difference_low" in one.get("text/html", "") + one.get("text/plain", "") for one in shown)
