"""What a judge says about a pair: which result is better, marks by the rubric, a note."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from eval_flows.episodes.judging.kept import now
from eval_flows.episodes.judging.pairs import Pair
from eval_flows.episodes.judging.results import Result

MARKS: Mapping[str, float] = {"not met": 0.0, "in part": 0.5, "met": 1.0}
"""Marks for a line of the rubric, and how they count."""
Kind = Literal["person", "model"]
Preference = Literal["left", "right", "tie"]
PREFERENCES: Mapping[Preference, str] = {"left": "The left is better", "tie": "Both are as good", "right": "The right is better"}


def judgement_row(
    pair: Pair,
    left: Result,
    judge: str,
    kind: Kind,
    preference: Preference,
    marks: Mapping[str, Sequence[float]],
    note: str,
    seconds: float,
    cost_usd: float = 0.0,
) -> dict[str, Any]:
    """Return the line of a judgement. `left` is the result that stood left; `marks` has those of both sides (`left`, `right`), or is empty."""
    right = pair.b if left is pair.a else pair.a
    sides = {"left": left, "right": right}
    of_a, of_b = ("left", "right") if left is pair.a else ("right", "left")
    given = zip(pair.rubric, marks[of_a], marks[of_b], strict=True) if marks else ()
    return {
        "pair_id": pair.pair_id,
        "judge": judge,
        "judge_kind": kind,
        "left_run_id": left.run_id,
        "suite": pair.suite,
        "episode_id": pair.a.key[0],
        "repeat": pair.a.key[1],
        "run_a": pair.a.run_id,
        "run_b": pair.b.run_id,
        "preferred_run_id": sides[preference].run_id if preference in sides else None,
        "marks": [{"criterion": criterion, "mark_a": mark_a, "mark_b": mark_b} for criterion, mark_a, mark_b in given],
        "note": note,
        "seconds": round(seconds, 1),
        "cost_usd": cost_usd,
        "judged_at": now(),
    }
