"""Protects blind mixtures: raters learn nothing of the origin, sheets come back whole, and the figures are those of other libraries."""

import csv
import json
import re
import shutil
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow.dataset as ds
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from atomic_tasks.problems import BadInput
from eval_flows.quality import pipeline
from eval_flows.quality.forms import MIXTURE
from eval_flows.quality.mixture import read_people
from eval_flows.quality.study import Study, Text, read_study
from language_models.client import Endpoint
from reports.report import write_report
from tests.conftest import copy_of
from tests.language_models.fake_server import fake_server
from tests.warehouse.intervals import ends
from warehouse.empty import SQL_ROOT
from warehouse.layout import DataFolder
from warehouse.query import connect, rows_of
from warehouse.show import show

TEXTS = [f"please put photo {number} on the wall, </script> & all" for number in range(30)]


@pytest.fixture(scope="module")
def built(tiny: DataFolder, tmp_path_factory: pytest.TempPathFactory) -> DataFolder:
    return copy_of(tiny, tmp_path_factory.mktemp("mixture") / "data")


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "from_the_bench.jsonl"
    path.write_text("".join(json.dumps({"text": f" {text} \n", "application": "secret_suite"}) + "\n" for text in [*TEXTS, TEXTS[0]]))
    return path


@pytest.fixture
def study(built: DataFolder, people: Path) -> Study:
    shutil.rmtree(built.quality, ignore_errors=True)
    return pipeline.mix("tiny", people, built, seed=3, number=40, of_people=None)[0]


def made_by(study: Study) -> dict[str, str]:
    return {item.text_id: item.made_by for item in study.items if isinstance(item, Text)}


def filled(study: Study, rater: str, path: Path, **changes: str) -> Path:
    """The rater's sheet: ours get 3, 2 and the guess 4, people's 5, 4 and 2; the first row has the changes."""
    ours = {text_id for text_id, origin in made_by(study).items() if origin == "dataset"}
    with (study.folder / "sheets" / f"{rater}.csv").open(newline="", encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        marks = ("3", "2", "4", "", "Stiff; two wishes") if row["text_id"] in ours else ("5", "4", "2", "", "")
        row.update(zip((mark.column for mark in MIXTURE.marks), marks, strict=True))
    rows[0].update(changes)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, MIXTURE.columns)
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_a_mixture_has_both_kinds_and_can_be_drawn_again(study: Study, built: DataFolder, people: Path) -> None:
    tasks = {row["text"]: row for row in ds.dataset(built.labels / "tiny" / "data").to_table().to_pylist()}
    texts = [item for item in study.items if isinstance(item, Text)]
    ours, theirs = ([text for text in texts if text.made_by == origin] for origin in ("dataset", "people"))
    assert len(ours) == 40 and len({tasks[text.text]["target_application"] for text in ours}) == 40, "evenly over applications"
    assert sorted(text.text for text in theirs) == sorted(TEXTS), "without the repeated text and the spaces around texts"
    assert {text.details["application"] for text in theirs} == {"secret_suite"}
    assert read_study(study.study_id, built) == study
    assert pipeline.mix("tiny", people, built, seed=3, number=40, of_people=None)[0].items == study.items
    other = pipeline.mix("tiny", people, built, seed=4, number=40, of_people=10)[0]
    assert other.study_id != study.study_id and len(other.items) == 50
    with pytest.raises(BadInput, match="people's texts has 30 texts, so 31 cannot be drawn"):
        pipeline.mix("tiny", people, built, seed=4, number=40, of_people=31)


