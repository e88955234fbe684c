"""Protects the views of the analysis: their figures are those of pandas and scikit-learn, their intervals are sound, and with little or nothing to show they say nothing wrong."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from tests.bench_warehouse import STATUSES, analysis_names, names, synthetic_dataset, synthetic_runs, write_run
from tests.warehouse.intervals import ends, interval
from tests.warehouse.reference import answers_by_pandas, hold_against_reference
from warehouse.layout import DataFolder
from warehouse.loader import load_warehouse
from warehouse.query import connect, rows_of

LANGUAGE_MODELS = 9
FAILED = tuple(float(status == "failed") for status in STATUSES)
ANSWERED = tuple(float(status == "answered") for status in STATUSES)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> DataFolder:
    """5,000 predictions of twelve runs over 500 tasks."""
    folder = DataFolder(tmp_path_factory.mktemp("analysis"))
    synthetic_runs(synthetic_dataset(folder, 500), 5000)
    load_warehouse(folder)
    return folder


@pytest.fixture
def connection(data: DataFolder) -> Iterator[duckdb.DuckDBPyConnection]:
    with connect(data.warehouse) as opened:
        yield opened


def small(folder: Path, tasks: int = 60, name: str = "few") -> Any:
    return synthetic_dataset(DataFolder(folder), tasks, name)


def asked(data: DataFolder, query: str) -> list[dict[str, Any]]:
    load_warehouse(data)
    with connect(data.warehouse) as opened:
        for name in analysis_names(opened):
            rows_of(opened, f"from {name}")
        return rows_of(opened, query)


def test_figures_are_those_of_pandas_and_scikit_learn(data: DataFolder, connection: duckdb.DuckDBPyConnection) -> None:
    hold_against_reference(connection, answers_by_pandas(data))


def test_a_wrong_figure_would_be_noticed(data: DataFolder, connection: duckdb.DuckDBPyConnection) -> None:
    answers = answers_by_pandas(data)
    answers.loc[answers.index[:1], "is_correct"] = ~answers["is_correct"].iloc[:1]
    with pytest.raises(AssertionError):
        hold_against_reference(connection, answers)


def test_intervals_take_compositions_as_clusters(data: DataFolder, connection: duckdb.DuckDBPyConnection) -> None:
    answers = answers_by_pandas(data)
    run = answers[answers["run_id"] == "synthetic_run_03"]
    clusters, ones, right = run["composition_id"].to_numpy(), np.ones(len(run)), run["is_correct"].to_numpy().astype(float)

    def held(query: str, found: Any, of: Any) -> None:
        row = list(rows_of(connection, query)[0].values())
        assert row == pytest.approx([found.sum() / of.sum(), *interval(found, of, clusters)], abs=1e-6), query

    where = "where run_id = 'synthetic_run_03'"
    held(f"select accuracy, accuracy_low, accuracy_high from accuracy {where}", right, ones)
    polite = (run["style"] == "polite").to_numpy().astype(float)
    of_style = f"select accuracy, accuracy_low, accuracy_high from accuracy_by_slice {where} and slice = 'style' and value = 'polite'"
    held(of_style, right * polite, polite)
    target = (run["category"] == "category 01").to_numpy()
    taken_for = run["counted_category"][target & (run["counted_category"] != "category 01")].mode()[0]
    cell = target & (run["counted_category"] == taken_for).to_numpy()
    of_cell = f"select share, share_low, share_high from category_confusion {where} and target_category = 'category 01' and answered_category = '{taken_for}'"
    held(of_cell, cell.astype(float), target.astype(float))
    wrong = (~run["is_correct"] & run["predicted_application"].notna()).to_numpy()
    within = wrong & (run["counted_category"] == run["category"]).to_numpy()
    held(f"select pi_intra, pi_intra_low, pi_intra_high from error_decomposition {where}", within.astype(float), wrong.astype(float))


def test_precision_recall_and_f1_have_intervals(data: DataFolder, connection: duckdb.DuckDBPyConnection) -> None:
    answers = answers_by_pandas(data)
    run = answers[answers["run_id"] == "synthetic_run_03"]
    clusters = run["composition_id"].to_numpy()
    for row in rows_of(connection, "from application_scores where run_id = 'synthetic_run_03' and hits > 0 order by support desc limit 8"):
        target, answer = (run["application"] == row["application"]).to_numpy(), (run["counted"] == row["application"]).to_numpy()
        hits = (target & answer).astype(float)
        for name, of in (("precision", answer), ("recall", target), ("f1", target | answer)):
            low, high = interval(hits, of, clusters)
            if name == "f1":
                low, high = 2 * low / (1 + low), 2 * high / (1 + high)
            assert [row[f"{name}_low"], row[f"{name}_high"]] == pytest.approx([low, high], abs=0.002), row
            assert row[f"{name}_low"] <= row[name] <= row[f"{name}_high"]


def test_the_mean_of_one_run_is_that_run_and_of_several_their_mean(connection: duckdb.DuckDBPyConnection) -> None:
    rows = rows_of(connection, "from accuracy_by_model")
    single = {row["protocol"]: row for row in rows if row["model"] == "lexicons"}
    for name in ("tasks", "accuracy", "accuracy_low", "accuracy_high"):
        assert single["average"][name] == pytest.approx(single["heuristic"][name], abs=1e-9)
    several = [row for row in rows if row["model"] == "phi-4"]
    assert [row["runs"] for row in several] == [1, 1, 1, 3] and several[-1]["protocol"] == "average"
    assert several[-1]["accuracy"] == pytest.approx(np.mean([row["accuracy"] for row in several[:3]]))
    assert several[-1]["accuracy_low"] < several[-1]["accuracy"] < several[-1]["accuracy_high"]


def test_the_error_of_a_mean_over_runs_is_clustered_across_them(data: DataFolder, connection: duckdb.DuckDBPyConnection) -> None:
    answers = answers_by_pandas(data)
    models = answers[answers["run_id"].isin([f"synthetic_run_{number:02}" for number in range(3, 12)]) & (answers["category"] == "category 04")]
    by_run = models.groupby("run_id")["is_correct"]
    accuracy, tasks = by_run.transform("mean"), by_run.transform("size")
    residuals = ((models["is_correct"] - accuracy) / tasks / LANGUAGE_MODELS).groupby(models["composition_id"]).sum()
    mean = by_run.mean().mean()
    sizes = models.groupby("composition_id").size()
    expected = [LANGUAGE_MODELS, len(models), mean, *ends(mean, len(models), (sizes**2).sum(), (residuals**2).sum() * len(models) ** 2)]
    query = "select runs, tasks, accuracy, accuracy_low, accuracy_high from accuracy_by_category_over_models where pooled = 'language models' and category = 'category 04'"
    assert list(rows_of(connection, query)[0].values()) == pytest.approx(expected, abs=1e-6)


def test_the_papers_figures_stand_beside_ours(connection: duckdb.DuckDBPyConnection) -> None:
    query = "select model, protocol, published from accuracy_by_model where published is not null and model in ('random', 'lexicons', 'gpt-5') order by all"
    assert [tuple(row.values()) for row in rows_of(connection, query)] == [
        ("gpt-5", "average", 0.633), ("gpt-5", "few_shot", 0.635), ("gpt-5", "ras", 0.644), ("gpt-5", "zero_shot", 0.62),
        ("lexicons", "average", 0.56), ("lexicons", "heuristic", 0.56), ("random", "average", 0.016), ("random", "random", 0.016),
    ]  # fmt: skip
    assert rows_of(connection, "select pooled, published_pi_intra from error_decomposition_over_models order by pooled") == [
        {"pooled": "all", "published_pi_intra": None},
        {"pooled": "language models", "published_pi_intra": 0.234},
    ]


def test_ties_share_a_place(connection: duckdb.DuckDBPyConnection) -> None:
    rows = rows_of(connection, "from application_scores_over_models where pooled = 'all' and support > 0")
    for row in rows:
        assert row["place_from_top"] == 1 + sum(other["f1"] > row["f1"] for other in rows)
        assert row["place_from_bottom"] == 1 + sum(other["f1"] < row["f1"] for other in rows)


def test_shares_of_statuses_add_up_and_count_what_does_not_apply(connection: duckdb.DuckDBPyConnection) -> None:
    for row in rows_of(connection, "select run_id, sum(share) as share, sum(tasks) as tasks from status_shares group by run_id"):
        predictions = rows_of(connection, "select count(*) as n from predictions where run_id = ?", [row["run_id"]])[0]["n"]
        assert (row["share"], row["tasks"]) == (pytest.approx(1), predictions)
    assert rows_of(connection, "select count(*) as n from status_shares where status = 'not_applicable'")[0]["n"] > 0
    assert rows_of(connection, "select * from status_shares where not (share_low <= share and share <= share_high)") == []


def test_no_run_on_the_front_is_beaten_and_every_other_is(connection: duckdb.DuckDBPyConnection) -> None:
    rows = rows_of(connection, "from cost_and_accuracy")
    for row in rows:
        beaten = any(
            other["accuracy"] >= row["accuracy"] and other["dollars_per_1000"] <= row["dollars_per_1000"]
            and (other["accuracy"] > row["accuracy"] or other["dollars_per_1000"] < row["dollars_per_1000"])
            for other in rows
        )  # fmt: skip
        assert row["is_on_pareto_front"] is not beaten
    assert len({row["is_on_pareto_front"] for row in rows}) == 2


def test_latency_is_that_of_numpy(connection: duckdb.DuckDBPyConnection) -> None:
    for row in rows_of(connection, "from latency"):
        times = [found["latency_ms"] for found in rows_of(connection, "select latency_ms from predictions where run_id = ?", [row["run_id"]])]
        assert [row["mean_ms"], row["median_ms"], row["p90_ms"], row["p99_ms"]] == pytest.approx(
            [np.mean(times), *np.quantile(times, [0.5, 0.9, 0.99])]
        )
        assert row["median_low_ms"] < row["median_ms"] < row["median_high_ms"]


def test_without_any_row_every_view_answers_with_none(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    load_warehouse(data)
    with connect(data.warehouse) as opened:
        assert {"accuracy", "accuracy_by_slice", "scored_predictions", "text_diversity"} < set(analysis_names(opened))
        for name in analysis_names(opened):
            assert rows_of(opened, f"from {name}") == [], name


def test_a_dataset_without_runs_has_no_accuracy(tmp_path: Path) -> None:
    made = small(tmp_path)
    assert asked(made.folder, "from accuracy") == []
    assert asked(made.folder, "select sum(tasks) as n from dataset_composition") == [{"n": 60}]


def test_one_run_stands_alone(tmp_path: Path) -> None:
    made = small(tmp_path)
    write_run(made, "only", "heuristic", "lexicons", 60)
    assert asked(made.folder, "select pooled, runs from application_scores_over_models group by all") == [{"pooled": "all", "runs": 1}]
    assert asked(made.folder, "from consistent_confusions") == []
    assert asked(made.folder, "select is_on_pareto_front as best from cost_and_accuracy") == [{"best": True}]


def test_a_run_where_every_call_failed_is_wrong_throughout_with_an_interval(tmp_path: Path) -> None:
    made = small(tmp_path)
    write_run(made, "failed", "zero_shot", "m", 60, openness="open", statuses=FAILED)
    row = asked(made.folder, "select tasks, accuracy, accuracy_low, accuracy_high, answered, accuracy_of_answered from accuracy")[0]
    assert (row["tasks"], row["accuracy"], row["accuracy_low"], row["answered"], row["accuracy_of_answered"]) == (60, 0, 0, 0, None)
    assert 0.05 < row["accuracy_high"] < 0.25, "60 tasks of fewer compositions"
    assert asked(made.folder, "select wrong_answers, pi_intra, pi_cross, pi_intra_low from error_decomposition") == [
        {"wrong_answers": 0, "pi_intra": None, "pi_cross": None, "pi_intra_low": None}
    ]
    assert asked(made.folder, "select status, share, share_high from status_shares") == [{"status": "failed", "share": 1, "share_high": 1}]
    assert asked(made.folder, "select distinct answered_category, share from category_confusion") == [{"answered_category": "no answer", "share": 1}]
    assert asked(made.folder, "select distinct precision, precision_low, recall from application_scores") == [
        {"precision": None, "precision_low": None, "recall": 0}
    ]
    assert asked(made.folder, "select dollars_per_right_answer as dollars from cost_and_accuracy") == [{"dollars": None}]


def test_a_run_in_progress_has_the_tasks_that_it_got_to(tmp_path: Path) -> None:
    made = small(tmp_path)
    write_run(made, "begun", "random", "random", 25, statuses=ANSWERED)
    write_run(made, "not_begun", "random", "other", 0)
    assert asked(made.folder, "select run_id, tasks from accuracy") == [{"run_id": "begun", "tasks": 25}]
    assert asked(made.folder, "select run_id, wrong_answers > 0 as any_wrong from error_decomposition order by run_id") == [
        {"run_id": "begun", "any_wrong": True},
        {"run_id": "not_begun", "any_wrong": False},
    ]


def test_two_datasets_are_never_pooled(tmp_path: Path) -> None:
    for name, tasks in (("first", 60), ("second", 40)):
        made = small(tmp_path, tasks, name)
        for number in range(3):
            write_run(made, f"{name}_{number}", "zero_shot", f"model {number}", tasks, openness="open", statuses=ANSWERED)
    found = asked(made.folder, "select dataset, pooled, runs, sum(tasks) as tasks from accuracy_by_category_over_models group by all order by all")
    assert [tuple(row.values()) for row in found] == [
        ("first", "all", 3, 180), ("first", "language models", 3, 180), ("second", "all", 3, 120), ("second", "language models", 3, 120),
    ]  # fmt: skip
    assert [
        row["n"] for row in asked(made.folder, "select sum(tasks) as n from category_confusion_over_models group by dataset, pooled order by n")
    ] == [120, 120, 180, 180]


def test_an_application_without_support_has_no_recall_and_no_place(connection: duckdb.DuckDBPyConnection) -> None:
    nobodys = names()[-1]
    row = rows_of(connection, "from application_scores_over_models where application = ? and pooled = 'all'", [nobodys])[0]
    assert (row["support"], row["recall"], row["recall_low"], row["place_from_top"], row["precision"], row["f1"]) == (0, None, None, None, 0, 0)
    assert row["answers"] > 0 and row["f1_high"] > 0
    assert rows_of(connection, "from accuracy_by_application where application = ?", [nobodys]) == []
