"""Protects scores of sets, graphs and retrieval: they equal what brute force gives, and no answer leaves a denominator."""

import random
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations, pairwise, permutations
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import duckdb
import networkx as nx
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eval_flows.selection.graphs import CANDIDATES, Edge, Graph, GraphScore, TrueGraph, score_graph
from warehouse.query import rows_of

Row = dict[str, Any]
VALID = "abcd"
SQL = Path("warehouse/sql")
VIEWS = ("set_scores", "graph_scores", "retrieval_recall")
RUNS = """
    insert into runs by name select kind as run_id, 'd1' as dataset_id, 'demo' as dataset, 'zero_shot' as protocol, 'm' as model, kind as answer_kind,
        ['a', 'b', 'c'] as candidates, '2026-01-01' as started_at from unnest(['application', 'set', 'graph']) as kinds(kind)
"""


@st.composite
def true_graphs(draw: st.DrawFn, most: int = 4) -> TrueGraph:
    """Any directed acyclic graph: edges go up in a shuffled order of the nodes."""
    nodes = draw(st.lists(st.frozensets(st.sampled_from(VALID), min_size=1, max_size=3), min_size=1, max_size=most))
    order = draw(st.permutations(range(len(nodes))))
    edges = draw(st.sets(st.sampled_from(list(combinations(order, 2))))) if len(nodes) > 1 else set()
    return TrueGraph(tuple(nodes), tuple(sorted(edges)))


@st.composite
def predicted_graphs(draw: st.DrawFn, most: int = 5) -> Graph:
    """Any prediction: applications that fit nowhere, repeats, cycles, and edges that are none."""
    nodes = draw(st.lists(st.sampled_from(VALID + "x"), max_size=most))
    numbers = st.integers(-1, len(nodes))
    edges = draw(st.lists(st.tuples(numbers, numbers), max_size=6)) if draw(st.booleans()) else list(pairwise(range(len(nodes))))
    return Graph(tuple(nodes), tuple(edges))


def chain(*applications: str) -> Graph:
    return Graph(applications, tuple(pairwise(range(len(applications)))))


def true_chain(*applications: str) -> TrueGraph:
    return TrueGraph(tuple(frozenset(application) for application in applications), tuple(pairwise(range(len(applications)))))


def brute_force(predicted: Graph, true: TrueGraph) -> tuple[int, int, float | None]:
    """Matched nodes, matched edges and tau of the best of all injective maps of any true nodes to predicted ones."""
    edges, order = by_closure(predicted.edges, len(predicted.nodes))
    true_edges, true_order = by_closure(true.edges, len(true.nodes))
    best = (0, 0, -2.0)
    for size in range(1, min(len(true.nodes), len(predicted.nodes)) + 1):
        for some in combinations(range(len(true.nodes)), size):
            for answers in permutations(range(len(predicted.nodes)), size):
                found = dict(zip(some, answers, strict=True))
                if all(predicted.nodes[answer] in true.nodes[node] for node, answer in found.items()):
                    hits = sum(a in found and b in found and (found[a], found[b]) in edges for a, b in true_edges)
                    best = max(best, (size, hits, tau_of(found, order, true_order)))
    return best[0], best[1], best[2] if best[2] >= -1 else None


def by_closure(edges: tuple[Edge, ...], size: int) -> tuple[set[Edge], dict[int, int] | None]:
    """The transitive reduction (of an acyclic graph) and the places of the nodes (of a chain), by Warshall's closure."""
    kept = {(a, b) for a, b in edges if a != b and {a, b} <= set(range(size))}
    reach = set(kept)
    for middle, a, b in ((m, a, b) for m in range(size) for a in range(size) for b in range(size)):
        if (a, middle) in reach and (middle, b) in reach:
            reach.add((a, b))
    if any((node, node) in reach for node in range(size)):
        return kept, None
    reduced = {(a, b) for a, b in kept if not any((a, middle) in reach and (middle, b) in reach for middle in range(size))}
    is_chain = len(reach) == size * (size - 1) // 2
    return reduced, {node: sum((other, node) in reach for other in range(size)) for node in range(size)} if is_chain else None


def tau_of(found: dict[int, int], order: dict[int, int] | None, true_order: dict[int, int] | None) -> float:
    if order is None or true_order is None or len(found) < 2:
        return -2.0
    return round(pd.Series([true_order[node] for node in found]).corr(pd.Series([order[answer] for answer in found.values()]), method="kendall"), 9)


