"""Protects the report: it opens from disk in a real browser without a network or an error, and says so where there is nothing."""

from pathlib import Path
from typing import Any

import pytest

from eval_flows.selection.pipeline import Choices, evaluate_selection
from flows.parallel import process_pool_map
from flows.pipeline import build_dataset
from flows.recipe import read_recipe
from reports.report import write_report
from warehouse.layout import DataFolder
from warehouse.loader import load_warehouse
from warehouse.query import connect, rows_of


def quiet(stage: str, done: int, total: int, note: str = "") -> None:
    """No progress in tests."""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> DataFolder:
    folder = DataFolder(tmp_path_factory.mktemp("report"))
    build_dataset("tiny", read_recipe("tiny")[1], folder, process_pool_map(1), quiet)
    evaluate_selection("tiny", ["random", "heuristic"], folder, quiet, Choices(split="all"))
    return folder


@pytest.mark.browser
@pytest.mark.parametrize("width", [1200, 390])
def test_the_page_opens_from_disk_without_errors(data: DataFolder, browser: Any, tmp_path: Path, width: int) -> None:
    path = write_report(data)
    page = browser.new_page(viewport={"width": width, "height": 900})
    errors, requests = [], []
    page.on("console", lambda message: errors.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(path.as_uri())
    assert errors == []
    assert [url for url in requests if not url.startswith(("file:", "data:"))] == []
    rows = rows_of(connect(data.warehouse), "select protocol, accuracy from accuracy order by accuracy")
    shown = page.locator("table.accuracy tbody tr")
    assert shown.count() == 2
    for number, row in enumerate(rows):
        assert row["protocol"] in shown.nth(number).inner_text() and f"{row['accuracy']:.3f}" in shown.nth(number).inner_text()
    assert page.locator("figure.by-category svg").count() == 1
    assert page.locator("figure.confusion svg").count() == 2
    box = page.locator("figure.confusion svg").first.bounding_box()
    assert box and box["width"] > 250 and box["height"] > 100
    assert page.locator(".errors > li").count() > 3
    assert page.locator("figure.lengths svg").count() == page.locator("figure.steps svg").count() == 1
    assert page.locator("table.diversity").first.locator("tbody tr").count() == 12, "11 categories and all"
    page.get_by_text("The same for each application").click()
    assert page.locator("table.telling").nth(1).locator("tbody tr").count() == 100
    assert page.evaluate("document.documentElement.scrollWidth") <= width, "the page must not scroll sideways as a whole"
    if width > 1000:
        clipped = "[...document.querySelectorAll('.table')].filter(box => box.scrollWidth > box.clientWidth).length"
        assert page.evaluate(clipped) == 0, "on a wide screen every table fits"
    page.get_by_role("link", name="confusion", exact=True).click()
    assert page.evaluate("window.scrollY") > 0
    page.screenshot(path=str(tmp_path / "report.png"), full_page=True)
    assert (tmp_path / "report.png").stat().st_size > 30_000


def test_an_empty_warehouse_is_said_in_words(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path)
    load_warehouse(folder)
    page = write_report(folder).read_text()
    assert "There is no dataset yet" in page and "deskmill select" in page


def test_the_papers_figures_stand_beside_ours(data: DataFolder) -> None:
    page = write_report(data).read_text()
    assert "0.016" in page and "0.560" in page and "GPT-5" in page and "AppSelectBench" in page


def test_texts_are_escaped(data: DataFolder) -> None:
    page = write_report(data).read_text()
    assert "<script" not in page
