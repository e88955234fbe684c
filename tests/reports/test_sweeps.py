"""Protects the pages of sweeps: their tables have the figures of counting by hand, pairs differ in one thing alone, scripts are marked, and pages open in a browser."""

import json
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reports.comparison import holm, paired_difference
from reports.exhibits import declared
from reports.report import write_report
from reports.sweeps import with_differences
from tests.reports.test_report import EXHIBITS, HREF, opened
from tests.warehouse.sweep_rows import cell, write_drawn_sweep, write_sweep
from warehouse.layout import DataFolder
from warehouse.loader import load_warehouse
from warehouse.query import answer

Row = dict[str, Any]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> DataFolder:
    """A drawn sweep, and one of scripts alone that nobody has begun."""
    folder = DataFolder(tmp_path_factory.mktemp("sweeps"))
    write_drawn_sweep(folder)
    write_sweep(folder, "new", [cell(1, "one", "oracle", True, agent="oracle"), cell(2, "two", "idle", True, agent="idle")], "<b>New</b>")
    load_warehouse(folder)
    write_report(folder)
    return folder


def test_differences_are_those_of_the_paired_statistics_with_episodes_as_clusters() -> None:
    source = random.Random(3)
    counts: list[Row] = []
    for factor in ("cards", "history"):
        for pair in ((1, 2), (3, 4)):
            for episode in range(15):
                only_a, only_b = source.randint(0, 1), source.randint(0, 1)
                count: Row = {"episodes": 3, "both_succeeded": 1, "only_a": only_a, "only_b": only_b}
                counts.append({"factor": factor, "pair": pair, "episode_id": str(episode), **count})
    rows = with_differences([{"factor": "cards"}, {"factor": "history"}], counts, ["factor"])
    for row in rows:
        sums = np.zeros((15, 4), dtype=np.int64)
        for count in counts:
            if count["factor"] == row["factor"]:
                sums[int(count["episode_id"])] += [count["episodes"], count["both_succeeded"], count["only_b"], count["only_a"]]
        expected = paired_difference(*sums.T)
        assert expected.compositions == 15 and expected.tasks == 90
        assert row["difference"] == pytest.approx((sums[:, 2].sum() - sums[:, 3].sum()) / 90)
        assert (row["difference_low"], row["difference_high"], row["p_clustered"]) == (
            expected.difference_low,
            expected.difference_high,
            expected.p_clustered,
        )
    assert [row["p_holm"] for row in rows] == holm([row["p_clustered"] for row in rows])


@pytest.mark.rotates
@pytest.mark.browser
@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (400, "dark")])
def test_the_pages_open_and_say_what_is_scripted_and_what_is_missing(data: DataFolder, browser: Any, width: int, scheme: str) -> None:
    seen = set()
    for name in ("index", "drawn", "new"):
        page, wrong = opened(browser, data.report / "sweeps" / f"{name}.html", width, scheme)
        assert wrong == [] and page.locator("h1").count() == 1 and page.locator("nav [aria-current]").text_content() == "Sweeps"
        assert page.evaluate("document.documentElement.scrollWidth") <= width, f"{name} must not scroll sideways as a whole"
        for shown in page.evaluate(EXHIBITS):
            assert shown["picture"] is None or (shown["picture"]["width"] > 250 and shown["picture"]["height"] > 80), shown["name"]
            seen.add(shown["name"])
            rows = json.loads(answer(data.warehouse, shown["query"], "json"))
            columns = [column for column in declared()[shown["name"]].columns if rows and column.key in rows[0] and column.form != "date"]
            places = [declared()[shown["name"]].columns.index(column) for column in columns]
            texts = [
                [" ".join(f"{column.text(row)} {column.interval_text(row)}".split()) for column in columns if not _is_computed(column.key)]
                for row in rows
            ]
            kept = [place for place, column in zip(places, columns, strict=True) if not _is_computed(column.key)]
            assert [[cells[place] for place in kept] for cells in shown["rows"]] == (texts if shown["rows"] else []), shown["name"]
        notices = " ".join(page.locator(".notice").all_text_contents())
        if name == "drawn":
            assert "Some cells are played by scripts" in notices and "1 of 14 cells is not begun yet" in notices
            assert page.locator(".sweep_cells tbody tr").count() == 14 and page.locator(".sweep_cells td:text-is('script')").count() == 1
        if name == "new":
            assert "All cells are played by scripts" in notices and "2 of 2 cells are not begun" in notices
            assert page.locator("h1").text_content() == "<b>New</b>"
        page.close()
    assert {
        "sweeps",
        "sweep_cells",
        "sweep_table_4",
        "sweep_applications",
        "sweep_effects",
        "sweep_pairs",
        "sweep_figure",
        "sweep_factor",
        "sweep_factor_lines",
    } <= seen


def _is_computed(key: str) -> bool:
    return key in {"difference", "p_exact", "p_clustered", "p_holm", "smallest_difference"}


def test_links_of_the_pages_lead_somewhere(data: DataFolder) -> None:
    for path in (data.report / "sweeps").glob("*.html"):
        for link in HREF.findall(path.read_text()):
            if not link.startswith(("#", "data:")):
                assert (path.parent / re.sub(r"#.*", "", link)).exists(), (path.name, link)


def test_the_files_of_a_table_hold_its_figures(data: DataFolder) -> None:
    text = Path(data.report / "tables" / "sweep_effects-drawn.csv").read_text()
    assert "difference_low" in text.splitlines()[0] and len(text.splitlines()) == 1 + 5
