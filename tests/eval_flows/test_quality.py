"""Protects the quality study: an even draw, sheets that are read back whole or not at all, people and models apart."""

import csv
import json
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import krippendorff
import numpy as np
import pyarrow.dataset as ds
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atomic_tasks.catalog import Catalog
from atomic_tasks.problems import BadInput
from eval_flows.quality import pipeline
from eval_flows.quality.forms import SAMPLE
from eval_flows.quality.study import Study, read_study
from language_models.client import Endpoint
from language_models.errors import ModelError
from reports.report import write_report
from tests.conftest import copy_of
from tests.language_models.fake_server import fake_server
from warehouse.empty import SQL_ROOT
from warehouse.layout import DataFolder
from warehouse.query import connect, rows_of

Row = dict[str, str]


@pytest.fixture(scope="module")
def built(tiny: DataFolder, tmp_path_factory: pytest.TempPathFactory) -> DataFolder:
    return copy_of(tiny, tmp_path_factory.mktemp("quality") / "data")


@pytest.fixture
def study(built: DataFolder, catalog: Catalog) -> Study:
    shutil.rmtree(built.quality, ignore_errors=True)
    return pipeline.sample("tiny", built, seed=7, number=200)[0]


def filled(study: Study, rater: str, rate: Callable[[Row, int], None], path: Path) -> Path:
    """The rater's sheet with every row rated 5, 4 and right, and then as `rate` says."""
    with (study.folder / "sheets" / f"{rater}.csv").open(newline="", encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    for number, row in enumerate(rows):
        row.update(grammar="5", realism="4", ground_truth="right")
        rate(row, number)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, SAMPLE.columns)
        writer.writeheader()
        writer.writerows(row for row in rows if row["task_id"] != "left out")
    return path


def nothing(row: Row, number: int) -> None:
    """As it is."""


def test_the_draw_is_even_seeded_and_says_nothing_of_where_labels_come_from(study: Study, built: DataFolder, catalog: Catalog) -> None:
    targets = {row["task_id"]: row for row in ds.dataset(built.labels / "tiny" / "data").to_table().to_pylist()}
    drawn = Counter(targets[item.task_id]["target_application"] for item in study.items)
    assert set(drawn.values()) == {2} and len(drawn) == 100
    again = pipeline.sample("tiny", built, seed=7, number=200)[0]
    other = pipeline.sample("tiny", built, seed=8, number=200)[0]
    assert again.items == study.items and other.items != study.items and other.study_id != study.study_id
    orders = []
    for number in (1, 2, 3):
        rows = list(csv.DictReader((study.folder / "sheets" / f"rater_{number}.csv").open(newline="", encoding="utf-8-sig")))
        assert set(rows[0]) == set(SAMPLE.columns) and not rows[0]["grammar"]
        orders.append([row["task_id"] for row in rows])
    assert orders[0] != orders[1] and len({frozenset(order) for order in orders}) == 1


def test_a_tenth_is_drawn_where_no_number_is_stated(built: DataFolder, catalog: Catalog) -> None:
    assert len(pipeline.sample("tiny", built, seed=1, number=None)[0].items) == 60
    with pytest.raises(BadInput, match="has 600 tasks of single applications, so 601 cannot be drawn"):
        pipeline.sample("tiny", built, seed=1, number=601)


def test_filled_sheets_reach_warehouse_and_report(study: Study, built: DataFolder, tmp_path: Path) -> None:
    def doubtful(row: Row, number: int) -> None:
        row.update(ground_truth="too narrow" if number < 10 else "right", grammar="4" if number % 2 else "5", comment='so, "so"')

    paths = [filled(study, f"rater_{number}", doubtful if number == 2 else nothing, tmp_path / f"{number}.csv") for number in (1, 2, 3)]
    pipeline.load(paths, built)
    pipeline.load(paths, built)  # twice doubles nothing
    scores = {row["measure"]: row for row in rows_of(connect(built.warehouse), "select * from quality_scores")}
    assert {measure: (row["tasks"], row["ratings"], row["raters"]) for measure, row in scores.items()} == dict.fromkeys(scores, (200, 600, 3))
    assert scores["realism"]["mean"] == 4 and scores["grammar"]["mean"] == pytest.approx(5 - 0.5 / 3)
    truth = scores["ground truth right"]
    assert truth["mean"] == pytest.approx(1 - 10 / 600) and truth["mean_low"] < truth["mean"] < truth["mean_high"]
    page = (write_report(built).parent / "datasets" / f"{study.dataset_id}.html").read_text()
    assert study.study_id in page and "person" in page and f"{5 - 0.5 / 3:.3f}" in page


