"""Protects the views that score sets, graphs and retrieval: no answer leaves a denominator, and only runs of their kind are scored."""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any

import duckdb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.warehouse.intervals import interval
from warehouse.query import rows_of

Row = dict[str, Any]
SQL = Path("warehouse/sql")
READ_BY = {"retrieval_recall": ("scored_tasks", "scored_rows")}  # what else is made at each load, for a view to read
RUNS = """
    insert into runs by name select kind as run_id, 'd1' as dataset_id, 'demo' as dataset, 'zero_shot' as protocol, 'm' as model, kind as answer_kind,
        ['a', 'b', 'c'] as candidates, '2026-01-01' as started_at from unnest(['application', 'set', 'graph']) as kinds(kind)
"""


@cache
def tables() -> duckdb.DuckDBPyConnection:
    """The tables, which here take rows that state only what the views read, with one run of each kind."""
    connection = duckdb.connect()
    for path in (SQL / "schema.sql", SQL / "macros.sql"):
        connection.execute(path.read_text().replace(" not null", ""))
    connection.execute(RUNS)
    return connection


def scores(view: str, kind: str, tasks: Sequence[Row]) -> list[Row]:
    """What a view says of the run of that kind over tasks that state what differs from an answered singleton of a composition of its own."""
    connection = tables()
    for table in ("user_tasks", "predictions"):
        connection.execute(f"delete from {table}")
        columns = {column[0] for column in connection.execute(f"from {table}").description}
        for number, task in enumerate(tasks):
            row = {"task_id": str(number), "composition_id": str(number), "run_id": kind, "dataset_id": "d1", "shape": "singleton", "edges": []}
            row |= {"status": "answered", "valid_applications": [], "predicted_applications": [], "retrieved": [], **task}
            stated = {name: value for name, value in row.items() if name in columns}
            marks = ", ".join("?" * len(stated))
            connection.execute(f"insert into {table} ({', '.join(stated)}) values ({marks})", list(stated.values()))
    for name in (*READ_BY.get(view, ()), view):
        (path,) = SQL.glob(f"views/???_{name}.sql")
        connection.execute(re.sub(r"^create ", "create or replace ", path.read_text(), flags=re.MULTILINE))  # made anew of these rows
    return rows_of(connection, f"from {view}")


SETS = st.lists(st.sampled_from("abc"), unique=True)
SET_TASKS = st.lists(st.tuples(SETS, SETS.filter(bool), st.sampled_from(["answered", "failed", "not_applicable"])), min_size=1, max_size=12)


@settings(max_examples=40, deadline=None)
@given(SET_TASKS)
def test_set_scores_are_means_over_all_tasks_that_apply(tasks: list[tuple[list[str], list[str], str]]) -> None:
    stated = [
        {"predicted_applications": answer if status == "answered" else [], "valid_applications": valid + ["not_a_candidate"], "status": status}
        for answer, valid, status in tasks
    ]
    applying = [(set(answer if status == "answered" else ()), set(valid)) for answer, valid, status in tasks if status != "not_applicable"]
    rows = scores("set_scores", "set", [*stated, {"shape": "parallel", "valid_applications": ["a"]}])
    assert len(rows) == bool(applying)
    for row in rows:
        f1 = [2 * len(answer & valid) / (len(answer) + len(valid)) for answer, valid in applying]
        assert row["tasks"] == len(applying)
        assert row["mean_precision"] == pytest.approx(fmean(len(answer & valid) / max(1, len(answer)) for answer, valid in applying))
        assert row["mean_recall"] == pytest.approx(fmean(len(answer & valid) / len(valid) for answer, valid in applying))
        assert row["mean_f1"] == pytest.approx(fmean(f1))
        assert row["exact_share"] == pytest.approx(fmean(answer == valid for answer, valid in applying))
        assert row["mean_set_size"] == pytest.approx(fmean(len(answer) for answer, _ in applying))
        assert row["mean_valid_size"] == pytest.approx(fmean(len(valid) for _, valid in applying))
        low, high = interval(f1, np.ones(len(f1)), np.arange(len(f1)))
        assert (row["mean_f1_low"], row["mean_f1_high"]) == pytest.approx((low, high), abs=0.01)


