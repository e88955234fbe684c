"""Protects comparisons of runs in a warehouse: the same tasks or a refusal, what a query says of pairs, and the view of consistent confusions."""

import csv
import io
import json
import re
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from reports.comparison import Comparison, compare_runs, comparison_rows, holm, paired_difference, rendered_comparison
from reports.questions import ask
from warehouse.empty import SQL_ROOT
from warehouse.errors import WarehouseError
from warehouse.query import rows_of


def warehouse() -> duckdb.DuckDBPyConnection:
    """A warehouse in memory with two datasets of six tasks in three compositions; any column may be null, so that rows say only what is read."""
    connection = duckdb.connect()
    connection.execute((SQL_ROOT / "schema.sql").read_text().replace(" not null", ""))
    connection.execute((SQL_ROOT / "macros.sql").read_text())
    for dataset in ("one", "two"):
        insert(connection, "datasets", dataset_id=f"id-{dataset}", dataset=dataset)
        for number in range(6):
            if number % 2 == 0:
                connection.execute("insert or ignore into compositions values (?, 'single', null, ['excel.sum'])", [f"composition-{number // 2}"])
            insert(
                connection,
                "user_tasks",
                text="sum it up",
                dropped_steps=[],
                dataset_id=f"id-{dataset}",
                task_id=f"task-{number}",
                composition_id=f"composition-{number // 2}",
                target_application="excel",
                valid_applications=["excel"],
                category="Office",
                shape="singleton",
            )
    return connection


