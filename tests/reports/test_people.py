"""Protects the page of people: it shows Table 5 with the paper's figures beside, scores, errors and time by the queries it names, also where nobody took part."""

import html
import json
import re
from pathlib import Path
from typing import Any

import pytest

from reports.exhibits import declared
from reports.report import write_report
from tests.reports.test_report import EXHIBITS, QUERY, opened
from tests.warehouse.episode_rows import episode_row, write_run, write_suite
from tests.warehouse.judged_rows import intervention_row, judgement_row, label_row, write_lines
from warehouse.layout import DataFolder
from warehouse.loader import load_warehouse
from warehouse.parquet import write_rows
from warehouse.query import answer

ALONE = ("e1", 1.0), ("e2", 0.0), ("e3", 0.0)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> DataFolder:
    """An agent alone and with people, a person's own run, judgements of two people and a model, and labels."""
    folder = DataFolder(tmp_path_factory.mktemp("people"))
    write_run(folder, [episode_row("alone", name, reward=reward, agent="clicker", steps=9) for name, reward in ALONE])
    run = write_run(folder, [episode_row("helped", name, agent="clicker", steps=4) for name, _ in ALONE])
    described = json.loads((run / "suite_run.json").read_text()) | {"people": {"asks": True, "wait_seconds": 60, "most_seconds": 600}}
    (run / "suite_run.json").write_text(json.dumps(described))
    write_rows(
        run / "interventions" / "00000.parquet",
        "interventions",
        [intervention_row("helped", "e2"), intervention_row("helped", "e1", initiated_by="agent")],
    )
    write_run(folder, [episode_row("shown", name, agent="person", steps=5, seconds=21.5) for name, _ in ALONE[:2]])
    write_suite(folder, "smoke", [{"episode_id": "e1", "oracle_lines": 6, "oracle_seconds": 2.5}, {"episode_id": "e3"}])
    marks = [{"criterion": "It is right.", "mark_a": 0.5, "mark_b": 1.0}]
    for name, _ in ALONE:
        write_lines(folder, "judgements", [judgement_row(("alone", "shown"), name, "shown", who, marks=marks) for who in ("ada", "<b>bob")])
        sides = (("alone", "shown"), ("shown", "alone"))
        write_lines(folder, "judgements", [judgement_row(pair, name, None, "model:m", judge_kind="model") for pair in sides])
    write_lines(
        folder, "labels", [label_row("alone", name, kind, who) for name, kind in (("e2", "planning"), ("e3", "grounding")) for who in ("ada", "bob")]
    )
    write_lines(folder, "labels", [label_row("alone", "e2", "history", "model:m", labeller_kind="model")])
    load_warehouse(folder)
    write_report(folder)
    return folder


def page_of(data: DataFolder) -> Path:
    return data.report / "people" / "index.html"


@pytest.mark.rotates
@pytest.mark.browser
@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (400, "dark")])
def test_the_page_opens_from_disk_without_errors(data: DataFolder, browser: Any, width: int, scheme: str) -> None:
    page, wrong = opened(browser, page_of(data), width, scheme)
    assert wrong == [] and page.locator("h1").count() == 1 and page.locator("nav [aria-current]").text_content() == "People"
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    shown = {one["name"]: one for one in page.evaluate(EXHIBITS)}
    assert set(shown) == {name for name in declared() if name.startswith("people_")}, "every exhibit has rows"
    table = shown["people_table_5"]["rows"]
    assert [row[:4] for row in table[:4]] == [["smoke", "clicker", level, mode] for level in ("L1", "all") for mode in ("alone", "assistance")]
    assert table[0][5].startswith("0.333") and table[1][5].startswith("1.000") and table[1][7].startswith("0.67") and table[1][9].startswith("6.67")
    theirs = [row for row in table if row[0] == "ProSoftArena"]
    assert len(theirs) == 12 and next(row for row in theirs if row[1:4] == ["GPT-5", "L2", "takeover"])[5:] == [
        "0.733",
        "19.80",
        "2.90",
        "—",
        "47.50",
    ]
    assert shown["people_calibration"]["rows"][0][:7] == ["smoke", "clicker", "3", "0", "1", "2", "0"], "it asked where it succeeds alone"
    assert "Nothing to compare with" not in page.content()
    assert [row[:4] for row in shown["people_scores"]["rows"]][:2] == [
        ["smoke", "person", "person", "person"],
        ["smoke", "person", "clicker", "person"],
    ]
    assert "<b>bob" in [row[0] for row in shown["people_judges"]["rows"]], "names are text"
    costs = [row for row in shown["people_time"]["rows"] if row[1] == "intervention"]
    assert len(costs) == 1 and "40" in str(costs[0]), "the price of an hour is stated"
    assert shown["people_error_figure"]["picture"]["height"] > 80
    page.close()


def test_the_contact_sheet_marks_what_the_oracle_and_a_person_take(data: DataFolder) -> None:
    cards = re.findall(r"<li class=.*?</li>", (data.report / "episodes" / "alone.html").read_text(), re.DOTALL)
    told = [re.findall(r"<br>((?:Oracle|Person).*?)(?=<br>|</p>)", " ".join(card.split())) for card in cards]
    assert [[one.strip() for one in lines] for lines in told] == [
        ["Oracle: 6 steps, 2.5 s", "Person: 5 steps, 20.0 s"],
        ["Person: 5 steps, 20.0 s"],
        ["Oracle: 4 steps"],
    ]


def test_numbers_are_those_of_the_queries_that_are_shown(data: DataFolder) -> None:
    queries = [html.unescape(found) for found in QUERY.findall(page_of(data).read_text())]
    assert len(queries) == len([name for name in declared() if name.startswith("people_")])
    for query in queries:
        assert json.loads(answer(data.warehouse, query, "json"))


def test_an_agent_that_was_never_played_alone_is_named(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path)
    run = write_run(folder, [episode_row("helped", "e1", agent="clicker")])
    described = json.loads((run / "suite_run.json").read_text()) | {"people": {"asks": True, "wait_seconds": 60, "most_seconds": 600}}
    (run / "suite_run.json").write_text(json.dumps(described))
    load_warehouse(folder)
    write_report(folder)
    text = page_of(folder).read_text()
    assert "<b>Nothing to compare with:</b> clicker could ask on smoke, and has no run without people there." in text
    assert "<code>deskmill episodes smoke</code>" in text


def test_the_page_of_nobody_says_so_and_shows_the_paper(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path)
    load_warehouse(folder)
    write_report(folder)
    text = page_of(folder).read_text()
    assert "Nobody has taken part yet." in text and "Qwen2.5-VL" in text and "No failed episode was labelled yet." in text
