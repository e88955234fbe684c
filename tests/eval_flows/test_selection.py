"""Protects runs: right answers are right, a run resumes and extends, and the figures are those of scikit-learn."""

import math
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from sklearn.metrics import confusion_matrix, precision_recall_fscore_support

from atomic_tasks.catalog import Catalog
from atomic_tasks.problems import BadInput
from eval_flows.datasets import open_dataset
from eval_flows.selection.pipeline import Choices, Evaluated
from eval_flows.selection.pipeline import evaluate_selection as evaluate
from eval_flows.selection.run import describe, refuse_known
from eval_flows.selection.selectors import SelectorOptions, make_selector
from eval_flows.selection.selectors.heuristic import HeuristicSelector, Lexicon, read_lexicons
from eval_flows.selection.selectors.pool import read_pool
from eval_flows.selection.selectors.random import RandomSelector
from eval_flows.selection.tasks import Task, scored_tasks
from language_models.client import Client, Endpoint
from tests.conftest import copy_of, quiet
from warehouse.layout import DataFolder
from warehouse.parquet import write_rows
from warehouse.query import connect, rows_of


def task(text: str) -> Task:
    return Task(text, text, frozenset(), ("excel",), "excel", (), ())


def evaluate_selection(dataset: str, protocols: list[str], data: DataFolder, **chosen: Any) -> Evaluated:
    return evaluate(dataset, protocols, data, quiet, Choices(**chosen))


def test_the_heuristic_says_which_terms_decided() -> None:
    lexicons = {"excel": Lexicon(names=("excel",), words=("workbook", "column")), "word": Lexicon(names=("word",), words=("letter", "column"))}
    selector = HeuristicSelector(lexicons, ["excel", "word"])
    chosen, unknown = selector.select([task("add a column to the workbook"), task("nothing of it")])
    assert (chosen.application, chosen.said) == ("excel", "workbook 1.00, column 0.50; next word 0.50")
    assert (unknown.application, unknown.said) == (None, None)


@pytest.fixture(scope="module")
def scored(tiny: DataFolder, tmp_path_factory: pytest.TempPathFactory) -> DataFolder:
    """A small dataset with a random and a heuristic run over all of it."""
    data = copy_of(tiny, tmp_path_factory.mktemp("scored") / "data")
    shutil.rmtree(data.runs)
    evaluate_selection("tiny", ["random", "heuristic"], data, split="all")
    return data


def test_answers_are_scored_against_valid_applications(scored: DataFolder) -> None:
    connection = connect(scored.warehouse)
    query = """select p.is_correct, p.predicted_application, t.valid_applications from predictions p
               join runs r using (run_id) join user_tasks t on t.dataset_id = r.dataset_id and t.task_id = p.task_id"""
    rows = rows_of(connection, query)
    assert len(rows) == 1200
    assert all(row["is_correct"] == (row["predicted_application"] in row["valid_applications"]) for row in rows)


def test_the_views_equal_scikit_learn(scored: DataFolder) -> None:
    connection = connect(scored.warehouse)
    for run in rows_of(connection, "select run_id from runs"):
        pairs = rows_of(connection, "select * from scored_predictions where run_id = ?", [run["run_id"]])
        targets = [pair["target_application"] for pair in pairs]
        answers = [pair["counted_application"] for pair in pairs]
        labels = sorted({*targets, *answers} - {"no answer"})
        precision, recall, f1, support = precision_recall_fscore_support(targets, answers, labels=labels, zero_division=math.nan)
        scores = {row["application"]: row for row in rows_of(connection, "select * from application_scores where run_id = ?", [run["run_id"]])}
        for number, label in enumerate(labels):
            row = scores[label]
            for mine, theirs in ((row["precision"], precision[number]), (row["recall"], recall[number]), (row["f1"], f1[number])):
                assert (mine is None and math.isnan(theirs)) or mine == pytest.approx(theirs, abs=1e-9)
            assert row["support"] == support[number]
        categories = sorted({pair["counted_category"] for pair in pairs} | {pair["target_category"] for pair in pairs})
        matrix = confusion_matrix(
            [pair["target_category"] for pair in pairs], [pair["counted_category"] for pair in pairs], labels=categories, normalize="true"
        )
        shares = rows_of(connection, "select * from category_confusion where run_id = ?", [run["run_id"]])
        for row in shares:
            theirs = matrix[categories.index(row["target_category"])][categories.index(row["answered_category"])]
            assert row["share"] == pytest.approx(theirs, abs=1e-9)
        assert sum(row["tasks"] for row in shares) == len(pairs)


def test_errors_are_within_or_across_categories(scored: DataFolder) -> None:
    connection = connect(scored.warehouse)
    for row in rows_of(connection, "select * from error_decomposition"):
        wrong = rows_of(
            connection,
            "select counted_category = target_category as intra from scored_predictions where run_id = ? and not is_correct and predicted_application is not null",
            [row["run_id"]],
        )
        assert row["wrong_answers"] == len(wrong)
        assert row["pi_intra"] == pytest.approx(sum(entry["intra"] for entry in wrong) / len(wrong))
        assert row["pi_intra"] + row["pi_cross"] == pytest.approx(1)


