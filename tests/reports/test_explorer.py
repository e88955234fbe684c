"""Protects the explorer: what it finds, counts and shows in a browser, from disk, is what SQL says; texts are text; files stay small."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import duckdb
import pytest

from reports.explorer import write_explorer
from tests.reports.explorer_data import NASTY, OTHER, layout, make_data, prompt_of
from warehouse.layout import DataFolder
from warehouse.loader import load_warehouse
from warehouse.query import connect, rows_of

MEGABYTE = 1_000_000
State = dict[str, str]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> DataFolder:
    folder = DataFolder(tmp_path_factory.mktemp("explorer"))
    make_data(folder)
    return folder


@pytest.fixture(scope="module")
def warehouse(data: DataFolder) -> duckdb.DuckDBPyConnection:
    return connect(data.warehouse)


@pytest.fixture(scope="module")
def site(warehouse: duckdb.DuckDBPyConnection, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    write_explorer(warehouse, folder, layout, prompt_of=prompt_of)
    return folder


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page on which nothing may go wrong, nor anything but files be asked for."""
    opened = browser.new_page(viewport={"width": 1200, "height": 900})
    wrong: list[str] = []
    opened.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    opened.on("request", lambda request: None if request.url.startswith(("file:", "data:", "about:")) else wrong.append(request.url))
    yield opened
    opened.close()
    assert wrong == []


def show(page: Any, folder: Path, name: str, state: State | str = "") -> None:
    """Open a page of the explorer afresh, as a link would, and wait until it shows what it has."""
    view = state if isinstance(state, str) else urlencode(state, quote_via=quote)
    page.goto("about:blank")
    page.goto(f"{(folder / name).as_uri()}{'#' if view else ''}{view}")
    page.wait_for_selector("#explorer[data-ready]")


def number_in(words: str) -> int:
    return int(words.split(maxsplit=1)[0].replace(",", "").replace("No", "0"))


def run_of(warehouse: duckdb.DuckDBPyConnection, protocol: str) -> str:
    return str(rows_of(warehouse, "select run_id from runs where protocol = ?", [protocol])[0]["run_id"])


OFFICE = "Office & Knowledge Work"
SEARCHES: list[State] = [
    {"q": "open"},
    {"q": "THE file"},
    {"q": 'to "in the" a'},
    {"q": "nowhere-to-be-found"},
    {"category": OFFICE},
    {"application": "notepad++"},
    {"category": OFFICE, "application": "excel", "q": "a"},
    {"split": "test", "style": "statement"},
    {"naming": "none", "valid": "2"},
    {"shape": "parallel"},
    {"category": "none"},
    {"run": "heuristic", "outcome": "right"},
    {"run": "heuristic", "outcome": "no answer", "q": "a"},
    {"run": "random", "outcome": "wrong", "split": "test"},
    {"run": "model_a", "outcome": "not asked"},
]


@pytest.mark.browser
@pytest.mark.parametrize("search", SEARCHES, ids=str)
def test_the_search_finds_what_its_query_finds(warehouse: duckdb.DuckDBPyConnection, site: Path, page: Any, search: State) -> None:
    state = search | ({"run": run_of(warehouse, search["run"])} if search.get("run") in ("random", "heuristic") else {})
    show(page, site, "tasks.html", state)
    query = page.locator("#tasks-sql").text_content()
    (expected,) = rows_of(warehouse, query)
    assert number_in(page.locator("#tasks-count").inner_text()) == expected["tasks"]
    assert page.locator("#tasks-rows tr").count() == min(50, expected["tasks"])
    assert (expected["tasks"] == 0) == (state.get("q") == "nowhere-to-be-found"), "a search that finds nothing protects nothing"
    if "outcome" not in state and "run" in state:
        assert f"{100 * expected['accuracy']:.1f}%" in page.locator("#tasks-accuracy").inner_text()
    assert all(f"{name}=" in page.url for name in state), "the address keeps the view"


@pytest.mark.browser
def test_typing_choosing_and_turning_pages(warehouse: duckdb.DuckDBPyConnection, site: Path, page: Any) -> None:
    show(page, site, "tasks.html")
    tasks = rows_of(warehouse, "select count(*) as tasks from user_tasks where dataset = 'tiny'")[0]["tasks"]
    assert number_in(page.locator("#tasks-count").inner_text()) == tasks
    first = page.locator("#tasks-rows a").first.get_attribute("href")
    page.get_by_role("button", name="Next").click()
    page.wait_for_function("first => document.querySelector('#tasks-rows a').getAttribute('href') !== first", arg=first)
    assert "page=2" in page.url
    page.keyboard.press("Tab")
    page.locator("body").press("/")
    page.locator("#tasks-q").type("the a")
    matching = "select count(*) as tasks from user_tasks where dataset = 'tiny' and text ilike '%the%' and text ilike '%a%'"
    found = rows_of(warehouse, matching)[0]["tasks"]
    page.wait_for_function("found => document.getElementById('tasks-count').textContent.startsWith(found)", arg=f"{found:,} ")
    assert page.locator("#tasks-rows mark").count() > 50
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    opened = page.locator("#tasks-rows a").nth(1).get_attribute("href")
    page.keyboard.press("Enter")
    page.wait_for_selector("#task-id")
    assert page.locator("#task-id").inner_text() == opened.split("#")[1].split("&")[0]


