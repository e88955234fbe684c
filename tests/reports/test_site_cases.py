"""Protects pages where there is little to show: they say so in words, and never show a figure that is none."""

import signal
import subprocess
import sys
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from reports import figures, site
from reports.report import write_report
from tests.conftest import REPOSITORY
from warehouse.empty import attached, derive, write_empty
from warehouse.layout import DataFolder
from warehouse.loader import load_warehouse
from warehouse.query import connect, rows_of

TASKS = 4
DATASET = "insert into datasets values ('{id}', '{name}', timestamptz '2026-01-0{day} 00:00:00+00', '{name} title', 4, 4, 0)"
TASK = """insert into user_tasks by name select '{id}' as dataset_id, '{name}' as dataset, '{id}t' || i as task_id, '<script>alert(' || i || ')</script>' as text,
    text as masked_text, 'excel' as target_application, ['excel'] as valid_applications, 'Office & Knowledge Work' as category, 'test' as split,
    'singleton' as shape, 'none' as naming, false as names_application, 'plain' as style, false as says_goal, false as has_typo, 'c' || i as composition_id,
    [] as dropped_steps, [] as said_tasks, 0.0 as drop_out_rate, 'en' as locale, [] as arguments, [] as nodes, [] as edges, 's' as row_seed from range(4) r(i)"""
RUN = """insert into runs by name select '{run}' as run_id, '{id}' as dataset_id, '{name}' as dataset, '{protocol}' as protocol, '{model}' as model,
    'seed 0' as sampling, 'test' as split, 'application' as answer_kind, ['excel', 'word', 'spotify'] as candidates,
    timestamptz '2026-02-01 00:00:00+00' as started_at"""
ANSWERS = """insert into predictions by name select '{run}' as run_id, '{id}t' || i as task_id, i as position, {answer} as predicted_application,
    [] as predicted_applications, [] as predicted_edges, '{status}' as status, {answer} is not distinct from 'excel' as is_correct, [] as retrieved,
    [] as calls, 0 as input_tokens, 0 as output_tokens, 0 as latency_ms, 0 as cost_usd from range({answers}) r(i)"""
APPLICATIONS = """insert into applications values
    ('excel', 'Excel', [], 'Microsoft', 'windows', 'Office & Knowledge Work', [], 'Sheets'), ('word', 'Word', [], 'Microsoft', 'windows', 'Office & Knowledge Work', [], 'Texts'),
    ('spotify', 'Spotify', [], 'Spotify', 'windows', 'Music & Media Players', [], 'Music')"""
COMPOSITIONS = "insert into compositions select 'c' || i, 'single', null, ['excel.sum'] from range(4) r(i)"


