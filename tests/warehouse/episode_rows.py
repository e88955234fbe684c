"""Episodes as rows, made by tests: what a run of episodes leaves, without a machine."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from warehouse.layout import DataFolder
from warehouse.parquet import write_rows

Row = dict[str, Any]
FAULT: Row = dict.fromkeys(("reward", "is_success", "steps", "malformed", "ready_seconds", "model_seconds")) | {
    "status": "infrastructure fault", "fault": "GuestSilent: no answer within 30 s", "tries": 3, "checks": [], "side_effects": None
}  # fmt: skip


def episode_row(run_id: str, episode_id: str, repeat: int = 1, **more: Any) -> Row:
    """An episode that succeeded, but for what is given; a reward decides over success."""
    row: Row = {
        "run_id": run_id, "episode_id": episode_id, "repeat": repeat, "suite": "smoke", "agent": "oracle", "start": "preloaded", "level": "L1",
        "discipline": "Technology & Engineering", "application": "mousepad", "applications": ["mousepad"], "instruction": f"do {episode_id}",
        "infeasible": None, "status": "done", "reward": 1.0, "steps": 3, "step_budget": 35, "malformed": 0, "ready_seconds": 1.5, "seconds": 4.5,
        "first_application": None, "valid_applications": ["mousepad"], "is_valid_choice": None, "input_tokens": 0, "output_tokens": 0, "cost_usd": 0.0,
        "model_seconds": 0.0, "checks": [{"check": '{"text": "Documents/a.txt"}', "got": "'pears'", "holds": True}], "side_effects": [],
        "tries": 1, "fault": None, **more,
    }  # fmt: skip
    return row | {"is_success": None if row["reward"] is None else row["reward"] == 1}


def write_suite(data: DataFolder, name: str, episodes: Sequence[Row]) -> None:
    """A published suite of these episodes: `subfield`, `difficulty` and the like may be given for each."""
    rows = [
        {
            "context_resources": [], "task_source": [], "core_operations": [], "expected_output": [], "difficulty": "easy", "step_budget": 35,
            "oracle_lines": 4, "infeasible": None, "composition_id": one["episode_id"], "episode": "{}", "task": one["episode_id"], "subfield": None,
            "evaluation_criteria": [], "rubric": [], "oracle_seconds": None, "human_steps": None, "human_seconds": None, "human_recording": None,
            "valid_applications": ["mousepad"], "instruction": f"do {one['episode_id']}", "level": "L1", "discipline": "Business", "applications": ["mousepad"],
            **one,
        }
        for one in episodes
    ]  # fmt: skip
    folder = data.suites / name
    (folder / "data").mkdir(parents=True)
    write_rows(folder / "data" / "episodes.parquet", "suite_episodes", rows)
    (folder / "manifest.json").write_text(json.dumps({"suite": name, "title": name, "image": "smoke", "episodes": len(rows), "levels": {}}))


def step_row(of: Mapping[str, Any], number: int, **more: Any) -> Row:
    """A step of an episode: a key that is pressed, but for what is given."""
    return {
        **{key: of[key] for key in ("run_id", "episode_id", "repeat")}, "number": number, "decision": "COMMAND", "actions": ["press(key='enter')"],
        "words": "", "memory": "", "feedback": "", "pointer_x": None, "pointer_y": None, "seconds": 0.5, "calls": [], "input_tokens": 0,
        "output_tokens": 0, "cost_usd": 0.0, "printed": "", "notes": [], **more,
    }  # fmt: skip


def write_run(data: DataFolder, episodes: Sequence[Row], steps: Sequence[Row] = (), started_at: str = "2026-05-01T08:00:00+00:00") -> Path:
    """The folder of a run of these episodes, which are of one run."""
    first = episodes[0]
    folder: Path = data.runs / first["run_id"]
    folder.mkdir(parents=True, exist_ok=True)
    described = {"run_id": first["run_id"], "started_at": started_at, "suite": first["suite"], "agent": {"name": first["agent"]},
                 "episodes": sorted({row["episode_id"] for row in episodes}), "image": ["root", "home"], "start": first["start"]}  # fmt: skip
    (folder / "suite_run.json").write_text(json.dumps(described))
    write_rows(folder / "episodes" / "00000.parquet", "episodes", episodes)
    write_rows(folder / "steps" / "00000.parquet", "steps", steps)
    return folder
