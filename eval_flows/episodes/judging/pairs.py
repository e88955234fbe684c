"""Pairs of results of the same episode, and the order in which a judge sees them and their sides: drawn, and the same each time."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from atomic_tasks.problems import BadInput
from atomic_tasks.seeds import derive_seed
from eval_flows.episodes.judging.results import PlayedRun, Result, rubrics_of


@dataclass(frozen=True)
class Pair:
    """Two results of one episode. `a` is that of the run whose id comes first, so that a pair is the same however it was asked for."""

    a: Result
    b: Result
    suite: str
    rubric: Sequence[str]

    @property
    def pair_id(self) -> str:
        """Return a hash that tells nothing about the runs."""
        told = json.dumps([*self.a.key, self.a.run_id, self.b.run_id])
        return hashlib.blake2b(told.encode(), digest_size=6).hexdigest()

    @property
    def brief(self) -> str:
        """Return what the agents were asked."""
        return str(self.a.episode["instruction"])

    def sides(self, judge: str) -> tuple[Result, Result]:
        """Return the results as they stand left and right for a judge."""
        return (self.a, self.b) if derive_seed("side", self.pair_id, judge) % 2 else (self.b, self.a)


def pairs_of(runs: Sequence[PlayedRun], levels: Sequence[str] = ()) -> list[Pair]:
    """Return a pair for every two of the runs and each episode and repeat that both played; BadInput if there is none.

    With `levels`, only episodes of these levels.
    """
    by_id = {run.run_id: run for run in sorted(runs, key=lambda run: run.run_id)}
    if len(by_id) < 2:
        raise BadInput("results are compared between two runs or more: name different ones")
    suites = sorted({run.suite for run in by_id.values()})
    if len(suites) > 1:
        raise BadInput(f"the runs are of different suites ({', '.join(suites)}): only results of the same task can be compared")
    rubrics = rubrics_of(suites[0])
    found = [
        Pair(one.results[key], other.results[key], suites[0], rubrics.get(key[0], ()))
        for one, other in combinations(by_id.values(), 2)
        for key in sorted(one.results.keys() & other.results.keys())
        if not levels or one.results[key].episode["level"] in levels
    ]
    if not found:
        of = f" of level {' or '.join(levels)}" if levels else ""
        raise BadInput(f"no episode{of} was played to its end in two of the runs {', '.join(by_id)}")
    return found


def in_order(pairs: Sequence[Pair], judge: str) -> list[Pair]:
    """Return the pairs in the random order of a judge."""
    return sorted(pairs, key=lambda pair: derive_seed("order", pair.pair_id, judge))
