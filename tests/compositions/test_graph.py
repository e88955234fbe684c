"""Protects shapes: nodes are runs of one application, edges are what must come before, without shortcuts."""

from hypothesis import given
from hypothesis import strategies as st

from atomic_tasks.schema import AtomicTask
from compositions.graph import _reduced, application_graph
from compositions.model import Composition, Step


def _step(application: str, *after: int) -> Step:
    say = ["do it", "do that", "Is it done?"]
    task = AtomicTask.model_validate({"id": f"{application}.t", "title": "T", "capability": "a.b", "say": say})
    return Step(task, after=after)


def test_runs_of_one_application_are_one_node() -> None:
    graph = application_graph(Composition((_step("a"), _step("a"), _step("b", 1)), "workflow"))
    assert (graph.applications, graph.nodes, graph.edges, graph.shape) == (("a", "b"), ((0, 1), (2,)), ((0, 1),), "sequential")


def test_independent_applications_are_parallel() -> None:
    assert application_graph(Composition((_step("a"), _step("b")), "workflow")).shape == "parallel"


def test_two_that_feed_a_third_are_parallel() -> None:
    graph = application_graph(Composition((_step("a"), _step("b"), _step("c", 0, 1)), "workflow"))
    assert graph.edges == ((0, 2), (1, 2)) and graph.shape == "parallel"


def test_an_edge_that_a_path_implies_is_left_out() -> None:
    graph = application_graph(Composition((_step("a"), _step("b", 0), _step("c", 0, 1)), "workflow"))
    assert graph.edges == ((0, 1), (1, 2)) and graph.shape == "sequential"


def test_one_application_is_a_singleton() -> None:
    assert application_graph(Composition((_step("a"), _step("a", 0)), "chain")).shape == "singleton"


@given(st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6)).filter(lambda edge: edge[0] < edge[1])))
def test_what_is_left_reaches_the_same_and_no_edge_of_it_can_go(edges: set[tuple[int, int]]) -> None:
    left = set(_reduced(edges))
    assert left <= edges and _reach(left) == _reach(edges)
    assert all(_reach(left - {edge}) != _reach(edges) for edge in left)


def _reach(edges: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """All pairs that a path joins."""
    reach = set(edges)
    for middle in range(7):
        reach |= {(start, end) for start, one in reach for other, end in reach if one == middle == other}
    return reach