def test_raters_see_nothing_of_the_origin(study: Study) -> None:
    """The page and each sheet have the text, an id of one length, and no word of the key; neither ids nor places tell the kinds apart."""
    origin = made_by(study)
    page = (study.folder / "rate.html").read_text()
    shown = json.loads(re.findall(r'id="data">(.*?)</script>', page)[0])
    assert set(shown["items"]) == set(origin) and {frozenset(item) for item in shown["items"].values()} == {frozenset({"text_id", "text"})}
    for given_out in (page, *((study.folder / "sheets" / f"rater_{number}.csv").read_text() for number in (1, 2, 3))):
        said = given_out
        for shown_text in sorted((item.text for item in study.items), key=len, reverse=True):
            for form in (shown_text, json.dumps(shown_text)[1:-1].replace("</", "<\\/"), shown_text.replace('"', '""')):
                said = said.replace(form, "")  # a text may say any word
        for word in ("secret_suite", "from_the_bench", "made_by", "tiny", study.dataset_id, "task_id"):
            assert word not in said
    assert {len(text_id) for text_id in origin} == {12}
    orders = [list(shown["items"]), *shown["orders"].values()]
    assert len({tuple(order) for order in orders}) == 4
    for order in orders:
        kinds = [origin[text_id] == "dataset" for text_id in order]
        assert 0.25 < roc_auc_score(kinds, range(len(kinds))) < 0.75, "the place of a text does not tell its origin"


def test_a_file_of_plain_text_and_mistakes_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "people.txt").write_text("one thing\n\n two things \none thing\n")
    assert read_people(tmp_path / "people.txt") == [("one thing", {}), ("two things", {})]
    (tmp_path / "bad.jsonl").write_text('{"text": "fine"}\nnot JSON\n{"words": "x"}\n[1]\n{"text": " "}\n')
    with pytest.raises(BadInput) as error:
        read_people(tmp_path / "bad.jsonl")
    assert [(problem.line, problem.field) for problem in error.value.problems] == [(2, "line"), (3, "text"), (4, "text"), (5, "text")]
    (tmp_path / "empty.txt").write_text("\n")
    with pytest.raises(BadInput, match=r"empty\.txt has no texts"):
        read_people(tmp_path / "empty.txt")


@pytest.mark.slow(minutes=0.4)
def test_filled_sheets_reach_views_report_and_show(study: Study, built: DataFolder, tmp_path: Path) -> None:
    first = {"recognised": "yes", "signs": "stiff; STIFF"}
    paths = [filled(study, f"rater_{number}", tmp_path / f"{number}.csv", **(first if number == 1 else {})) for number in (1, 2, 3)]
    pipeline.load(paths, built)
    pipeline.load(paths, built)  # twice doubles nothing
    scores = {row["measure"]: row for row in rows_of(connect(built.warehouse), "select * from mixture_scores")}
    assert {name: (row["ours"], row["people"], row["difference"]) for name, row in scores.items()} == {
        "grammar": (3, 5, -2), "realism": (2, 4, -2), "origin": (4, 2, 2)}  # fmt: skip
    assert {(row["raters"], row["ratings"], row["ours_texts"], row["people_texts"]) for row in scores.values()} == {(3, 210, 40, 30)}
    aucs = {(row["rater"], row["texts"]): row for row in rows_of(connect(built.warehouse), "select * from mixture_auc")}
    assert {row["auc"] for row in aucs.values()} == {1} and len(aucs) == 8 and all(row["auc_low"] < 1 for row in aucs.values())
    left = {key: row["ours_texts"] + row["people_texts"] for key, row in aucs.items()}
    assert left[None, "all"] == 70 and left[None, "not recognised"] == left["rater_1", "not recognised"] == 69
    assert left["rater_2", "not recognised"] == 70
    signs = {row["sign"]: (row["raters"], row["ours_texts"]) for row in rows_of(connect(built.warehouse), "select * from mixture_signs")}
    assert signs == {"stiff": (3, 40), "two wishes": (3, 40)}
    page = (write_report(built).parent / "datasets" / f"{study.dataset_id}.html").read_text()
    assert "Told from people" in page and "two wishes" in page and "mean of all" in page
    assert "mixture" in show(built.warehouse, study.study_id, "table", lambda call: None)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"origin": "6"}, "origin: '6' is not a whole number from 1 to 5"),
        ({"origin": ""}, "origin: is not rated"),
        ({"recognised": "maybe"}, "recognised: 'maybe' is none of: yes, no"),
        ({"text_id": "0123456789ab"}, "text_id: '0123456789ab' is not a text of this study"),
    ],
)
def test_a_sheet_with_a_mistake_is_refused_whole(study: Study, built: DataFolder, tmp_path: Path, changes: dict[str, str], reason: str) -> None:
    good, bad = filled(study, "rater_1", tmp_path / "good.csv"), filled(study, "rater_2", tmp_path / "bad.csv", **changes)
    with pytest.raises(BadInput) as error:
        pipeline.load([good, bad], built)
    assert f"bad.csv:2: {reason}" in str(error.value)
    assert not (study.folder / "ratings").exists()