def _first(**changes: str) -> Callable[[Row, int], None]:
    return lambda row, number: row.update(changes) if number == 0 else None


@pytest.mark.parametrize(
    ("rate", "line", "reason"),
    [
        (_first(grammar="6"), 2, "grammar: '6' is not a whole number from 1 to 5"),
        (_first(realism="4.5"), 2, "realism: '4.5' is not a whole number"),
        (_first(ground_truth=""), 2, "ground_truth: is not rated"),
        (_first(ground_truth="maybe"), 2, "ground_truth: 'maybe' is none of: right, too narrow, too wide, wrong"),
        (_first(task_id="0123456789abcdef"), 2, "task_id: '0123456789abcdef' is not a task of this study"),
        (_first(task_id="left out"), 201, "is missing"),
        (_first(rater_kind="robot"), 2, "rater_kind: 'robot' is neither person nor model"),
        (_first(rater="someone else"), 2, "rater: 'someone else' is no rater's name"),
    ],
)
def test_a_sheet_with_a_mistake_is_refused_whole(
    study: Study, built: DataFolder, tmp_path: Path, rate: Callable[[Row, int], None], line: int, reason: str
) -> None:
    good, bad = filled(study, "rater_1", nothing, tmp_path / "good.csv"), filled(study, "rater_2", rate, tmp_path / "bad.csv")
    with pytest.raises(BadInput) as error:
        pipeline.load([good, bad], built)
    assert any(f"bad.csv:{line}: " in text and reason in text for text in str(error.value).splitlines()), str(error.value)
    assert not (study.folder / "ratings").exists()


def test_every_mistake_is_reported_and_a_strange_file_too(study: Study, built: DataFolder, tmp_path: Path) -> None:
    bad = filled(study, "rater_1", lambda row, number: row.update(grammar="9") if number in (3, 8) else None, tmp_path / "bad.csv")
    with pytest.raises(BadInput) as error:
        pipeline.load([bad], built)
    assert [problem.line for problem in error.value.problems] == [5, 10]
    (tmp_path / "strange.csv").write_text("a,b\n1,2\n")
    with pytest.raises(BadInput, match="the column 'study_id' is missing"):
        pipeline.load([tmp_path / "strange.csv"], built)
    with pytest.raises(BadInput, match="no study 'nonesuch'"):
        read_study("nonesuch", built)


def test_a_model_judges_on_a_sheet_of_its_own_and_is_never_mixed_with_people(
    study: Study, built: DataFolder, catalog: Catalog, tmp_path: Path
) -> None:
    def reply(request: dict[str, Any]) -> str:
        assert request["response_format"]["json_schema"]["schema"]["required"] == ["grammar", "realism", "ground_truth", "comment"]
        return json.dumps({"grammar": 3, "realism": 2, "ground_truth": "too wide", "comment": "hm"})

    with fake_server(reply) as server:
        sheet = pipeline.judge(study.study_id, Endpoint("tiny/model", server.base_url), built, lambda done, total: None)
        pipeline.judge(study.study_id, Endpoint("tiny/model", server.base_url), built, lambda done, total: None)
        assert len(server.requests) == 200, "the second time everything is in the cache"
    pipeline.load([sheet, filled(study, "rater_1", nothing, tmp_path / "1.csv")], built)
    means = {(row["rater_kind"], row["measure"]): row["mean"] for row in rows_of(connect(built.warehouse), "select * from quality_scores")}
    assert means["model", "grammar"] == 3 and means["person", "grammar"] == 5
    assert means["model", "ground truth right"] == 0 and means["person", "ground truth right"] == 1
    with fake_server(lambda request: "no JSON here") as server, pytest.raises(ModelError, match="'mute' gave no rating of 200 of 200 items"):
        pipeline.judge(study.study_id, Endpoint("mute", server.base_url), built, lambda done, total: None)


