"""The graph of a composition. Each maximal run of steps in one application is a node. An edge says that one node must come before another.

AppSelectBench, section 3: a singleton is a graph of one node; chains are sequential; all other graphs are parallel.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from compositions.model import Composition

Shape = Literal["singleton", "sequential", "parallel"]


@dataclass(frozen=True)
class ApplicationGraph:
    """`nodes[i]` holds the positions of the steps of node i; `edges` are pairs of node numbers."""

    applications: tuple[str, ...]
    nodes: tuple[tuple[int, ...], ...]
    edges: tuple[tuple[int, int], ...]

    @property
    def shape(self) -> Shape:
        """Return the shape that the nodes and edges form."""
        if len(self.nodes) == 1:
            return "singleton"
        chain = tuple((number, number + 1) for number in range(len(self.nodes) - 1))
        return "sequential" if self.edges == chain else "parallel"


def application_runs(composition: Composition) -> tuple[tuple[int, ...], ...]:
    """Return the positions of the steps of each maximal run in one application, in order."""
    nodes: list[list[int]] = []
    for position, step in enumerate(composition.steps):
        same = nodes and composition.steps[nodes[-1][-1]].task.application == step.task.application
        if same:
            nodes[-1].append(position)
        else:
            nodes.append([position])
    return tuple(map(tuple, nodes))


@lru_cache(maxsize=4096)
def application_graph(composition: Composition) -> ApplicationGraph:
    """Return the graph of a composition. Its edges come from facts and from `after`, without edges that follow from others."""
    nodes = application_runs(composition)
    node_of = {position: number for number, node in enumerate(nodes) for position in node}
    found = {
        (node_of[source], node_of[position])
        for position in range(len(composition.steps))
        for source in composition.sources(position)
        if node_of[source] != node_of[position]
    }
    return ApplicationGraph(
        tuple(composition.steps[node[0]].task.application for node in nodes),
        nodes,
        tuple(sorted(_reduced(found))),
    )


def _reduced(edges: set[tuple[int, int]]) -> Iterable[tuple[int, int]]:
    """Return the edges without the edges that a longer path already implies."""
    if len(edges) < 3:
        return edges  # a path and a shortcut of it need at least three edges
    import networkx as nx  # loading it takes longer than most commands need for all graphs

    return nx.transitive_reduction(nx.DiGraph(edges)).edges
