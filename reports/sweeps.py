"""Paired differences between the cells of a sweep: success after one change minus success before, over the same episodes.

Episodes are the clusters: their repeats, and their plays in several pairs of cells, are never taken as independent.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from reports.comparison import holm, paired_difference
from reports.questions import Rows

Row = dict[str, Any]
_SHOWN = ("difference", "difference_low", "difference_high", "p_exact", "p_clustered", "smallest_difference", "note")


def with_differences(rows: Rows, counts: Rows, by: Sequence[str]) -> list[Row]:
    """Return the rows with the difference of B and A in each, its interval and its tests.

    `counts` has a row for each pair of cells and episode: how often it was played, and how often both, only A and only B succeeded. `by` names the
    columns whose values tell which counts belong to a row. Holm's correction is over all rows.
    """
    found: dict[tuple[Any, ...], dict[str, Row]] = defaultdict(dict)
    for count in counts:
        episodes = found[tuple(count[column] for column in by)]
        sums = episodes.setdefault(count["episode_id"], dict.fromkeys(("episodes", "both_succeeded", "only_b", "only_a"), 0))
        for column in sums:
            sums[column] += count[column]
    told = [row | _difference(list(found[tuple(row[column] for column in by)].values())) for row in rows]
    return [row | {"p_holm": p} for row, p in zip(told, holm([row["p_clustered"] for row in told]), strict=True)]


def _difference(episodes: Sequence[Row]) -> Row:
    columns = (np.array([one[name] for one in episodes], dtype=np.int64) for name in ("episodes", "both_succeeded", "only_b", "only_a"))
    difference = asdict(paired_difference(*columns))
    return {name: difference[name] for name in _SHOWN}
