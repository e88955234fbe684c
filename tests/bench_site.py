"""Figures of the explorer over 100,000 tasks and twelve runs: writing it, opening its pages from disk, and searching, in headless Chromium."""

import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

import duckdb

from reports.explorer import write_explorer
from tests.bench_warehouse import synthetic_dataset, write_run
from tests.browser import chromium
from tests.timing import seconds_of
from warehouse.layout import DataFolder
from warehouse.loader import load_warehouse
from warehouse.query import connect

MODELS = 3
PROTOCOLS = ("zero_shot", "few_shot", "ras", "random")
BYTES_AT_FIRST = 3_000_000
EMPTY = "an empty page"
Figure = tuple[str, float, str, str, float]


def figures(tasks: int = 100_000) -> list[Figure]:
    """Name, value, unit, what it is a ratio to, and the value of that."""
    with tempfile.TemporaryDirectory() as folder:
        data, site = DataFolder(Path(folder) / "data"), Path(folder) / "site"
        _make(data, tasks)
        site.mkdir()
        return [*_writing(data, site), *_opening(site)]


def _make(data: DataFolder, tasks: int) -> None:
    made = synthetic_dataset(data, tasks)
    for number in range(MODELS):
        for protocol in PROTOCOLS:
            write_run(made, f"{protocol}_{number}", protocol, f"model_{number}", tasks, openness=None if protocol == "random" else "open")
    load_warehouse(data)


def _writing(data: DataFolder, site: Path) -> list[Figure]:
    connection = connect(data.warehouse)
    seconds = seconds_of(lambda: write_explorer(connection, site, _layout))
    connection.close()
    copy = seconds_of(lambda: _copy(data.warehouse, site.parent))
    megabytes = sum(path.stat().st_size for path in site.rglob("*") if path.is_file()) / 1e6
    return [
        ("explorer_write", seconds, "s", "DuckDB's own COPY of the same tasks and predictions to JSON", copy),
        ("explorer_size", megabytes, "MB", "the warehouse file", data.warehouse.stat().st_size / 1e6),
    ]


def _copy(warehouse: Path, folder: Path) -> None:
    with duckdb.connect(str(warehouse), read_only=True) as connection:
        connection.execute("set enable_progress_bar = false")
        for table in ("user_tasks", "predictions"):
            connection.execute(f"copy {table} to '{folder / table}.json'")


def _opening(site: Path) -> list[Figure]:
    """Seconds until each page shows what it has, the bytes that it has read by then, and milliseconds of a search over all texts."""
    task = next((site / "data" / "explorer" / "tasks").rglob("*.js"))
    task_id = task.read_text(encoding="utf-8").split('"rows":{"', 1)[1][:16]
    pages = {
        "tasks": "tasks.html",
        "tasks_of_a_run": "tasks.html#run=zero_shot_0&outcome=wrong",
        "task": f"task.html#{task_id}",
        "confusion": "confusion.html",
        "confusion_cell": "confusion.html#run=zero_shot_0&target=category%2001&answer=category%2002",
        "confusion_pooled": "confusion.html#run=models-synthetic",
    }
    (site / "empty.html").write_text(_layout("Empty", '<div id="explorer" data-ready="yes">Empty</div>', ""))
    with chromium() as browser:
        _opened(browser, site, "empty.html")  # the first page of a browser is slower than any after it
        empty, _ = _opened(browser, site, "empty.html")
        made: list[Figure] = []
        for name, address in pages.items():
            seconds, size = _opened(browser, site, address)
            made.append((f"explorer_open_{name}", seconds, "s", EMPTY, empty))
            made.append((f"explorer_bytes_{name}", size, "bytes", "what a page may load at first", BYTES_AT_FIRST))
        made.append(("explorer_search", _searched(browser, site), "ms", "a filter that people do not notice", 50))
    return made


def _opened(browser: Any, site: Path, address: str) -> tuple[float, int]:
    """Seconds until the page is ready, and bytes of the files that it asked for."""
    page = browser.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    name, _, state = address.partition("#")
    seconds = seconds_of(lambda: (page.goto(f"{(site / name).as_uri()}#{state}"), page.wait_for_selector("#explorer[data-ready]")))
    page.close()
    paths = [Path(unquote(urlparse(url).path)) for url in asked if url.startswith("file:")]
    return seconds, sum(path.stat().st_size for path in paths)


def _searched(browser: Any, site: Path) -> float:
    """Milliseconds to look for three frequent words among all texts under a filter, once they are loaded."""
    page = browser.new_page()
    page.goto(f"{(site / 'tasks.html').as_uri()}#q=word1&style=question")
    page.wait_for_function("document.getElementById('tasks-loaded').textContent === '' && document.querySelector('#explorer[data-ready]')")
    page.locator("#tasks-q").fill("word1 word2 word3")
    page.wait_for_function("document.querySelector('#explorer[data-ready]') && location.hash.includes('word3')")
    milliseconds = float(page.locator("#explorer").get_attribute("data-milliseconds"))
    page.close()
    return milliseconds


def _layout(title: str, body: str, root: str) -> str:
    return f'<!doctype html><html lang="en"><head><meta charset="utf-8"><link rel="icon" href="data:,"><title>{title}</title></head><body>{body}</body></html>'