@pytest.mark.browser
def test_the_interval_of_a_search_is_the_warehouses(warehouse: duckdb.DuckDBPyConnection, site: Path, page: Any) -> None:
    (figures,) = rows_of(warehouse, "select * from accuracy where protocol = 'heuristic'")
    show(page, site, "tasks.html", {"run": figures["run_id"]})
    words = "{:.1f}% (95% interval {:.1f}% to {:.1f}%)".format(*(100 * figures[name] for name in ("accuracy", "accuracy_low", "accuracy_high")))
    assert words in page.locator("#tasks-accuracy").inner_text()


@pytest.mark.browser
def test_case_and_diacritics_do_not_matter_and_markup_is_text(site: Path, page: Any) -> None:
    show(page, site, "tasks.html", {"dataset": OTHER, "q": 'CAFE "</SCRIPT> say"'})
    assert page.locator("#tasks-rows a").inner_text() == " ".join(NASTY.split())
    assert "no runs over this dataset" in page.locator("#tasks-note").inner_text()
    page.locator("#tasks-rows a").click()
    page.wait_for_selector("#task-text")
    assert page.locator("#task-text").text_content() == NASTY
    assert page.title().startswith("Task ")


@pytest.mark.browser
def test_a_task_shows_its_lineage_and_answers(warehouse: duckdb.DuckDBPyConnection, site: Path, page: Any) -> None:
    (task,) = rows_of(
        warehouse,
        """select t.*, c.atomic_tasks from user_tasks t join compositions c using (composition_id) join predictions p using (task_id)
        where p.run_id = 'model_a' and dataset = 'tiny' order by len(dropped_steps) desc, len(arguments) desc, task_id limit 1""",
    )
    show(page, site, "task.html", task["task_id"])
    shown = page.locator("#explorer").inner_text()
    for value in (
        task["masked_text"],
        task["composition_id"],
        task["row_seed"],
        task["locale"],
        *task["atomic_tasks"],
        *(row["value"] for row in task["arguments"]),
    ):
        assert value in shown
    steps = page.locator("section[aria-labelledby=composition] tbody tr")
    assert [number for number in range(steps.count()) if "dropped" in steps.nth(number).inner_text()] == list(task["dropped_steps"])
    assert (
        page.locator(".answer").count()
        == rows_of(warehouse, "select count(*) as runs from predictions where task_id = ?", [task["task_id"]])[0]["runs"]
    )
    answer = page.locator(".answer", has_text="model_a")
    assert "I say <i>this</i>" in answer.inner_text() and "1,200 in" in answer.inner_text()
    answer.locator("summary").click()
    assert "the task <b>of</b> it" in answer.inner_text() and "choose\none" in answer.inner_text()
    assert "not kept" in answer.inner_text(), "of the second call there is no prompt"


@pytest.mark.browser
def test_a_graph_shows_its_nodes(warehouse: duckdb.DuckDBPyConnection, site: Path, page: Any) -> None:
    (task,) = rows_of(warehouse, "select task_id, nodes, edges from user_tasks where shape <> 'singleton' order by len(edges) desc, task_id limit 1")
    show(page, site, "task.html", task["task_id"])
    assert page.locator("section[aria-labelledby=graph] tbody tr").count() == len(task["nodes"])
    assert f"{task['edges'][0]['source'] + 1} before {task['edges'][0]['target'] + 1}" in page.locator("section[aria-labelledby=graph]").inner_text()


@pytest.mark.browser
@pytest.mark.parametrize("task_id", ["0123456789abcdef", "zz", ""])
def test_an_unknown_task_is_said_in_words(site: Path, page: Any, task_id: str) -> None:
    show(page, site, "task.html", task_id)
    assert (
        f"There is no task {task_id}" in page.locator("#explorer").inner_text()
        if task_id
        else "No task was asked for" in page.locator("#explorer").inner_text()
    )
    page.get_by_role("link", name="Search the tasks").click()
    page.wait_for_selector("#tasks-rows tr")