@pytest.fixture(autouse=True)
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures take long to draw, and these tests read words."""
    monkeypatch.setattr(figures, "_svg", lambda chart: f"<svg><!-- {type(chart).__name__} --></svg>")
    monkeypatch.setattr(site, "png", lambda svg: b"png")


def dataset(name: str, day: int = 1) -> list[str]:
    """Statements for a dataset of four tasks."""
    return [text.format(id=f"{name}0", name=name, day=day) for text in (DATASET, TASK)]


def run(name: str, of: str, answer: str | None, answers: int = TASKS, status: str = "answered", protocol: str = "zero_shot") -> list[str]:
    """Statements for a run, whose name is its model too."""
    values = {"run": name, "id": f"{of}0", "name": of, "protocol": protocol, "model": name, "status": status, "answers": answers}
    return [text.format(**values, answer=f"'{answer}'" if answer else "null::varchar") for text in (RUN, ANSWERS)]


def written(tmp_path: Path, *statements: list[str]) -> DataFolder:
    """The site over a warehouse with these rows."""
    data = DataFolder(tmp_path)
    write_empty(data.warehouse)
    connection = attached(data.warehouse)
    connection.begin()
    for statement in [APPLICATIONS, COMPOSITIONS, *sum(statements, [])]:
        connection.execute(statement)
    derive(connection)
    connection.commit()
    connection.close()
    write_report(data)
    return data


def page(data: DataFolder, path: str) -> str:
    return (data.report / path).read_text()


def test_an_empty_warehouse_is_said_in_words_on_every_page(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    load_warehouse(data)
    write_report(data)
    assert "There is no dataset yet" in page(data, "index.html") and "deskmill select" in page(data, "index.html")
    assert "There are no runs yet" in page(data, "models.html")
    assert "There are no runs to compare yet" in page(data, "compare/index.html")
    assert all("There is no dataset yet" in page(data, f"{folder}/index.html") for folder in ("applications", "datasets"))
    assert "<svg" not in "".join(path.read_text() for path in data.report.rglob("*.html"))


def test_a_dataset_without_runs_says_so(tmp_path: Path) -> None:
    data = written(tmp_path, dataset("one"))
    assert "There are no runs over this dataset yet" in page(data, "index.html")
    assert "No run over this dataset has a task or an answer" in page(data, "applications/excel.html")
    assert "No paraphrase was asked for" in page(data, "datasets/one0.html") and "has been rated" in page(data, "datasets/one0.html")


def test_one_run_is_compared_with_nothing(tmp_path: Path) -> None:
    data = written(tmp_path, dataset("one"), run("a", "one", "excel"))
    assert "No two runs were scored over exactly the same tasks" in page(data, "compare/index.html")
    assert "This table needs runs of at least three models" in page(data, "models.html")
    assert "has no wrong answer in the list" in page(data, "runs/a.html") and "This run has no wrong answers" in page(data, "runs/a.html")
    assert "No run over this split has a cost" in page(data, "index.html")


def test_a_run_in_progress_says_how_many_tasks_are_scored(tmp_path: Path) -> None:
    data = written(tmp_path, dataset("one"), run("a", "one", "excel", answers=3), run("b", "one", None, answers=0, protocol="ras"))
    assert "3 of the 4 tasks" in page(data, "runs/a.html")
    begun = page(data, "runs/b.html")
    assert "No task of this run has an answer yet" in begun and "0.000" not in begun and "<svg" not in begun
    assert "<h2>" not in begun, "nothing else is said of a run without answers"


def test_a_run_where_everything_failed_is_no_zero_of_the_model(tmp_path: Path) -> None:
    data = written(tmp_path, dataset("one"), run("a", "one", None, status="failed"))
    text = page(data, "runs/a.html")
    assert "All 4 calls failed" in text and "says nothing about the model" in text
    assert "0.000 to 0.604" in text, "the interval stands beside the zero"
    assert "<svg" not in text and "Best and worst" not in text
    for overview in ("index.html", "models.html"):
        assert "All 4 calls of the run zero_shot, a failed" in page(data, overview), "where its zeros stand beside figures of others"


def test_a_run_of_graphs_has_tasks_and_time_though_no_accuracy(tmp_path: Path) -> None:
    statements = [text.replace("'application' as answer_kind", "'graph' as answer_kind") for text in run("a", "one", None, answers=3)]
    data = written(tmp_path, dataset("one"), [text.replace("0 as latency_ms", "7 as latency_ms") for text in statements])
    row = (data.report / "tables" / "runs_of_dataset-one0.csv").read_text().splitlines()[1].split(",")
    assert row[:7] == ["a", "zero_shot", "a", "test", "a graph", "3", ""]
    assert '<td class="number">7.00' in page(data, "runs/a.html")


@pytest.mark.parametrize(
    ("failed", "words"), [(1, "1 task failed for reasons of the endpoint. It counts"), (2, "2 tasks failed for reasons of the endpoint. They count")]
)
def test_failures_are_counted_in_the_right_number(tmp_path: Path, failed: int, words: str) -> None:
    some = [f"update predictions set status = 'failed', is_correct = false, predicted_application = null where position < {failed}"]
    assert words in page(written(tmp_path, dataset("one"), run("a", "one", "word"), some), "runs/a.html")


def test_a_task_is_looked_up_in_the_dataset_of_its_page(tmp_path: Path) -> None:
    data = written(tmp_path, dataset("one"), run("a", "one", "word"), run("b", "one", "excel", protocol="ras"))
    for path in [*(data.report / "compare").glob("*-*.html"), data.report / "runs" / "a.html", data.report / "applications" / "excel.html"]:
        text = path.read_text()
        assert 0 < text.count("task.html#one0t") == text.count("&amp;dataset=one0"), path


def test_a_diagonal_of_1_says_that_wrong_answers_are_on_it(tmp_path: Path) -> None:
    """All answers are wrong, and the confusion of categories shows 1.000 on its diagonal."""
    candidates = ["insert into candidates select 'one0', application, title, [], category, [] from applications"]
    data = written(tmp_path, dataset("one"), candidates, run("a", "one", "word"))
    with connect(data.warehouse) as warehouse:
        (cell,) = rows_of(warehouse, "select tasks, share, answered_category = target_category as diagonal from category_confusion")
        (scored,) = rows_of(warehouse, "select accuracy from accuracy")
    assert (cell, scored["accuracy"]) == ({"tasks": TASKS, "share": 1, "diagonal": True}, 0)
    for path in ("runs/a.html", "models.html"):
        words = " ".join(unescape(page(data, path)).split())
        assert "A wrong answer of the target's own category also stands on the diagonal, so 1.0 there does not mean that all are right" in words, path


@pytest.mark.browser
def test_an_imported_task_says_that_its_steps_are_unknown_and_what_its_target_is(tmp_path: Path, browser: Any) -> None:
    """An imported row may name valid applications only; its page showed an empty composition and a target from nowhere."""
    imported = [
        "update compositions set composition_kind = 'imported', atomic_tasks = []",
        "update user_tasks set valid_applications = ['excel', 'word']",
    ]
    data = written(tmp_path, dataset("one"), imported)
    opened = browser.new_page()
    opened.goto(f"{(data.report / 'task.html').as_uri()}#one0t0")
    opened.wait_for_selector("#explorer[data-ready]")
    composition = opened.locator("section[aria-labelledby=composition]")
    assert composition.locator("table").count() == 0
    assert "imported, so its steps are not known" in composition.inner_text()
    assert "its row names, or else the first of its valid applications" in composition.inner_text()
    assert opened.locator("section[aria-labelledby=text]").inner_text().split("target", 1)[1].strip().startswith("Excel")
    opened.close()


def test_two_datasets_are_never_mixed(tmp_path: Path) -> None:
    data = written(
        tmp_path, dataset("one"), dataset("two", day=2), run("a", "one", "excel"), run("b", "two", "spotify"), run("c", "two", "word", protocol="ras")
    )
    for name, of, other in (("a", "one0", "two0"), ("b", "two0", "one0")):
        assert f"dataset_id = '{other}'" not in page(data, f"runs/{name}.html") and of in page(data, f"runs/{name}.html")
    tables = {of: (data.report / "tables" / f"runs_of_dataset-{of}.csv").read_text() for of in ("one0", "two0")}
    assert [line.split(",")[0] for line in tables["one0"].splitlines()] == ["run_id", "a"]
    assert sorted(line.split(",")[0] for line in tables["two0"].splitlines()) == ["b", "c", "run_id"]
    assert {path.stem for path in (data.report / "figures").glob("figure_9-*.svg")} == {"figure_9-one0", "figure_9-two0"}
    assert {path.name for path in (data.report / "compare").glob("*-*.html")} in ({"b-c.html"}, {"c-b.html"})


def test_ties_share_a_place(tmp_path: Path) -> None:
    data = written(tmp_path, dataset("one"), ["update user_tasks set target_application = 'word', valid_applications = ['word'] where task_id in ('one0t0', 'one0t1')"],
                   run("a", "one", "spotify"))  # fmt: skip
    lines = (data.report / "tables" / "best_applications-a.csv").read_text().splitlines()
    assert [line.split(",")[:2] for line in lines[1:]] == [["1", "2"], ["1", "2"]]


def test_texts_are_escaped(tmp_path: Path) -> None:
    data = written(tmp_path, dataset("one"), run("a", "one", "word"), run("b", "one", "excel", protocol="ras"))
    shown = [path for path in data.report.rglob("*.html") if "&lt;script&gt;alert(" in path.read_text()]
    assert {path.parent.name for path in shown} >= {"runs", "compare", "applications"}
    assert not any("<script>alert" in path.read_text() for path in data.report.rglob("*.html"))


@pytest.mark.parametrize("protocol", ["zero_shot", "heuristic"])
def test_a_run_of_the_papers_model_or_baseline_has_the_papers_figure_beside_it(tmp_path: Path, protocol: str) -> None:
    paper = ["insert into published_accuracy values ('paper', 'All Application Domains', 'GPT-5', 'zero_shot', 0.62), "
             "('paper', 'All Application Domains', 'Rule-based Heuristic', 'heuristic', 0.56)"]  # fmt: skip
    data = written(tmp_path, dataset("one"), run("gpt-5", "one", "excel", protocol=protocol), paper)
    assert f'<td class="number theirs">{ {"zero_shot": "0.620", "heuristic": "0.560"}[protocol] }</td>' in page(data, "index.html")


KILLED = """
import os, signal, sys
from pathlib import Path
from reports import report
from warehouse.layout import DataFolder

report.write_models = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
report.write_report(DataFolder(Path(sys.argv[1])))
"""


def test_the_next_report_removes_what_a_killed_one_left(tmp_path: Path) -> None:
    data = written(tmp_path, dataset("one"))
    killed = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], cwd=REPOSITORY, check=False)
    assert killed.returncode == -signal.SIGKILL
    [left] = data.root.glob(".report.*.tmp")
    assert (left / "index.html").is_file()
    (data.root / ".report.swapped.old").mkdir()
    other = data.root / ".warehouse.duckdb.1.tmp"
    other.touch()
    write_report(data)
    assert {path.name for path in data.root.glob(".*")} == {".report.lock", other.name} and "one title" in page(data, "index.html")