def test_random_agrees_with_chance(scored: DataFolder, catalog: Catalog) -> None:
    """Over many seeds, so that the test is sharp: accuracy is the mean share of valid applications, within three standard errors."""
    dataset = open_dataset("tiny", scored)
    tasks = scored_tasks(dataset, "all")
    chances = [len(task.valid_applications) / len(dataset.candidates) for task in tasks]
    correct, draws = 0, 0
    for seed in range(40):
        answers = RandomSelector(list(dataset.candidates), seed).select(tasks)
        correct += sum(answer.application in task.valid_applications for answer, task in zip(answers, tasks, strict=True))
        draws += len(tasks)
    chance = sum(chances) / len(chances)
    error = math.sqrt(sum(p * (1 - p) for p in chances) / len(chances) / draws)
    assert abs(correct / draws - chance) < 3 * error


def test_a_larger_limit_extends_a_run(scored: DataFolder, tmp_path: Path) -> None:
    shutil.copytree(scored.root, tmp_path / "copy", symlinks=True)
    data = DataFolder(tmp_path / "copy")
    shutil.rmtree(data.runs)
    (short,) = evaluate_selection("tiny", ["random"], data, limit=120, split="all").runs
    before = pq.read_table(data.runs / short.run_id / "predictions")
    (long,) = evaluate_selection("tiny", ["random"], data, limit=550, split="all").runs
    after = pq.read_table(data.runs / long.run_id / "predictions").sort_by("position")
    assert short.run_id == long.run_id and (before.num_rows, after.num_rows) == (120, 550)
    assert after.slice(0, 120)["predicted_application"] == before["predicted_application"]
    kept = {path: path.stat().st_mtime_ns for path in (data.runs / long.run_id / "predictions").iterdir()}
    evaluate_selection("tiny", ["random"], data, limit=550, split="all")
    assert kept == {path: path.stat().st_mtime_ns for path in (data.runs / long.run_id / "predictions").iterdir()}


def test_unknown_names_are_said_with_what_there_is(scored: DataFolder) -> None:
    with pytest.raises(BadInput, match="no dataset 'tinny'; did you mean 'tiny'.*deskmill build"):
        evaluate_selection("tinny", ["random"], scored)
    with pytest.raises(BadInput, match="no protocol 'hueristic'; did you mean 'heuristic'"):
        evaluate_selection("tiny", ["hueristic"], scored)
    with pytest.raises(BadInput, match="no embedder 'nothing'"):
        evaluate_selection("tiny", ["nearest"], scored, embedder="nothing")


LEXICONS = {
    "excel": Lexicon(names=("excel",), words=("column", "sum"), phrases=("pivot table",)),
    "word": Lexicon(names=("ms word",), words=("heading", "column")),
}


def test_the_heuristic_weighs_what_points_to_fewer_applications_more() -> None:
    selector = HeuristicSelector(LEXICONS, ["excel", "word"])
    assert selector.scores("sum up the columns") == {"excel": 1.5, "word": 0.5}
    assert selector.scores("a pivot table") == {"excel": 2.0}
    assert [answer.status for answer in selector.select([task("sum it"), task("nothing known")])] == ["answered", "empty"]
    assert next(selector.select([task("headings and sums in MS Word")])).application == "word"


def test_every_application_has_a_lexicon_and_names_itself(catalog: Catalog) -> None:
    lexicons = read_lexicons()
    assert set(lexicons) == {name for entry in catalog.candidates.values() for name in entry.applications}
    assert all(len(lexicon.words) >= 8 and lexicon.names for lexicon in lexicons.values())


def test_lexicons_hold_no_phrasing_of_the_catalog(catalog: Catalog) -> None:
    phrasings = {phrasing.lower().rstrip(".?!") for task in catalog.tasks.values() for phrasing in task.say}
    for lexicon in read_lexicons().values():
        assert not phrasings & {*lexicon.words, *lexicon.phrases}


@pytest.mark.rotates(of="selectors that read all cards or tasks", number=2)
@pytest.mark.slow
def test_the_nearest_card_is_found_without_a_network(scored: DataFolder) -> None:
    (run,) = evaluate_selection("tiny", ["nearest"], scored, limit=200, split="all").runs
    connection = connect(scored.warehouse)
    (row,) = rows_of(connection, "select * from accuracy where run_id = ?", [run.run_id])
    assert row["model"] == "all-MiniLM-L6-v2" and row["tasks"] == 200
    assert row["accuracy"] > 5 * row["chance"]