def test_a_model_fills_in_a_sheet(study: Study, built: DataFolder) -> None:
    def reply(request: dict[str, Any]) -> str:
        said = json.dumps(request["messages"])
        assert "secret_suite" not in said and study.dataset_id not in said
        theirs = "on the wall" in said
        return json.dumps(
            {"grammar": 4, "realism": 3, "origin": 1, "recognised": "yes" if theirs else "no", "signs": "on  the wall" if theirs else ""}
        )

    with fake_server(reply) as server:
        sheet = pipeline.judge(study.study_id, Endpoint("tiny/model", server.base_url), built, lambda done, total: None)
    loaded = pipeline.load([sheet], built)[0]
    assert loaded.rater_kind == "model" and sum(bool(rating.marks["recognised"]) for rating in loaded.ratings) == 30
    aucs = rows_of(connect(built.warehouse), "select rater_kind, texts, auc from mixture_auc where rater is null")
    assert aucs == [{"rater_kind": "model", "texts": "all", "auc": 0.5}], "no text of people is left without the recognised ones"


def figures(ours: Any, theirs: Any, view: str) -> list[dict[str, Any]]:
    """The rows of a view over many mixtures: guesses, one array of ours and of people's, mixtures by texts by raters."""
    connection = duckdb.connect()
    connection.execute((SQL_ROOT / "macros.sql").read_text())
    rated = []
    for made, marks in (("dataset", ours), ("people", theirs)):
        for (mixture, text, rater), mark in np.ndenumerate(np.asarray(marks)):
            rated.append((mixture, f"rater {rater}", f"{made} {text}", made, int(mark)))
    connection.execute("create table all_rated (study_id integer, rater varchar, text_id varchar, made_by varchar, mark tinyint)")
    columns = list(zip(*rated, strict=True))
    connection.execute("insert into all_rated select unnest(?), unnest(?), unnest(?), unnest(?), unnest(?)", [list(column) for column in columns])
    connection.execute("create table mixtures as select distinct study_id, '' as dataset_id, '' as dataset from all_rated")
    connection.execute("create table mixture_texts as select distinct study_id, text_id, made_by from all_rated")
    connection.execute(
        """create table mixture_ratings as select study_id, rater, 'person' as rater_kind, text_id,
           mark as grammar, mark as realism, mark as origin, false as recognised from all_rated"""
    )
    connection.execute((SQL_ROOT / "views" / view).read_text())
    return rows_of(connection, f"select * from {Path(view).stem[4:]} order by study_id")


GUESSES = st.lists(st.lists(st.integers(1, 5), min_size=2, max_size=2), min_size=2, max_size=8)


@settings(max_examples=8, deadline=None)
@given(GUESSES, GUESSES)
def test_the_auc_is_scikit_learns(ours: list[list[int]], theirs: list[list[int]]) -> None:
    rows = {(row["rater"], row["texts"]): row for row in figures([ours], [theirs], "093_mixture_auc.sql")}
    labels, guesses = [1] * len(ours) + [0] * len(theirs), np.array(ours + theirs)
    for rater, of in ((None, guesses.mean(axis=1)), ("rater 0", guesses[:, 0]), ("rater 1", guesses[:, 1])):
        row = rows[rater, "all"]
        assert row["auc"] == pytest.approx(roc_auc_score(labels, of)) == rows[rater, "not recognised"]["auc"]
        assert 0 <= row["auc_low"] <= row["auc"] <= row["auc_high"] <= 1 and row["auc_high"] - row["auc_low"] > 0.01


def drawn(generator: np.random.Generator, middle: float, shape: tuple[int, ...]) -> Any:
    return np.clip(np.round(generator.normal(middle, 1.2, shape)), 1, 5)


