"""Protects the site: every page opens from disk in a real browser without a network or an error, links lead somewhere, and numbers are those of the query shown."""

import csv
import json
import re
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from eval_flows.selection.pipeline import Choices, evaluate_selection
from reports import figures, report
from reports.exhibits import declared
from reports.report import write_report
from tests.conftest import copy_of, quiet
from warehouse.layout import DataFolder
from warehouse.query import answer

HREF = re.compile(r'(?:href|src)="([^"]+)"')
QUERY = re.compile(r'<code>deskmill sql "(.*?)"</code>', re.DOTALL)
# what a page shows: of each exhibit its name, its query and, of a table, the text of the cells
EXHIBITS = """[...document.querySelectorAll('.exhibit')].map(exhibit => ({
    name: exhibit.className.split(' ')[1],
    query: exhibit.querySelector('pre').textContent.replace(/^deskmill sql "/, '').replace(/"$/, ''),
    rows: [...exhibit.querySelectorAll('tbody tr')].map(row => [...row.cells].map(cell => cell.textContent.replace(/\\s+/g, ' ').trim())),
    picture: exhibit.querySelector('svg') ? exhibit.querySelector('svg').getBoundingClientRect().toJSON() : null,
}))"""


@pytest.fixture(scope="module")
def data(tiny: DataFolder, tmp_path_factory: pytest.TempPathFactory) -> DataFolder:
    folder = copy_of(tiny, tmp_path_factory.mktemp("report") / "data")
    shutil.rmtree(folder.runs)
    evaluate_selection("tiny", ["random", "heuristic"], folder, quiet, Choices(split="all"))
    write_report(folder)
    return folder


def pages_of(data: DataFolder) -> list[Path]:
    """The pages with exhibits: all but the explorer's, and of the applications the list and two."""
    root = data.report
    found = [path for path in root.rglob("*.html") if path.parent != root and path.parent.name != "applications"]
    return [
        root / "index.html",
        root / "models.html",
        *sorted(found),
        *(root / "applications" / f"{name}.html" for name in ("index", "excel", "spotify")),
    ]


def opened(browser: Any, path: Path, width: int, scheme: str) -> tuple[Any, list[str]]:
    """A page, and what went wrong while it opened: anything on the console, and every request that leaves the disk."""
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("requestfailed", lambda request: wrong.append(request.url))
    page.on("request", lambda request: None if request.url.startswith(("file:", "data:")) else wrong.append(request.url))
    page.goto(path.as_uri())
    return page, wrong


@pytest.mark.rotates
@pytest.mark.browser
@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (400, "dark")])
def test_every_page_opens_from_disk_without_errors(data: DataFolder, browser: Any, width: int, scheme: str) -> None:
    for path in pages_of(data):
        page, wrong = opened(browser, path, width, scheme)
        assert wrong == [], path.name
        assert page.locator("h1").count() == 1 and page.locator("nav [aria-current]").count() == 1, path.name
        assert page.evaluate("document.documentElement.scrollWidth") <= width, f"{path.name} must not scroll sideways as a whole"
        for shown in page.evaluate(EXHIBITS):
            assert shown["picture"] is None or (shown["picture"]["width"] > 250 and shown["picture"]["height"] > 80), shown["name"]
        background = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (sum(map(int, re.findall(r"\d+", background))) < 200) == (scheme == "dark")
        page.close()


@pytest.mark.browser
def test_numbers_are_those_of_the_query_that_is_shown(data: DataFolder, browser: Any) -> None:
    seen = set()
    for path in pages_of(data):
        page, _ = opened(browser, path, 1200, "light")
        for shown in page.evaluate(EXHIBITS):
            rows = json.loads(answer(data.warehouse, shown["query"], "json"))
            columns = declared()[shown["name"]].columns
            assert rows, f"{shown['name']} is shown, so it has rows"
            assert len(shown["rows"]) == (len(rows) if columns else 0)
            for row, cells in zip(rows, shown["rows"], strict=False):
                texts = [" ".join(f"{column.text(row)} {column.interval_text(row)}".split()) for column in columns]
                assert cells == texts, f"{path.name}: {shown['name']}"
            seen.add(shown["name"])
        page.close()
    assert {
        "runs_of_dataset",
        "table_2",
        "figure_6",
        "run_accuracy",
        "run_confusion",
        "tables_4_to_6",
        "figure_9",
        "figure_10",
        "figure_3",
        "pair_tasks",
    } <= seen


