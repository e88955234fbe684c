"""Agreement between raters: Krippendorff's alpha, computed by the krippendorff package."""

from collections.abc import Sequence
from typing import Any, Literal

import krippendorff
import numpy as np
import pandas as pd

Level = Literal["ordinal", "nominal"]
_LEVELS: dict[str, Level] = {"grammar": "ordinal", "realism": "ordinal", "ground_truth": "nominal"}


def alphas(marks: Sequence[dict[str, Any]]) -> dict[str, float | None]:
    """Alpha by measure over the marks of one study; None where it is not defined (one rater, or all marks the same).

    Marks: rows with rater, task_id, grammar and realism (1 to 5) and ground_truth (a word). 1 is full agreement, 0 is chance.
    """
    frame = pd.DataFrame(list(marks))
    return {measure: _alpha(frame, measure, level) for measure, level in _LEVELS.items()} if len(frame) else dict.fromkeys(_LEVELS)


def _alpha(frame: pd.DataFrame, measure: str, level: Level) -> float | None:
    codes = frame.assign(mark=pd.factorize(frame[measure])[0] if level == "nominal" else frame[measure])
    table = codes.pivot(index="rater", columns="task_id", values="mark").to_numpy(dtype=float)
    if table.shape[0] < 2 or len(np.unique(table[~np.isnan(table)])) < 2:
        return None
    return float(krippendorff.alpha(reliability_data=table, level_of_measurement=level))
