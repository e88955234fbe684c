"""Scores of a predicted graph of applications against the true one, for the protocol `graph`.

AppSelectBench, section 3, makes a selection a directed graph of applications (one node, a chain, or branches) and defines no scores. Here nodes
are scored by a maximum matching, edges under that matching, and the order of chains by Kendall's tau.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import networkx as nx

CANDIDATES = 8  # predicted nodes to try for one true node, so that the search stays small; more if the true graph has more nodes

Edge = tuple[int, int]
_Matching = Mapping[int, int]  # true node to predicted node


@dataclass(frozen=True)
class Graph:
    """A predicted graph: the application of each node, and `edges` (i, j) where node i, counted from 0, must come before node j.

    An application may occur in two nodes; each of them matches at most one true node.
    """

    nodes: tuple[str, ...]
    edges: tuple[Edge, ...]


@dataclass(frozen=True)
class TrueGraph:
    """A true graph: the valid applications of each node, and edges as in `Graph`; a singleton is one node without edges.

    ValueError if it has no node, a node without a valid application, an edge that leaves the graph, or a cycle.
    """

    nodes: tuple[frozenset[str], ...]
    edges: tuple[Edge, ...]

    def __post_init__(self) -> None:
        if not self.nodes or not all(self.nodes):
            raise ValueError("a true graph has at least one node, and each node at least one valid application")
        if _well_formed(self.edges, len(self.nodes)) != set(self.edges) or not nx.is_directed_acyclic_graph(nx.DiGraph(self.edges)):
            raise ValueError(f"the edges {self.edges} of a true graph of {len(self.nodes)} nodes leave it or form a cycle")


@dataclass(frozen=True)
class GraphScore:
    """How well a graph was predicted: shares from 0 to 1, and tau from -1 to 1.

    The edge scores are None where neither graph has edges. `kendall_tau` is None unless both graphs are chains and at least two nodes matched.
    """

    node_precision: float
    node_recall: float
    node_f1: float
    edge_precision: float | None
    edge_recall: float | None
    edge_f1: float | None
    is_exact: bool
    kendall_tau: float | None


def score_graph(predicted: Graph, true: TrueGraph) -> GraphScore:
    """Score a prediction under the maximum one-to-one matching of nodes with the most matched edges, then the highest tau.

    A predicted node fits a true one if its application is valid there; an unmatched node counts against precision or recall. Edges are
    compared after transitive reduction (a cyclic prediction keeps all of its edges). Edges of a prediction that are
    self-loops or name no node match nothing, so they count against edge precision and exactness, but break no chain.

    If more than `CANDIDATES` predicted nodes fit one true node, only the first ones are tried. The matching stays a maximum (a true node needs
    no more candidates than there are true nodes), but its edges may then not be the most.
    """
    well_formed = _well_formed(predicted.edges, len(predicted.nodes))
    answer, truth = _reduced(well_formed, len(predicted.nodes)), _reduced(true.edges, len(true.nodes))
    answer_order, true_order = _chain(answer), _chain(truth)

    def matched_edges(matching: _Matching) -> int:
        return sum(a in matching and b in matching and answer.has_edge(matching[a], matching[b]) for a, b in truth.edges)

    def tau(matching: _Matching) -> float | None:
        if answer_order is None or true_order is None:
            return None
        return _kendall_tau([answer_order.index(matching[node]) for node in true_order if node in matching])

    matching = max(_maximum_matchings(predicted.nodes, true.nodes), key=lambda found: (matched_edges(found), tau(found) or 0))
    hits, answer_edges = matched_edges(matching), len(answer.edges) + len(set(predicted.edges) - well_formed)
    node_scores = _precision_recall_f1(len(matching), len(predicted.nodes), len(true.nodes))
    edge_scores = _precision_recall_f1(hits, answer_edges, len(truth.edges)) if answer_edges or truth.edges else (None, None, None)
    edge_precision, edge_recall, edge_f1 = edge_scores
    is_exact = len(matching) == len(predicted.nodes) == len(true.nodes) and hits == answer_edges == len(truth.edges)
    return GraphScore(*node_scores, edge_precision, edge_recall, edge_f1, is_exact, tau(matching))


def _well_formed(edges: Iterable[Edge], size: int) -> set[Edge]:
    """Return the edges between two different nodes of a graph of that size."""
    return {(source, target) for source, target in edges if source != target and 0 <= source < size and 0 <= target < size}


def _reduced(edges: Iterable[Edge], size: int) -> "nx.DiGraph[int]":
    """Return the graph without edges that longer paths imply; a graph with a cycle has no unique reduction and stays unchanged."""
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(size))
    graph.add_edges_from(edges)
    return nx.transitive_reduction(graph) if nx.is_directed_acyclic_graph(graph) else graph


def _chain(reduced: "nx.DiGraph[int]") -> list[int] | None:
    """Return the nodes in their order if they form one chain, else None."""
    if not nx.is_directed_acyclic_graph(reduced):
        return None
    order = list(nx.topological_sort(reduced))
    return order if set(pairwise(order)) == set(reduced.edges) else None


def _kendall_tau(places: Sequence[int]) -> float | None:
    """Return Kendall's rank correlation (Biometrika, 1938) of different numbers with their positions; None for fewer than two."""
    pairs = list(combinations(places, 2))
    return sum(1 if first < second else -1 for first, second in pairs) / len(pairs) if pairs else None


def _maximum_matchings(predicted: Sequence[str], true: Sequence[frozenset[str]]) -> Iterator[_Matching]:
    """Yield every maximum one-to-one matching of true nodes with predicted nodes that fit them."""
    fitting = [[node for node, application in enumerate(predicted) if application in valid] for valid in true]
    tried = [(node, fits[: max(CANDIDATES, len(true))]) for node, fits in enumerate(fitting)]
    tried.sort(key=lambda node_and_fits: len(node_and_fits[1]))  # nodes with the fewest candidates first, so that dead ends show early
    for unmatched in range(len(true) + 1):
        matchings = _matchings(tried, unmatched, {})
        first = next(matchings, None)
        if first is not None:
            yield first
            yield from matchings
            return


def _matchings(fits: Sequence[tuple[int, Sequence[int]]], unmatched: int, so_far: _Matching) -> Iterator[_Matching]:
    """Yield every one-to-one matching that extends `so_far` and leaves at most `unmatched` true nodes of `fits` without a predicted one."""
    if not fits:
        yield so_far
        return
    node, candidates = fits[0]
    for candidate in candidates:
        if candidate not in so_far.values():
            yield from _matchings(fits[1:], unmatched, {**so_far, node: candidate})
    if unmatched:
        yield from _matchings(fits[1:], unmatched - 1, so_far)


def _precision_recall_f1(matched: int, predicted: int, true: int) -> tuple[float, float, float]:
    """Return precision, recall and F1 by their usual definitions; 0 if nothing is predicted or nothing is true."""
    return (matched / predicted if predicted else 0.0, matched / true if true else 0.0, 2 * matched / (predicted + true) if predicted + true else 0.0)
