"""Seeds: a stable hash of (build seed, row, stage), so that the order of rows and the number of workers never matter."""

import hashlib
from bisect import bisect
from collections.abc import Mapping
from itertools import accumulate
from random import Random
from typing import Generic, TypeVar

Option = TypeVar("Option")


def derive_seed(*parts: str | int) -> int:
    """Return a 64-bit seed. The same parts give the same seed on every machine and every Python."""
    text = "\x1f".join(str(part) for part in parts)
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


def derived_random(*parts: str | int) -> Random:
    """Return a separate random generator for one stage of one row."""
    return Random(derive_seed(*parts))


def share(*parts: str | int) -> float:
    """Return a stable number in [0, 1) for choices that must not depend on a build seed, such as splits."""
    return derive_seed(*parts) / 2**64


class Weighted(Generic[Option]):
    """Options with weights, to draw from many times. It draws what `random.choices` draws, and adds the weights up only once."""

    def __init__(self, weights: Mapping[Option, float]) -> None:
        self._options = tuple(weights)
        self._sums = tuple(accumulate(weights.values()))

    def draw(self, random: Random) -> Option:
        """Return one option."""
        return self._options[bisect(self._sums, random.random() * self._sums[-1], 0, len(self._options) - 1)]
