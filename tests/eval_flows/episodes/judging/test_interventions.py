"""Protects the way of interventions from trajectories into the warehouse."""

import json
from pathlib import Path

from eval_flows.episodes.runs.store import Results
from tests.eval_flows.episodes.judging.played import play
from warehouse.layout import DataFolder
from warehouse.loader import load_warehouse
from warehouse.query import connect, rows_of

INTERVENTION = {
    "intervention_id": "e1_1_1", "step": 2, "initiated_by": "agent", "person": "ada", "reason": "which file?", "request": "open it", "note": "it is open",
    "began_at": "2026-05-01T08:00:00.250+00:00", "ended_at": "2026-05-01T08:00:12.250+00:00", "seconds": 12.0, "waited_seconds": 3.0, "actions": 2,
    "helped_in": "actions",
    "acts": [{"number": number, "at": "2026-05-01T08:00:05+00:00", "action": f"press(key='{key}')", "picture": f"person_1_{number:03}.png"}
             for number, key in ((1, "enter"), (2, "tab"))],
}  # fmt: skip


def test_interventions_of_a_trajectory_are_rows_of_the_warehouse(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    play(data, "other", {"e0": 1.0})
    path = data.runs / "other" / "trajectories" / "e0_1" / "trajectory.json"
    new = path.parents[1] / "e1_1" / path.name
    new.parent.mkdir()
    kept = json.loads(path.read_text())
    kept["episode"]["episode_id"] = "e1"
    new.write_text(json.dumps({**kept, "interventions": [INTERVENTION]}))
    Results(data.runs / "other").update()
    load_warehouse(data)
    with connect(data.warehouse) as connection:
        [row] = rows_of(connection, "select *, epoch_ms(began_at) as began from interventions")
    assert (row["run_id"], row["episode_id"], row["repeat"], row["acts"]) == ("other", "e1", 1, ["press(key='enter')", "press(key='tab')"])
    assert row["began"] % 1000 == 250
    assert {name: row[name] for name in INTERVENTION if name not in ("acts", "began_at", "ended_at")} == {
        name: value for name, value in INTERVENTION.items() if name not in ("acts", "began_at", "ended_at")
    }
