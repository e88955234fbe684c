"""Geometry of straight stretches in a plane, for drawings: what they cover, and what they enclose."""

from collections.abc import Sequence
from math import dist

import networkx

Point = tuple[float, float]
Segment = tuple[Point, Point]
TOLERANCE = 0.01  # in the units of the drawing


def covers(segments: Sequence[Segment], stretch: Segment, tolerance: float = TOLERANCE) -> bool:
    """Tell whether segments together cover a stretch, whatever pieces they are."""
    length = dist(*stretch)
    if length <= tolerance:
        return any(_away(point, stretch) <= tolerance for segment in segments for point in segment)
    along = sorted(
        tuple(sorted((_along(one, stretch), _along(other, stretch))))
        for one, other in segments
        if _beside(one, stretch) <= tolerance and _beside(other, stretch) <= tolerance
    )
    reached = 0.0
    for start, end in along:
        if start > reached + tolerance:
            break
        reached = max(reached, end)
    return reached >= length - tolerance


def largest_area(segments: Sequence[Segment], tolerance: float = TOLERANCE) -> float:
    """Return the largest area that a closed chain of segments encloses; 0 if none is closed. Ends within the tolerance meet."""
    graph: networkx.Graph[tuple[int, int]] = networkx.Graph()
    places: dict[tuple[int, int], Point] = {}
    for segment in segments:
        ends = [(round(x / tolerance), round(y / tolerance)) for x, y in segment]
        places |= dict(zip(ends, segment, strict=True))
        if ends[0] != ends[1]:
            graph.add_edge(*ends)
    return max((abs(_area([places[end] for end in chain])) for chain in networkx.cycle_basis(graph)), default=0.0)


def _area(corners: Sequence[Point]) -> float:
    turned = zip(corners, [*corners[1:], corners[0]], strict=True)
    return sum(x * other_y - other_x * y for (x, y), (other_x, other_y) in turned) / 2


def _along(point: Point, stretch: Segment) -> float:
    (x0, y0), (x1, y1) = stretch
    return ((point[0] - x0) * (x1 - x0) + (point[1] - y0) * (y1 - y0)) / dist(*stretch)


def _beside(point: Point, stretch: Segment) -> float:
    (x0, y0), (x1, y1) = stretch
    return abs((point[0] - x0) * (y1 - y0) - (point[1] - y0) * (x1 - x0)) / dist(*stretch)


def _away(point: Point, stretch: Segment) -> float:
    return min(dist(point, end) for end in stretch)
