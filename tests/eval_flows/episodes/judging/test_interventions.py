"""Protects the way of interventions from trajectories into the warehouse."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import cast

import pytest

from eval_flows.episodes.environment import Environment
from eval_flows.episodes.people import desk as desks
from eval_flows.episodes.people.intervention import PeopleChoice
from eval_flows.episodes.runs.store import Results, Row
from tests.eval_flows.episodes.judging.played import play
from tests.eval_flows.episodes.people.test_desk import ABOUT, Screen
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


def helped(data: DataFolder, intervention: Row) -> None:
    """Load the warehouse with a run of two episodes, in the second of which a person acted."""
    play(data, "other", {"e0": 1.0})
    path = data.runs / "other" / "trajectories" / "e0_1" / "trajectory.json"
    new = path.parents[1] / "e1_1" / path.name
    new.parent.mkdir()
    kept = json.loads(path.read_text())
    kept["episode"]["episode_id"] = "e1"
    new.write_text(json.dumps({**kept, "interventions": [intervention]}))
    Results(data.runs / "other").update()
    load_warehouse(data)


def test_interventions_of_a_trajectory_are_rows_of_the_warehouse(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    helped(data, INTERVENTION)
    with connect(data.warehouse) as connection:
        [row] = rows_of(connection, "select *, epoch_ms(began_at) as began from interventions")
    assert (row["run_id"], row["episode_id"], row["repeat"], row["acts"]) == ("other", "e1", 1, ["press(key='enter')", "press(key='tab')"])
    assert row["began"] % 1000 == 250
    assert {name: row[name] for name in INTERVENTION if name not in ("acts", "began_at", "ended_at")} == {
        name: value for name, value in INTERVENTION.items() if name not in ("acts", "began_at", "ended_at")
    }


def test_from_the_desk_to_table_5_waiting_is_part_of_the_seconds_and_no_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A person wants the machine at 0, has it at 20, when the agent has ended its step, and hands it back at 27."""
    seconds = iter((0, 0, 20, 27))
    monkeypatch.setattr(desks, "now", lambda: datetime(2026, 5, 1, 8, tzinfo=UTC) + timedelta(seconds=next(seconds)))
    at = desks.Desk(ABOUT, cast("Environment", Screen()), PeopleChoice())
    at.begin(1, False)
    assert at.take("ann", "Ann") == "soon"
    at._messages.put(("back", ""))
    came = at.pause(2)
    assert came is not None
    row = came.row("e1", 1)
    assert (row["began_at"], row["seconds"], row["waited_seconds"]) == ("2026-05-01T08:00:00.000+00:00", 27.0, 20.0)
    data = DataFolder(tmp_path)
    helped(data, row)
    with connect(data.warehouse) as connection:
        [table_5] = rows_of(connection, "from with_people where level = 'all'")
        [work] = rows_of(connection, "from people_time")
    assert (table_5["mean_seconds"], work["seconds"]) == (3.5, 7.0), "of two episodes"
