"""Lines of judges and labellers, made by tests: what they leave in the data folder."""

import json
from collections.abc import Sequence
from typing import Any

from warehouse.layout import DataFolder

Row = dict[str, Any]


def judgement_row(pair: tuple[str, str], episode_id: str, preferred: str | None, judge: str = "ada", **more: Any) -> Row:
    """A judgement of two runs on an episode, by a person who saw the first one left, but for what is given."""
    run_a, run_b = sorted(pair)
    row = {
        "pair_id": f"{episode_id}-{run_a}-{run_b}-{more.get('repeat', 1)}", "judge": judge, "judge_kind": "person", "left_run_id": pair[0], "suite": "smoke",
        "episode_id": episode_id, "repeat": 1, "run_a": run_a, "run_b": run_b, "preferred_run_id": preferred, "marks": [], "note": "", "seconds": 30.0,
        "cost_usd": 0.0, "judged_at": "2026-05-02T08:00:00+00:00",
    }  # fmt: skip
    return row | more


def label_row(run_id: str, episode_id: str, kind: str, labeller: str = "ada", **more: Any) -> Row:
    """A label of a failed episode by a person, but for what is given."""
    row = {
        "run_id": run_id, "suite": "smoke", "episode_id": episode_id, "repeat": 1, "labeller": labeller, "labeller_kind": "person", "kind": kind, "step": 1,
        "note": "", "saw_proposal": False, "seconds": 20.0, "cost_usd": 0.0, "labelled_at": "2026-05-02T08:00:00+00:00",
    }  # fmt: skip
    return row | more


def write_lines(data: DataFolder, table: str, rows: Sequence[Row]) -> None:
    """The lines of that table, in the file of each judge or labeller."""
    for row in rows:
        name = row.get("judge") or row["labeller"]
        path = data.judging / table / f"{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a") as file:
            file.write(json.dumps(row) + "\n")


def intervention_row(run_id: str, episode_id: str, number: int = 1, **more: Any) -> Row:
    """An intervention of a person who took over and acted for ten of twelve seconds, but for what is given."""
    row = {
        "run_id": run_id, "episode_id": episode_id, "repeat": 1, "intervention_id": f"{episode_id}_1_{number}", "step": 2, "initiated_by": "human",
        "person": "ada", "reason": "", "request": "", "note": "", "began_at": "2026-05-01T08:00:00.000+00:00", "ended_at": "2026-05-01T08:00:12.000+00:00",
        "seconds": 12.0, "waited_seconds": 2.0, "actions": 1, "acts": ["press(key='enter')"], "helped_in": "actions",
    }  # fmt: skip
    return row | more