@pytest.mark.parametrize("view, kind", [("set_scores", "set"), ("graph_scores", "graph"), ("retrieval_recall", "application")])
def test_tasks_that_only_repeat_a_composition_narrow_no_interval(view: str, kind: str) -> None:
    tasks = [
        {"composition_id": str(n), "valid_applications": ["a"], "predicted_applications": ["ab"[n % 2], "c"][: n + 1], "retrieved": ["ab"[n % 3 == 0]],
         "node_precision": n / 9, "node_recall": n / 10, "node_f1": n / 8, "edge_f1": n / 11, "kendall_tau": n / 4 - 1, "is_exact": n % 3 == 0}
        for n in range(8)
    ]  # fmt: skip
    once, thrice = scores(view, kind, tasks), scores(view, kind, tasks * 3)
    ends = [name for name in once[0] if name.endswith(("_low", "_high"))]
    assert len(ends) >= 2 and len(once) == len(thrice)
    for before, after in zip(once, thrice, strict=True):
        assert after["tasks"] == 3 * before["tasks"] and all(-1 < before[name] < 1 for name in ends)
        for name in ends:
            assert after[name] <= before[name] if name.endswith("_low") else after[name] >= before[name], name


def test_graph_scores_count_failed_answers_as_nothing_and_tau_where_it_is_defined() -> None:
    edge = [{"source": 0, "target": 1}]
    right: Row = {"node_precision": 1.0, "node_recall": 1.0, "node_f1": 1.0, "is_exact": True}
    tasks: list[Row] = [
        {"shape": "sequential", "edges": edge, "edge_f1": 1.0, "kendall_tau": 1.0, **right},
        {"shape": "sequential", "edges": edge, "edge_f1": 0.0, "kendall_tau": -1.0, **right, "is_exact": False},
        {"shape": "sequential", "edges": edge, "status": "failed"},
        {"shape": "sequential", "edges": edge, "status": "not_applicable"},
        {"shape": "parallel", "edge_f1": None, **right},
        {"shape": "parallel", "status": "failed"},
        {"shape": "singleton", "edge_f1": 0.0, "node_precision": 0.5, "node_recall": 1.0, "node_f1": 2 / 3, "is_exact": False},
    ]
    rows = {row["shape"]: row for row in scores("graph_scores", "graph", tasks)}
    names = ("tasks", "node_precision", "node_recall", "node_f1", "edge_f1", "exact_share", "kendall_tau", "chains")
    third = pytest.approx(1 / 3)
    assert [rows["sequential"][name] for name in names] == [3, pytest.approx(2 / 3), pytest.approx(2 / 3), pytest.approx(2 / 3), third, third, 0, 2]
    assert [rows["parallel"][name] for name in names] == [2, 0.5, 0.5, 0.5, None, 0.5, None, 0]
    assert [rows["singleton"][name] for name in names] == [1, 0.5, 1, pytest.approx(2 / 3), 0, 0, None, 0]
    assert [rows["all"][name] for name in names] == pytest.approx([6, 3.5 / 6, 4 / 6, (3 + 2 / 3) / 6, 0.25, 2 / 6, 0, 2])
    assert rows["singleton"]["node_f1_low"] < 0.01 and rows["sequential"]["exact_low"] < 1 / 3 < rows["sequential"]["exact_high"]


def test_retrieval_recall_counts_tasks_whose_first_cards_hold_a_valid_application() -> None:
    cards = ["x", "a", "y", "z", "b", "v", "w"]
    tasks: list[Row] = [{"retrieved": cards, "valid_applications": valid} for valid in (["x"], ["a", "w"], ["b"], ["u"])]
    tasks += [{"retrieved": cards, "valid_applications": ["x"], "status": "failed"}]
    left_out: list[Row] = [{"valid_applications": ["x"]}, {"retrieved": cards, "status": "not_applicable"}, {"retrieved": cards, "shape": "parallel"}]
    rows = scores("retrieval_recall", "application", tasks + left_out)
    assert [(row["k"], row["tasks"], row["recall"]) for row in rows] == [(1, 5, 0.4), (3, 5, 0.6), (5, 5, 0.8), (7, 5, 0.8)]
    assert all(row["recall_low"] < row["recall"] < row["recall_high"] for row in rows)


def test_only_runs_of_their_kind_are_scored() -> None:
    task = {"valid_applications": ["a"], "predicted_applications": ["a"]}
    assert scores("set_scores", "application", [task]) == scores("graph_scores", "set", [task]) == scores("retrieval_recall", "set", [task]) == []