def test_what_learns_from_tasks_meets_none_that_is_scored(scored: DataFolder) -> None:
    with pytest.raises(BadInput, match=r"scored on \d+ tasks that say what its examples say.*--split test.*--pool"):
        evaluate_selection("tiny", ["knn"], scored, limit=100, split="all")


def test_a_planted_atomic_task_is_found(scored: DataFolder, catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    planted = scored_tasks(open_dataset("tiny", scored), "test")[3]
    monkeypatch.setattr(RandomSelector, "learnt_from", frozenset(sorted(planted.lineage)[:1]))
    with pytest.raises(BadInput, match=f"such as {planted.task_id}"):
        evaluate_selection("tiny", ["random"], scored, seed=99)


def test_a_pool_of_another_dataset_is_held_against_the_test_rows_by_what_its_texts_say(tiny: DataFolder, catalog: Catalog, tmp_path: Path) -> None:
    """The other dataset's train rows say an atomic task or a goal that is scored here, in compositions, texts and under ids of their own."""
    data = copy_of(tiny, tmp_path / "data")
    said = [row for row in pq.read_table(data.labels / "tiny" / "data" / "test-00000-of-00001.parquet").to_pylist() if row["said_tasks"]]
    other = {"text": "Other words.", "split": "train", "task_id": "0" * 16, "composition_id": "1" * 16}
    step = {**other, "says_goal": False, "said_tasks": said[0]["said_tasks"][:1]}
    goal = {**other, "says_goal": True, "workflow": "of_other_tasks", "said_tasks": ["excel.of_another_catalog"]}
    scored = scored_tasks(open_dataset("tiny", data), "test")
    scored_goal = replace(scored[0], lineage=frozenset({"goal of of_other_tasks", "excel.sum_column"}))
    for planted, tasks in ((step, scored), (goal, [scored_goal])):
        write_rows(data.labels / "tiny" / "data" / "train-00000-of-00001.parquet", "user_tasks", [said[0] | planted])
        dataset = open_dataset("tiny", data)
        pool = read_pool(SelectorOptions(dataset.candidates, dataset, data.vectors))
        selector = RandomSelector(["excel"], 0)
        refuse_known(selector, tasks, "random")
        selector.learnt_from = pool.lineage
        with pytest.raises(BadInput, match=r"that say what its examples say, such as \w{16} \("):
            refuse_known(selector, tasks, "random")


def test_mixed_rows_are_neither_scored_nor_learnt_from(tiny: DataFolder, catalog: Catalog, tmp_path: Path) -> None:
    data = copy_of(tiny, tmp_path / "data")
    folder = data.labels / "tiny" / "data"
    rows = pq.read_table(folder / "test-00000-of-00001.parquet").to_pylist()
    write_rows(folder / "test-00000-of-00001.parquet", "user_tasks", rows[1:])
    write_rows(folder / "mixed-00000-of-00001.parquet", "user_tasks", [rows[0] | {"split": "mixed"}])
    dataset = open_dataset("tiny", data)
    assert len(scored_tasks(dataset, "all", "all")) == 599
    for split in ("all", "train", "dev", "test"):
        assert rows[0]["task_id"] not in {task.task_id for task in scored_tasks(dataset, split, "all")}


@pytest.mark.rotates(of="selectors that read all cards or tasks", number=2)
@pytest.mark.slow
def test_selectors_that_learn_from_the_train_split_do_better_than_chance(scored: DataFolder) -> None:
    runs = evaluate_selection("tiny", ["knn", "linear"], scored).runs
    connection = connect(scored.warehouse)
    for run in runs:
        (row,) = rows_of(connection, "select * from accuracy where run_id = ?", [run.run_id])
        assert row["accuracy"] > 4 * row["chance"] and row["answered"] == row["tasks"]
    assert len(list(scored.vectors.glob("*.npy"))) == 1


@pytest.mark.rotates(of="selectors that read all cards or tasks", number=2)
@pytest.mark.slow
@pytest.mark.parametrize("protocol", ["nearest", "ras"])
def test_another_text_of_a_card_is_another_run(tiny: DataFolder, catalog: Catalog, tmp_path: Path, protocol: str) -> None:
    """`nearest` had the same run id before and after a card was rewritten, so old answers stood for the new cards."""
    dataset = open_dataset("tiny", tiny)
    excel = catalog.applications["excel"]
    rewritten = replace(catalog, applications={**catalog.applications, "excel": excel.model_copy(update={"description": "Another text."})})
    renamed = replace(catalog, applications={**catalog.applications, "excel": excel.model_copy(update={"vendor": "On no card"})})
    with Client(Endpoint("some", "http://localhost:1"), tmp_path / "calls.sqlite", "a test", mode="replay") as client:
        options = SelectorOptions(dataset.candidates, dataset, tiny.vectors, Choices(cards=3), client=client)
        runs = [describe(dataset, protocol, make_selector(protocol, now, options), options) for now in (catalog, rewritten, renamed)]
    assert runs[0] == runs[2] != runs[1]
