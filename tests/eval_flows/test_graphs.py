"""Protects scores of graphs: they equal what brute force gives."""

import random
from dataclasses import replace
from itertools import combinations, pairwise, permutations

import networkx as nx
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eval_flows.selection.graphs import CANDIDATES, Edge, Graph, GraphScore, TrueGraph, score_graph

VALID = "abcd"


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