def agreement(marks: list[tuple[str, str, int, str]], kind: str = "person") -> dict[str, float | None]:
    """Alpha by measure, by the view alone: marks are rater, task, grammar and ground truth; realism is always 5.

    Raters of the other kind disagree about every task, which changes nothing.
    """
    view = (SQL_ROOT / "views" / "091_rater_agreement.sql").read_text()
    connection = duckdb.connect()
    connection.execute(
        "create table quality_ratings (study_id varchar, rater varchar, rater_kind varchar, task_id varchar, grammar tinyint, realism tinyint, ground_truth varchar)"
    )
    other = "model" if kind == "person" else "person"
    others = [(f"other {rater}", other, task, 1 + 4 * rater, "ab"[rater]) for task in {mark[1] for mark in marks} for rater in range(2)]
    for rater, of_kind, task, grammar, ground_truth in [*others, *((rater, kind, *mark) for rater, *mark in marks)]:
        connection.execute("insert into quality_ratings values ('s', ?, ?, ?, ?, 5, ?)", [rater, of_kind, task, grammar, ground_truth])
    connection.execute(view)
    return dict(connection.execute("select measure, alpha from rater_agreement where rater_kind = ?", [kind]).fetchall())


@pytest.mark.parametrize("kind", ["person", "model"])
def test_agreement_is_krippendorffs_alpha(kind: str) -> None:
    """The worked example of Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", part C: 0.743 nominal, 0.815 ordinal."""
    table = {
        "A": [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
        "B": [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
        "C": [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
        "D": [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
    }
    found = agreement(
        [(rater, str(unit), mark, str(mark)) for rater, row in table.items() for unit, mark in enumerate(row) if mark is not None], kind
    )
    assert found["grammar"] == pytest.approx(0.815, abs=0.001) and found["ground truth right"] == pytest.approx(0.743, abs=0.001)
    assert found["realism"] is None, "where all marks are the same, agreement is not defined"
    assert agreement([("A", "1", 3, "right"), ("B", "2", 4, "wrong")], kind) == {}, "nobody rated what another did"


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.lists(st.integers(1, 5), min_size=6, max_size=6), min_size=2, max_size=4), st.integers(0, 2**24), st.sampled_from(["person", "model"])
)
def test_agreement_is_that_of_the_package(table: list[list[int]], holes: int, kind: str) -> None:
    """Whatever raters say, and whatever they leave out."""
    cells = [(rater, unit, mark) for rater, row in enumerate(table) for unit, mark in enumerate(row) if not holes >> (rater * 6 + unit) & 1]
    seen = np.full((len(table), 6), np.nan)
    for rater, unit, mark in cells:
        seen[rater, unit] = mark
    found = agreement([(str(rater), str(unit), mark, "abcde"[mark - 1]) for rater, unit, mark in cells], kind)
    paired = seen[:, (~np.isnan(seen)).sum(axis=0) >= 2]
    if paired.size == 0 or len(np.unique(paired[~np.isnan(paired)])) < 2:
        assert found.get("grammar") is None
        return
    assert found["grammar"] == pytest.approx(krippendorff.alpha(reliability_data=paired, level_of_measurement="ordinal"), abs=1e-9)
    assert found["ground truth right"] == pytest.approx(krippendorff.alpha(reliability_data=paired, level_of_measurement="nominal"), abs=1e-9)


@pytest.mark.browser
def test_a_person_rates_on_the_page_and_its_sheet_is_read_in(study: Study, built: DataFolder, browser: Any, tmp_path: Path) -> None:
    page = browser.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto((study.folder / "rate.html").as_uri())
    page.select_option("#rater", "rater_2")
    for number in range(200):
        page.keyboard.press("4")
        page.keyboard.press("Shift+Digit5")
        page.keyboard.press("r" if number else "n")
        if number == 0:
            page.fill("#comment", 'a comma, and a "quote"')
            page.locator("h1").click()
        page.keyboard.press("Enter")
    page.reload()
    page.select_option("#rater", "rater_2")
    assert "200 rated" in page.locator("#state").inner_text(), "ratings outlive the page"
    with page.expect_download() as download:
        page.click("#save")
    download.value.save_as(tmp_path / "sheet.csv")
    assert errors == []
    sheet = pipeline.load([tmp_path / "sheet.csv"], built)[0]
    assert (sheet.rater, sheet.rater_kind) == ("rater_2", "person")
    assert {(rating.marks["grammar"], rating.marks["realism"]) for rating in sheet.ratings} == {(4, 5)}
    assert [rating.marks["comment"] for rating in sheet.ratings if rating.marks["ground_truth"] == "too narrow"] == ['a comma, and a "quote"']