def derived(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """The warehouse with all that the loader derives from its rows, as they are now."""
    for path in sorted((SQL_ROOT / "views").glob("*.sql")):
        connection.execute(re.sub(r"^create ", "create or replace ", path.read_text(), flags=re.MULTILINE))
    return connection


def compared(connection: duckdb.DuckDBPyConnection, names: Sequence[str]) -> Comparison:
    return compare_runs(derived(connection), names)


def insert(connection: duckdb.DuckDBPyConnection, table: str, **values: Any) -> None:
    connection.execute(f"insert into {table} ({', '.join(values)}) values ({', '.join('?' * len(values))})", list(values.values()))


def add_run(connection: duckdb.DuckDBPyConnection, run_id: str, answers: Sequence[str | None], **changed: str) -> None:
    """A run that gave these answers to the first tasks; '-' is for a task that does not apply, None for no answer."""
    run = {"dataset": "one", "protocol": "zero_shot", "model": run_id, "split": "test", "answer_kind": "application"} | changed
    insert(connection, "runs", run_id=run_id, dataset_id=f"id-{run['dataset']}", candidates=["excel", "word", "paint"], **run)
    for number, answer in enumerate(answers):
        insert(
            connection,
            "predictions",
            run_id=run_id,
            task_id=f"task-{number}",
            predicted_application=None if answer == "-" else answer,
            status={"-": "not_applicable", None: "refused"}.get(answer, "answered"),
            is_correct=None if answer == "-" else answer == "excel",
        )


def planted() -> duckdb.DuckDBPyConnection:
    """Three runs over the same five tasks that apply, one over fewer, one of another dataset, and one to which no task applies."""
    connection = warehouse()
    add_run(connection, "aa11", ["excel", "excel", "excel", "word", None, "-"])
    add_run(connection, "aa22", ["excel", "word", "excel", "excel", "word", "-"])
    add_run(connection, "bb33", ["word", "word", "word", "word", "excel", "-"])
    add_run(connection, "cc44", ["excel", "excel", "excel"])
    add_run(connection, "dd55", ["excel", "excel", "excel", "word", "excel", "-"], dataset="two")
    add_run(connection, "ee66", ["-", "-"])
    return connection


def test_every_two_runs_are_compared_over_the_tasks_that_apply() -> None:
    connection = planted()
    comparison = compared(connection, ["bb33", "aa11", "aa2"])
    assert [run["run_id"] for run in comparison.runs] == ["bb33", "aa11", "aa22"]
    rows = comparison_rows(comparison)
    assert [(row["run_a"], row["run_b"]) for row in rows] == [("bb33", "aa11"), ("bb33", "aa22"), ("aa11", "aa22")]
    shown = [(row["tasks"], row["compositions"], row["accuracy_a"], row["accuracy_b"], row["only_a_right"], row["only_b_right"]) for row in rows]
    assert shown == [(5, 3, 0.2, 0.6, 1, 3), (5, 3, 0.2, 0.6, 1, 3), (5, 3, 0.6, 0.6, 1, 1)]
    for row in rows:
        for side in "ab":
            accuracy = rows_of(connection, "select accuracy from accuracy where run_id = ?", [row[f"run_{side}"]])
            assert accuracy == [{"accuracy": row[f"accuracy_{side}"]}]
    assert [row["p_holm"] for row in rows] == pytest.approx(holm([row["p_clustered"] for row in rows]))
    assert rows[0]["p_holm"] > rows[0]["p_clustered"]


def test_the_comparison_comes_in_three_shapes() -> None:
    comparison = compared(planted(), ["aa11", "aa22", "bb33"])
    table = rendered_comparison(comparison, "table")
    assert "5 tasks of 3 compositions, dataset one" in table and table.count("(3 rows)") == 2 and "smallest_difference" in table
    rows = json.loads(rendered_comparison(comparison, "json"))
    assert rows == comparison_rows(comparison)
    read = list(csv.DictReader(io.StringIO(rendered_comparison(comparison, "csv"))))
    assert [row["model_b"] for row in read] == ["aa22", "bb33", "bb33"] and list(read[0]) == list(rows[0])


def test_what_cannot_be_said_stands_below_the_table() -> None:
    connection = planted()
    add_run(connection, "ff77", ["excel", "excel", "excel", "word", "paint", "-"])
    assert "aa11 and ff77: both are right on exactly the same tasks" in rendered_comparison(compared(connection, ["aa11", "ff77"]), "table")


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["aa11"], r"needs two runs or more; the runs are:\n(.*\n)+aa11 +one +zero_shot +aa11"),
        (["aa11", "aa"], r"the ids of 2 runs begin with 'aa'(.*\n)+aa11(.*\n)aa22"),
        (["aa11", "cc45"], r"no run 'cc45' \(did you mean 'cc44'\?\); the runs are:\n(.*\n)+dd55 +two"),
        (["aa11", ""], "no run ''"),
        (["aa1", "bb33", "aa11"], "'aa1' and 'aa11' are the same run, aa11"),
        (["aa11", "dd55"], r"different datasets(.*) same dataset, --split and --limit(.*\n)+aa11 +one(.*\n)dd55 +two"),
        (["aa11", "cc44"], r"aa11 has 5 \(split test\), cc44 has 3 \(split test\), and 3 are in all of them; run `deskmill select`"),
        (["aa11", "ee66"], "no single task is scored in run ee66"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_words(names: list[str], message: str) -> None:
    with pytest.raises(WarehouseError, match=message):
        compared(planted(), names)


def test_a_whole_id_is_meant_even_where_it_begins_another() -> None:
    connection = planted()
    add_run(connection, "aa1122", ["excel"] * 5)
    assert [run["run_id"] for run in compared(connection, ["aa11", "aa22"]).runs] == ["aa11", "aa22"]


def pairs_by_query(connection: duckdb.DuckDBPyConnection, run_ids: Sequence[str]) -> list[dict[str, Any]]:
    return ask(derived(connection), "pairs", runs=" ".join(run_ids)).rows


def random_runs(seed: int, runs: int, tasks: int) -> duckdb.DuckDBPyConnection:
    """Runs over tasks of compositions of several sizes, each run with a chance of its own to be right on a whole composition."""
    chance = np.random.default_rng(seed)
    connection = warehouse()
    compositions = chance.integers(0, tasks // 3, tasks)
    for composition in set(compositions.tolist()):
        insert(connection, "compositions", composition_id=f"of-{composition}", composition_kind="single", atomic_tasks=["excel.sum"])
    for number in range(6, tasks):
        values = {"task_id": f"task-{number}", "composition_id": f"of-{compositions[number]}"}
        insert(connection, "user_tasks", text="sum it up", dropped_steps=[], dataset_id="id-one", target_application="excel",
               valid_applications=["excel"], category="Office", shape="singleton", **values)  # fmt: skip
    for run, skill in enumerate(chance.uniform(0.3, 0.7, runs)):
        knows = chance.random(tasks) < skill
        add_run(
            connection,
            f"run-{run}",
            ["excel" if (knows[place] if chance.random() < 0.8 else chance.random() < skill) else "word" for place in compositions],
        )
    return connection


def hold_query_against_comparison(connection: duckdb.DuckDBPyConnection, run_ids: Sequence[str]) -> None:
    """All but the interval, which is the normal one in the query and a bootstrap's in the comparison."""
    expected = comparison_rows(compared(connection, run_ids))
    for row, other in zip(pairs_by_query(connection, run_ids), expected, strict=True):
        for name in row.keys() & other.keys() - {"difference_low", "difference_high"}:
            assert row[name] == (pytest.approx(other[name], rel=1e-6, abs=1e-300) if isinstance(other[name], float) else other[name]), name
        assert (row["difference_low"] is None) == (other["difference_low"] is None)
        if other["difference_low"] is not None:
            reach = (row["difference_high"] - row["difference_low"]) / 2
            assert [row["difference_low"], row["difference_high"]] == pytest.approx(
                [other["difference_low"], other["difference_high"]], abs=reach / 4
            )


@pytest.mark.rotates
@pytest.mark.parametrize(("seed", "runs", "tasks"), [(0, 2, 90), (1, 5, 120), (2, 3, 400)])
def test_the_query_of_pairs_says_what_the_comparison_says(seed: int, runs: int, tasks: int) -> None:
    hold_query_against_comparison(random_runs(seed, runs, tasks), [f"run-{run}" for run in range(runs)])


ANSWERS = st.tuples(st.integers(0, 4), st.lists(st.booleans(), min_size=5, max_size=5))  # composition, and which of five runs is right


@settings(max_examples=10, deadline=None)
@given(st.lists(ANSWERS, min_size=1, max_size=60))
def test_mcnemars_tests_and_holms_correction_in_sql_are_those_of_the_comparison(answers: list[tuple[int, list[bool]]]) -> None:
    """Exact and clustered tests (with the chi-squared tail that stands for erfc in SQL) and the correction, over any tables."""
    told = [(f"run-{run}", f"t{task}", f"c{where}", right) for task, (where, rights) in enumerate(answers) for run, right in enumerate(rights)]
    connection = duckdb.connect()
    connection.register("scored_predictions", pd.DataFrame(told, columns=["run_id", "task_id", "composition_id", "is_correct"]))
    accuracy = "select run_id, 'p' as protocol, 'm' as model, avg(is_correct::int) as accuracy, 0.0 as accuracy_low, 1.0 as accuracy_high"
    connection.execute(f"create table accuracy as {accuracy} from scored_predictions group by run_id")
    places = np.unique([where for where, _ in answers], return_inverse=True)[1]
    right = np.array([rights for _, rights in answers])

    def summed(kept: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.bincount(places, weights=kept).astype(np.int64)

    expected = [
        paired_difference(
            np.bincount(places), summed(right[:, a] & right[:, b]), summed(right[:, a] & ~right[:, b]), summed(~right[:, a] & right[:, b])
        )
        for a, b in combinations(range(5), 2)
    ]
    corrected = holm([pair.p_clustered for pair in expected])
    for row, pair, p_holm in zip(ask(connection, "pairs", runs=" ".join(f"run-{run}" for run in range(5))).rows, expected, corrected, strict=True):
        assert row["p_exact"] == pytest.approx(pair.p_exact, rel=1e-9)
        for name, value in (("p_clustered", pair.p_clustered), ("p_holm", p_holm), ("smallest_difference", pair.smallest_difference)):
            assert row[name] == (None if value is None else pytest.approx(value, rel=2e-6)), name


def test_the_query_of_pairs_makes_up_no_interval() -> None:
    connection = planted()
    add_run(connection, "ff77", ["excel", "excel", "excel", "word", "paint", "-"])
    hold_query_against_comparison(connection, ["aa11", "ff77"])
    [row] = pairs_by_query(connection, ["aa11", "ff77"])
    assert (row["difference"], row["p_exact"], row["p_clustered"], row["p_holm"]) == (0, 1, 1, 1)
    assert row["difference_low"] is row["difference_high"] is row["smallest_difference"] is None


def test_the_query_of_pairs_says_nothing_of_one_composition() -> None:
    connection = warehouse()
    add_run(connection, "one", ["excel", "word"])
    add_run(connection, "two", ["word", "word"])
    hold_query_against_comparison(connection, ["one", "two"])
    [row] = pairs_by_query(connection, ["one", "two"])
    assert (row["difference"], row["p_clustered"], row["p_holm"], row["smallest_difference"]) == (0.5, None, None, None)


def confusions(connection: duckdb.DuckDBPyConnection) -> list[dict[str, Any]]:
    return rows_of(derived(connection), "select * from consistent_confusions")


def test_confusions_are_consistent_from_three_models_on() -> None:
    connection = warehouse()
    add_run(connection, "run-1", ["word", "word", "paint", None], model="b")
    add_run(connection, "run-2", ["word", "excel", "paint"], model="a")
    add_run(connection, "run-3", ["excel", None, "paint", "word"], model="a", protocol="few_shot")
    assert confusions(connection) == [], "two models in three runs are two models"
    add_run(connection, "run-4", ["word", "word", "paint", "-"], model="random", protocol="random")
    add_run(connection, "run-5", ["word", "word", "word"], model="d", dataset="two")
    assert confusions(connection) == [], "neither chance nor another dataset is a third model"
    add_run(connection, "run-6", ["excel", "word", "excel", None], model="lexicons", protocol="heuristic")
    assert confusions(connection) == [  # and having no answer, as three models have, is no confusion
        {
            "dataset_id": "id-one",
            "dataset": "one",
            "target_application": "excel",
            "predicted_application": "word",
            "models": 3,
            "runs": 4,
            "tasks": 5,
            "distinct_tasks": 3,
            "model_names": ["a", "b", "lexicons"],
        }
    ]