@pytest.mark.browser
@pytest.mark.parametrize("protocol", ["heuristic", "random"])
def test_the_matrix_is_the_warehouses_and_a_cell_shows_its_tasks(warehouse: duckdb.DuckDBPyConnection, site: Path, page: Any, protocol: str) -> None:
    run_id = run_of(warehouse, protocol)
    show(page, site, "confusion.html", {"run": run_id})
    expected = rows_of(warehouse, "select * from category_confusion where run_id = ?", [run_id])
    cells = page.locator("#confusion-categories td a")
    shown = [cells.nth(number).get_attribute("aria-label") for number in range(cells.count())]
    assert sorted(words.split(",")[0] for words in shown) == sorted(
        f"{row['target_category']} answered by {row['answered_category']}: {row['tasks']} of {round(row['tasks'] / row['share'])}" for row in expected
    )
    wrong = max((row for row in expected if row["target_category"] != row["answered_category"]), key=lambda row: row["tasks"])
    cell = cells.nth(
        next(
            number for number, words in enumerate(shown) if words.startswith(f"{wrong['target_category']} answered by {wrong['answered_category']}:")
        )
    )
    cell.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#confusion-tasks li")
    assert number_in(page.locator("#confusion-tasks h2").inner_text()) == wrong["tasks"]
    assert page.evaluate("document.activeElement.getAttribute('aria-current')") == "true", "the focus stays on the cell"
    while page.get_by_role("button", name="Show more").is_visible():
        before = page.locator("#confusion-tasks li").count()
        page.get_by_role("button", name="Show more").click()
        page.wait_for_function("before => document.querySelectorAll('#confusion-tasks li').length > before", arg=before)
    assert page.locator("#confusion-tasks li").count() == wrong["tasks"]
    listed = page.locator("#confusion-sql").text_content().split("\n\n")
    assert len(rows_of(warehouse, listed[1])) == wrong["tasks"]
    assert len(rows_of(warehouse, listed[0])) == len(expected)
    inner = page.locator("#confusion-applications td a")
    assert sum(int(inner.nth(number).locator("small").inner_text()) for number in range(inner.count())) == wrong["tasks"]
    count = inner.first.locator("small").inner_text()
    inner.first.click()
    page.wait_for_function("count => document.querySelector('#confusion-tasks h2')?.textContent.startsWith(count + ' ')", arg=count)
    assert page.locator("#confusion-tasks li").count() == min(20, int(count))


@pytest.mark.browser
def test_language_models_are_pooled(warehouse: duckdb.DuckDBPyConnection, site: Path, page: Any) -> None:
    (dataset,) = rows_of(warehouse, "select dataset_id from datasets where dataset = 'tiny'")
    show(page, site, "confusion.html", {"run": f"models-{dataset['dataset_id']}", "answer": "no answer"})
    expected = rows_of(
        warehouse,
        "select count(*) as answers from predictions where run_id in ('model_a', 'model_b') and status not in ('answered', 'not_applicable')",
    )[0]["answers"]
    assert number_in(page.locator("#confusion-tasks h2").inner_text()) == expected >= 40
    assert "model_b: No task of this run has an answer" in page.locator("#confusion-note").inner_text()


@pytest.mark.browser
def test_runs_that_failed_or_are_unfinished_or_unknown_say_so(site: Path, page: Any) -> None:
    show(page, site, "confusion.html", {"run": "model_b"})
    assert "No task of this run has an answer" in page.locator("#confusion-note").inner_text()
    assert "was limited, or is still in progress" in page.locator("#confusion-note").inner_text()
    show(page, site, "confusion.html", {"run": "unknown"})
    assert "There is no run unknown here" in page.locator("#confusion-note").inner_text()
    assert page.locator("table").count() == 0


@pytest.mark.browser
@pytest.mark.parametrize("name", ["tasks.html", "task.html", "confusion.html"])
def test_an_empty_warehouse_is_said_in_words(tmp_path: Path, page: Any, name: str) -> None:
    folder = DataFolder(tmp_path / "data")
    load_warehouse(folder)
    write_explorer(connect(folder.warehouse), tmp_path, layout)
    show(page, tmp_path, name, "0123456789abcdef" if name == "task.html" else "")
    assert "There is no dataset yet" in page.locator("body").inner_text()


@pytest.mark.browser
def test_a_dataset_without_runs_is_said_in_words(data: DataFolder, tmp_path: Path, page: Any) -> None:
    folder = DataFolder(tmp_path / "data")
    shutil.copytree(data.datasets / OTHER, folder.datasets / OTHER)
    folder.labels.mkdir(parents=True)
    (folder.labels / "other").symlink_to(folder.datasets / OTHER / "dataset")
    load_warehouse(folder)
    write_explorer(connect(folder.warehouse), tmp_path, layout)
    show(page, tmp_path, "confusion.html")
    assert "There are no runs yet" in page.locator("body").inner_text()
    show(page, tmp_path, "tasks.html")
    assert "no runs over this dataset" in page.locator("#tasks-note").inner_text() and page.locator("#tasks-rows tr").count() == 1


@pytest.mark.browser
@pytest.mark.parametrize("name", ["tasks.html", "confusion.html"])
def test_a_phone_scrolls_tables_and_not_pages(site: Path, page: Any, name: str) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    show(page, site, name)
    page.add_style_tag(content=".table { overflow-x: auto } body { margin: 8px }")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_files_are_small_and_hold_no_markup_of_data(site: Path) -> None:
    scripts = list((site / "data").rglob("*.js"))
    assert max(path.stat().st_size for path in scripts) < MEGABYTE
    assert all(path.read_text(encoding="utf-8").startswith('deskmill.put("') for path in scripts)
    assert not [path for path in (site / "assets" / "explorer").glob("*.js") if "innerHTML" in path.read_text()]