@settings(max_examples=300, deadline=None)
@given(predicted_graphs(), true_graphs())
def test_scores_equal_those_of_the_best_of_all_maps(predicted: Graph, true: TrueGraph) -> None:
    matched, hits, tau = brute_force(predicted, true)
    score = score_graph(predicted, true)
    true_edges = len(by_closure(true.edges, len(true.nodes))[0])
    reduced = by_closure(predicted.edges, len(predicted.nodes))[0]
    edges = len(reduced) + len({(a, b) for a, b in predicted.edges if a == b or not {a, b} <= set(range(len(predicted.nodes)))})
    assert score.node_recall == matched / len(true.nodes)
    assert score.node_precision == (matched / len(predicted.nodes) if predicted.nodes else 0)
    assert score.node_f1 == 2 * matched / (len(predicted.nodes) + len(true.nodes))
    if edges or true_edges:
        assert score.edge_f1 == 2 * hits / (edges + true_edges)
        assert (score.edge_precision, score.edge_recall) == (hits / edges if edges else 0, hits / true_edges if true_edges else 0)
    else:
        assert score.edge_precision is score.edge_recall is score.edge_f1 is None
    assert score.kendall_tau == (None if tau is None else pytest.approx(tau))
    assert score.is_exact == (matched == len(predicted.nodes) == len(true.nodes) and hits == edges == true_edges)


@settings(deadline=None)
@given(predicted_graphs(), true_graphs(), st.randoms())
def test_numbering_the_nodes_otherwise_changes_nothing(predicted: Graph, true: TrueGraph, chance: random.Random) -> None:
    new = list(range(len(predicted.nodes)))
    chance.shuffle(new)
    nodes = tuple(predicted.nodes[new.index(number)] for number in range(len(new)))
    renamed = {number: new[number] for number in range(len(new))}
    edges = tuple((renamed.get(a, a), renamed.get(b, b)) for a, b in predicted.edges)
    assert score_graph(Graph(nodes, edges), true) == score_graph(predicted, true)


@settings(deadline=None)
@given(true_graphs(most=6), st.data())
def test_a_perfect_prediction_scores_one_and_dropping_a_node_of_it_raises_nothing(true: TrueGraph, data: st.DataObject) -> None:
    perfect = Graph(tuple(data.draw(st.sampled_from(sorted(valid))) for valid in true.nodes), true.edges)
    score = score_graph(perfect, true)
    assert score.is_exact and score.node_f1 == 1 and score.edge_f1 in (1, None) and (score.edge_f1 is None) == (not true.edges)
    assert score.kendall_tau in (1, None)
    while perfect.nodes:
        before = score_graph(perfect, true)
        perfect = replace(perfect, nodes=perfect.nodes[:-1])
        after = score_graph(perfect, true)
        assert after.node_f1 < before.node_f1 and after.node_recall < before.node_recall and not after.is_exact


@settings(deadline=None)
@given(predicted_graphs(), true_graphs())
def test_a_node_that_fits_nowhere_costs_precision_alone(predicted: Graph, true: TrueGraph) -> None:
    before, after = score_graph(predicted, true), score_graph(replace(predicted, nodes=predicted.nodes + ("x",), edges=()), true)
    assert after.node_recall == before.node_recall and not after.is_exact
    assert after.node_f1 < before.node_f1 or before.node_f1 == 0


@given(st.integers(2, 6))
def test_a_reversed_chain_has_tau_minus_one_and_no_edge(length: int) -> None:
    score = score_graph(chain(*reversed("abcdef"[:length])), true_chain(*"abcdef"[:length]))
    assert (score.kendall_tau, score.node_f1, score.edge_f1, score.is_exact) == (-1, 1, 0, False)


@pytest.mark.parametrize("application", ["a", "x"])
def test_a_singleton_is_the_graph_of_one_node(application: str) -> None:
    right = float(application == "a")
    expected = GraphScore(right, right, right, None, None, None, right == 1, None)
    assert score_graph(Graph((application,), ()), TrueGraph((frozenset("ab"),), ())) == expected


def test_implied_edges_cost_nothing_and_edges_that_are_none_do() -> None:
    true = true_chain("a", "b", "c")
    assert score_graph(Graph(("a", "b", "c"), ((0, 1), (1, 2), (0, 2))), true).is_exact
    score = score_graph(Graph(("a", "b", "c"), ((0, 1), (1, 2), (2, 2), (0, 7))), true)
    assert (score.edge_precision, score.edge_recall, score.is_exact, score.kendall_tau) == (0.5, 1, False, 1)


def test_of_repeated_applications_those_count_that_match_more_edges_and_then_keep_the_order() -> None:
    assert score_graph(chain("b", "x", "a", "x", "b"), true_chain("a", "b")).kendall_tau == 1
    score = score_graph(chain("a", "x", "b", "x", "c", "a", "b"), true_chain("a", "b", "c"))
    assert [score.edge_recall, score.kendall_tau] == [0.5, pytest.approx(-1 / 3)]


