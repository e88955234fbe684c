"""Meshes of finite elements, read from the universal files in which FreeCAD's documents keep them."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import dist
from statistics import mean

_SEPARATOR = "    -1"
_NODES, _ELEMENTS = "2411", "2412"
_TETRAHEDRA = ("111", "118")  # of first and of second order
_FIRST_CORNERS = {4: (0, 1, 2, 3), 10: (0, 2, 4, 9)}  # of second order, corners and middles take turns
Place = tuple[float, float, float]


@dataclass(frozen=True)
class Mesh:
    """Nodes by number, in mm, and the tetrahedra between them, each by the numbers of its nodes."""

    nodes: dict[int, Place]
    elements: list[list[int]]

    def nodes_of_each(self) -> int:
        """Return how many nodes each element has: 4 of first order, 10 of second; ValueError if they differ."""
        (number,) = {len(one) for one in self.elements}
        return number

    def mean_edge(self, where: str) -> float:
        """Return the mean length of edges, of all or of those within a distance of a place, as in `10,20,5,3`; ValueError if there is none."""
        *place, reach = map(float, where.split(",")) if where else (0, 0, 0, float("inf"))
        return mean(dist(a, b) for a, b in self._edges() if dist(place, a) <= reach and dist(place, b) <= reach)

    def _edges(self) -> Iterator[tuple[Place, Place]]:
        pairs = {(min(pair), max(pair)) for one in self.elements for pair in combinations((one[at] for at in _FIRST_CORNERS[len(one)]), 2)}
        return ((self.nodes[a], self.nodes[b]) for a, b in pairs)


def read_unv(text: str) -> Mesh:
    """Return the mesh of a universal file."""
    nodes: dict[int, Place] = {}
    elements: list[list[int]] = []
    for name, rows in _sections(text.splitlines()):
        if name == _NODES:
            nodes |= {int(head.split()[0]): _place(row) for head, row in zip(rows[::2], rows[1::2], strict=False)}
        elif name == _ELEMENTS:
            elements += _tetrahedra(rows)
    return Mesh(nodes, elements)


def _sections(rows: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield the number and the rows of each section: they stand between separators."""
    marks = [number for number, row in enumerate(rows) if row.rstrip() == _SEPARATOR]
    for begin, end in zip(marks[::2], marks[1::2], strict=False):
        yield rows[begin + 1].strip(), rows[begin + 2 : end]


def _place(row: str) -> Place:
    x, y, z = (float(number.replace("D", "E")) for number in row.split())
    return x, y, z


def _tetrahedra(rows: list[str]) -> Iterator[list[int]]:
    numbers = iter(rows)
    for head in numbers:
        _, kind, *_, count = head.split()
        if kind in ("11", "21", "22", "24"):  # lines have a row of their own for their cross section
            next(numbers)
        nodes: list[int] = []
        while len(nodes) < int(count):
            nodes += map(int, next(numbers).split())
        if kind in _TETRAHEDRA:
            yield nodes
