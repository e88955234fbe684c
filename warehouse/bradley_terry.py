"""Bradley-Terry scores of runs that were judged in pairs (Bradley and Terry 1952, Biometrika 39, 324-345), with 95% intervals.

Run a is preferred to run b with probability 1 / (1 + exp(score of b - score of a)); the reference has the score 0. A tie counts half for each.
The likelihood has Firth's penalty, which is Jeffreys' prior (Firth 1993, Biometrika 80, 27-38): a run that was always preferred has a finite score
too, as happens with few pairs. Intervals are those of the profile of this likelihood (Heinze and Schemper 2002, Statistics in Medicine 21,
2409-2419).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit, log_expit

Vector = NDArray[np.float64]
_DROP = 3.841459 / 2  # of the log likelihood, at the ends of an interval: half of the quantile 0.95 of chi-squared with one degree of freedom
_EXACT = 1e-9  # of scores, and of the log likelihood
_LONGEST_STEP = 5.0
_MOST_STEPS = 200
_FARTHEST = 60.0  # of an end from its score: beyond it, a share is 0 or 1 to all decimals


@dataclass(frozen=True)
class Compared:
    """How two runs did against each other: the comparisons, and how many of them `a` won. A tie is half a win."""

    a: str
    b: str
    wins: float
    comparisons: float


@dataclass(frozen=True)
class Score:
    """The score of a run against the reference, with its 95% interval."""

    score: float
    low: float
    high: float


def scores(compared: Sequence[Compared], reference: str) -> Mapping[str, Score]:
    """Return the score of every run; ValueError if comparisons do not lead from each run to the reference, so that nothing tells its score."""
    players = sorted({name for one in compared for name in (one.a, one.b)} - {reference})
    if _reached(compared, reference) != {reference, *players}:
        raise ValueError("some runs were compared neither with the reference nor with a run that was")
    model = _Model(compared, players)
    best = model.highest({})
    most = model.value(best)
    found = {reference: Score(0.0, 0.0, 0.0)}
    for place, player in enumerate(players):
        found[player] = Score(float(best[place]), *(_end(model, place, best, most, way) for way in (-1.0, 1.0)))
    return found


class _Model:
    """The penalised likelihood of the scores of all runs but the reference."""

    def __init__(self, compared: Sequence[Compared], players: Sequence[str]) -> None:
        place = {player: number for number, player in enumerate(players)}
        self._design = np.zeros((len(compared), len(players)))
        for row, one in enumerate(compared):
            for name, sign in ((one.a, 1.0), (one.b, -1.0)):
                if name in place:
                    self._design[row, place[name]] += sign
        self._wins = np.array([one.wins for one in compared], float)
        self._comparisons = np.array([one.comparisons for one in compared], float)

    def value(self, values: Vector) -> float:
        """Return the penalised log likelihood of the scores."""
        ahead = self._design @ values
        likelihood = self._wins @ log_expit(ahead) + (self._comparisons - self._wins) @ log_expit(-ahead)
        return float(likelihood + np.linalg.slogdet(self._information(expit(ahead), self._comparisons))[1] / 2)

    def highest(self, fixed: Mapping[int, float], start: Vector | None = None) -> Vector:
        """Return the scores of the highest value, where those of `fixed` are held: by steps that never lower the value."""
        values = np.zeros(self._design.shape[1]) if start is None else start.copy()
        values[list(fixed)] = list(fixed.values())
        free = [place for place in range(len(values)) if place not in fixed]
        reached = self.value(values)
        for _ in range(_MOST_STEPS if free else 0):
            step = self._step(values, free)
            while (tried := self.value(values + step)) < reached - _EXACT and np.abs(step).max() > _EXACT:
                step = step / 2
            values, reached = values + step, tried
            if np.abs(step).max() <= _EXACT:
                break
        return values

    def _information(self, won: Vector, comparisons: Vector) -> Vector:
        """Return Fisher's information of the scores, where `won` is how often each a is expected to win."""
        weights = comparisons * won * (1 - won)
        return np.asarray(self._design.T @ (weights[:, None] * self._design))

    def _step(self, values: Vector, free: Sequence[int]) -> Vector:
        """Return a step of the free scores along the modified score function (Firth 1993, Section 3.3).

        The penalty is as if the comparisons had so many more, `held`, of which each run won half: `held` are their leverages.
        """
        won = expit(self._design @ values)
        inverse = np.linalg.pinv(self._information(won, self._comparisons))
        held = self._comparisons * won * (1 - won) * np.einsum("ij,jk,ik->i", self._design, inverse, self._design)
        comparisons = self._comparisons + held
        information = self._information(won, comparisons)
        slope = self._design.T @ (self._wins + held / 2 - comparisons * won)
        step: Vector = np.zeros(len(values))
        step[free] = np.linalg.lstsq(information[np.ix_(free, free)], slope[free])[0]
        return step * min(1.0, _LONGEST_STEP / max(float(np.abs(step).max()), _EXACT))


def _end(model: _Model, place: int, best: Vector, most: float, way: float) -> float:
    """Return the end of an interval: where the profile has dropped far enough."""

    def above(distance: float) -> float:
        held = best[place] + way * distance
        return model.value(model.highest({place: held}, best)) - most + _DROP

    return float(best[place] + way * _root(above))


def _root(above: Callable[[float], float]) -> float:
    far = 1.0
    while above(far) > 0 and far < _FARTHEST:
        far *= 2
    root: Any = brentq(above, 0.0, far, xtol=1e-6) if above(far) < 0 else far
    return float(root)


def _reached(compared: Sequence[Compared], reference: str) -> set[str]:
    """Return the runs that comparisons join to the reference."""
    reached, before = {reference}, 0
    while len(reached) != before:
        before = len(reached)
        reached |= {name for one in compared if {one.a, one.b} & reached for name in (one.a, one.b)}
    return reached


def share(score: float) -> float:
    """Return how often a run of that score is preferred to the reference, from 0 to 1."""
    return float(expit(score))