def test_a_cyclic_prediction_keeps_its_edges_and_has_no_order() -> None:
    score = score_graph(Graph(("a", "b", "c"), ((0, 1), (1, 2), (2, 0))), true_chain("a", "b", "c"))
    assert [score.node_f1, score.edge_precision, score.edge_recall, score.kendall_tau] == [1, pytest.approx(2 / 3), 1, None]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.frozensets(st.sampled_from("abc"), min_size=1, max_size=2), min_size=1, max_size=5), st.integers(CANDIDATES + 1, 40), st.randoms())
def test_however_often_an_application_is_repeated_the_matching_is_a_maximum(true: list[frozenset[str]], size: int, chance: random.Random) -> None:
    nodes = tuple(chance.choice("abxx" if chance.random() < 0.9 else "c") for _ in range(size))
    graph = nx.Graph((("true", t), ("answer", p)) for t, valid in enumerate(true) for p, application in enumerate(nodes) if application in valid)
    tops = [node for node in graph if node[0] == "true"]
    matched = len(nx.bipartite.hopcroft_karp_matching(graph, tops)) // 2
    assert score_graph(chain(*nodes), TrueGraph(tuple(true), ())).node_recall == matched / len(true)


@pytest.mark.parametrize(
    "nodes, edges", [((), ()), ((frozenset(),), ()), ((frozenset("a"),), ((0, 1),)), ((frozenset("a"), frozenset("b")), ((0, 1), (1, 0)))]
)
def test_a_true_graph_that_nothing_can_be_scored_against_is_refused(nodes: tuple[frozenset[str], ...], edges: tuple[Edge, ...]) -> None:
    with pytest.raises(ValueError, match="true graph"):
        TrueGraph(nodes, edges)


@cache
def tables_and_views() -> duckdb.DuckDBPyConnection:
    """The tables, which here take rows that state only what the views read, and the views over one run of each kind."""
    connection = duckdb.connect()
    for path in (SQL / "schema.sql", SQL / "macros.sql", *(next(SQL.glob(f"views/*_{view}.sql")) for view in VIEWS)):
        connection.execute(path.read_text().replace(" not null,", ","))
    connection.execute(RUNS)
    return connection


def scores(view: str, kind: str, tasks: Sequence[Row]) -> list[Row]:
    """What a view says of the run of that kind over tasks that state what differs from an answered singleton of a composition of its own."""
    connection = tables_and_views()
    for table in ("user_tasks", "predictions"):
        connection.execute(f"delete from {table}")
        columns = {column[0] for column in connection.execute(f"from {table}").description}
        for number, task in enumerate(tasks):
            row = {"task_id": str(number), "composition_id": str(number), "run_id": kind, "dataset_id": "d1", "shape": "singleton", "edges": []}
            row |= {"status": "answered", "valid_applications": [], "predicted_applications": [], "retrieved": [], **task}
            stated = {name: value for name, value in row.items() if name in columns}
            marks = ", ".join("?" * len(stated))
            connection.execute(f"insert into {table} ({', '.join(stated)}) values ({marks})", list(stated.values()))
    made = next(SQL.glob(f"views/*_{view}.sql")).read_text()  # a table that the loader makes is made anew of these rows
    connection.execute(re.sub(r"^create ", "create or replace ", made, flags=re.MULTILINE))
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
        if len(applying) > 1:
            assert row["mean_f1_low"] == pytest.approx(max(0, fmean(f1) - 1.959964 * stdev(f1) / len(f1) ** 0.5))
            assert row["mean_f1_high"] == pytest.approx(min(1, fmean(f1) + 1.959964 * stdev(f1) / len(f1) ** 0.5))
        else:
            assert row["mean_f1_low"] is row["mean_f1_high"] is None


@pytest.mark.parametrize("view, kind", [("set_scores", "set"), ("graph_scores", "graph"), ("retrieval_recall", "application")])
def test_tasks_that_only_repeat_a_composition_narrow_no_interval(view: str, kind: str) -> None:
    tasks = [
        {"composition_id": str(n), "valid_applications": ["a"], "predicted_applications": ["ab"[n % 2], "c"], "retrieved": ["ab"[n % 3 == 0]],
         "node_f1": n / 8, "is_exact": n % 3 == 0}
        for n in range(8)
    ]  # fmt: skip
    once, thrice = scores(view, kind, tasks), scores(view, kind, tasks * 3)
    ends = [name for name in once[0] if name.endswith(("_low", "_high"))]
    assert len(ends) >= 2 and len(once) == len(thrice)
    for before, after in zip(once, thrice, strict=True):
        assert after["tasks"] == 3 * before["tasks"] and all(0 < before[name] < 1 for name in ends)
        assert [after[name] for name in ends] == pytest.approx([before[name] for name in ends])


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
    assert rows["singleton"]["node_f1_low"] is None and rows["sequential"]["exact_low"] < 1 / 3 < rows["sequential"]["exact_high"]


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