@pytest.mark.parametrize(("middle", "number"), [(3.0, 75), (3.8, 75), (5.0, 75), (3.8, 20)])
def test_the_interval_of_the_auc_holds_the_true_one(middle: float, number: int) -> None:
    """In 200 simulated mixtures at least 92% of the intervals hold the AUC of a very large sample; 95% do so in truth, give or take 1.5."""
    generator = np.random.default_rng(5)
    large = [drawn(generator, at, (200_000,)) for at in (middle, 3.0)]
    truth = roc_auc_score([1] * 200_000 + [0] * 200_000, np.concatenate(large))
    rows = figures(drawn(generator, middle, (200, number, 1)), drawn(generator, 3.0, (200, number, 1)), "093_mixture_auc.sql")
    means = [row for row in rows if row["rater"] is None and row["texts"] == "all"]
    held = np.mean([row["auc_low"] <= truth <= row["auc_high"] for row in means])
    assert len(means) == 200 and held >= 0.92
    assert np.mean([row["auc_high"] - row["auc_low"] for row in means]) < 2.2 * 1.96 * np.std([row["auc"] for row in means]) * 1.3


def test_the_difference_is_newcombes_over_the_intervals_of_both_means() -> None:
    generator = np.random.default_rng(6)
    ours, theirs = drawn(generator, 3.4, (1, 60, 3)), drawn(generator, 3.9, (1, 40, 3))
    row = next(row for row in figures(ours, theirs, "092_mixture_scores.sql") if row["measure"] == "realism")
    means = []
    for marks in (ours, theirs):
        place = (marks[0].mean(axis=1) - 1) / 4
        means.append((place.mean(), *ends(place.mean(), len(place), len(place), ((place - place.mean()) ** 2).sum())))
    (o, o_low, o_high), (p, p_low, p_high) = means
    assert (row["ours"], row["people"]) == (pytest.approx(1 + 4 * o), pytest.approx(1 + 4 * p))
    assert row["difference_low"] == pytest.approx(4 * (o - p - np.hypot(o - o_low, p_high - p)), abs=0.01)
    assert row["difference_high"] == pytest.approx(4 * (o - p + np.hypot(o_high - o, p - p_low)), abs=0.01)


def test_the_interval_of_the_difference_holds_the_true_one() -> None:
    generator = np.random.default_rng(7)
    truth = drawn(generator, 3.5, (400_000,)).mean() - drawn(generator, 4.2, (400_000,)).mean()
    rows = figures(drawn(generator, 3.5, (200, 50, 1)), drawn(generator, 4.2, (200, 30, 1)), "092_mixture_scores.sql")
    differences = [row for row in rows if row["measure"] == "grammar"]
    assert len(differences) == 200
    assert np.mean([row["difference_low"] <= truth <= row["difference_high"] for row in differences]) >= 0.92


@pytest.mark.browser
def test_a_person_rates_on_the_page_and_its_sheet_is_read_in(study: Study, built: DataFolder, browser: Any, tmp_path: Path) -> None:
    page = browser.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto((study.folder / "rate.html").as_uri())
    for number in range(70):
        for key in ("4", "Shift+Digit5", "t", *(["k"] if number < 2 else []), *(["k"] if number == 1 else []), "Enter"):
            page.keyboard.press(key)
    page.click("#back")
    page.fill("#signs", 'no, "really"; stiff')
    with page.expect_download() as download:
        page.click("#save")
    download.value.save_as(tmp_path / "sheet.csv")
    assert errors == [] and "70 rated" in page.locator("#state").inner_text()
    ratings = pipeline.load([tmp_path / "sheet.csv"], built)[0].ratings
    assert {(rating.marks["grammar"], rating.marks["realism"], rating.marks["origin"]) for rating in ratings} == {(4, 5, 5)}
    assert [rating.marks["recognised"] for rating in ratings].count(True) == 1, "the second press takes it back"
    assert [rating.marks["signs"] for rating in ratings if rating.marks["signs"]] == ['no, "really"; stiff']
