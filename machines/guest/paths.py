"""The way of a pointer that is dragged along a path: programs take a drag from its movements, not from its ends."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

Place = tuple[int, int]
_STEPS = 12  # of a drag from one place to another


def in_steps(path: Sequence[Place]) -> Iterator[Place]:
    """Yield the places after the first one, in pixels: each part of the path in steps, fewer if it has many parts."""
    steps = max(1, _STEPS // max(1, len(path) - 1))
    for (left, top), (x, y) in pairwise(path):
        for step in range(1, steps + 1):
            yield round(left + (x - left) * step / steps), round(top + (y - top) * step / steps)