@pytest.mark.browser
def test_figures_have_a_mark_for_every_row(data: DataFolder, browser: Any) -> None:
    run = next((data.report / "runs").glob("*.html"))
    page, _ = opened(browser, run, 1200, "light")
    query = next(shown["query"] for shown in page.evaluate(EXHIBITS) if shown["name"] == "run_confusion")
    rows = json.loads(answer(data.warehouse, query, "json"))
    labels = page.locator(".run_confusion svg .mark-text.role-mark text").all_text_contents()
    assert sorted(labels) == sorted(figures._label(row["share"]) for row in rows)


@pytest.mark.browser
def test_a_cell_of_the_confusion_leads_to_its_tasks(data: DataFolder, browser: Any) -> None:
    run = next((data.report / "runs").glob("*.html"))
    page, _ = opened(browser, run, 1200, "light")
    cell = page.locator(".run_confusion svg a").first
    address = unquote(cell.evaluate("link => link.href.baseVal"))
    assert re.fullmatch(rf"\.\./confusion\.html#run={run.stem}&target=[\w &]+&answer=[\w &]+", address)
    cell.click()
    assert page.url.split("#")[0] == (data.report / "confusion.html").as_uri()


@pytest.mark.browser
def test_the_keyboard_reaches_content_tables_and_queries(data: DataFolder, browser: Any) -> None:
    page, _ = opened(browser, data.report / "index.html", 1200, "light")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('href')") == "#content"
    page.locator(".runs_of_dataset summary").focus()
    page.keyboard.press("Enter")
    assert page.locator(".runs_of_dataset pre").is_visible()
    assert page.locator(".table:not([tabindex])").count() == 0, "what scrolls sideways can be scrolled by keyboard"


def test_links_lead_to_files(data: DataFolder) -> None:
    for path in data.report.rglob("*.html"):
        for address in HREF.findall(path.read_text()):
            if not address.startswith(("data:", "#")):
                target = path.parent / unquote(address.split("#")[0])
                assert target.resolve().is_file(), f"{path.relative_to(data.report)}: {address}"


def test_queries_can_be_pasted_between_double_quotes(data: DataFolder) -> None:
    for path in pages_of(data):
        queries = QUERY.findall(path.read_text())
        assert len(queries) == path.read_text().count("<summary>Query</summary>"), path.name
        for query in queries:
            assert not set('"$`\\!') & set(query.replace("&#39;", "'")), f"{path.name}: a shell would read this otherwise: {query}"


def test_tables_lie_beside_the_pages(data: DataFolder) -> None:
    [path] = (data.report / "tables").glob("runs_of_dataset-*.csv")
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["protocol"] for row in rows] == ["heuristic", "random"] and 0 < float(rows[0]["accuracy_low"]) < float(rows[0]["accuracy"])
    latex = path.with_suffix(".tex").read_text()
    assert latex.count(r" \\") == 3 and r"\toprule" in latex and latex.count(" & ") == 3 * 10
    pictures = {file.suffix: file.read_bytes() for file in (data.report / "figures").glob("figure_6-*")}
    assert pictures[".svg"].startswith(b"<svg") and pictures[".png"].startswith(b"\x89PNG")


def test_no_page_weighs_over_three_megabytes(data: DataFolder) -> None:
    style = (data.report / "assets" / "site.css").stat().st_size
    for path in pages_of(data):
        assert path.stat().st_size + style < 3_000_000, path.name


def test_the_papers_figures_stand_beside_ours(data: DataFolder) -> None:
    page = (data.report / "index.html").read_text()
    assert '<td class="number theirs">0.016</td>' in page and '<td class="number theirs">0.560</td>' in page and "GPT-5" in page


def test_a_broken_writer_leaves_the_old_site(data: DataFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    before = (data.report / "index.html").read_bytes()

    def broken(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(report, "write_models", broken)
    with pytest.raises(KeyboardInterrupt):
        write_report(data)
    assert (data.report / "index.html").read_bytes() == before
    assert list(data.root.glob(".report.*.tmp")) == []
