"""Runs with trajectories and pictures, made by tests: what is judged, without a machine."""

import io
import json
from collections.abc import Sequence
from typing import Any

from PIL import Image

from eval_flows.episodes.judging.results import PlayedRun, read_run
from eval_flows.episodes.runs.left_files import LeftFile
from eval_flows.episodes.runs.store import Results, write_trajectory
from tests.warehouse.episode_rows import episode_row, step_row
from warehouse.layout import DataFolder

COLOURS = {"agent": (160, 60, 60), "human": (60, 120, 60), "other": (60, 60, 160)}


def screen(colour: tuple[int, int, int]) -> bytes:
    """A picture of one colour."""
    file = io.BytesIO()
    Image.new("RGB", (320, 200), colour).save(file, "PNG")
    return file.getvalue()


def play(data: DataFolder, run_id: str, episodes: dict[str, float], steps: int = 2, left: Sequence[LeftFile] = (), **more: Any) -> PlayedRun:
    """A run that was played to its end, with a reward for each episode, each of which left the files; its last picture has the colour of the run."""
    agent = "person" if run_id == "human" else f"{run_id} model"
    folder = data.runs / run_id
    folder.mkdir(parents=True)
    described = {"run_id": run_id, "started_at": "2026-05-01T08:00:00+00:00", "suite": "smoke", "agent": {"name": agent}, "episodes": sorted(episodes),
                 "image": ["root", "home"], "start": "preloaded"}  # fmt: skip
    (folder / "suite_run.json").write_text(json.dumps(described))
    results = Results(folder)
    for episode_id, reward in episodes.items():
        row = episode_row(run_id, episode_id, agent=agent, reward=reward, steps=steps, **more)
        rows = [step_row(row, number, words=f"step {number} of {run_id}") for number in range(1, steps + 1)]
        pictures = {number: (screen((200, 200, 200) if number < steps else COLOURS[run_id]),) for number in range(1, steps + 1)}
        own = ("run_id", "episode_id", "repeat")
        told = [{key: value for key, value in one.items() if key not in own} for one in rows]
        write_trajectory(results.trajectory((episode_id, 1)), row, told, pictures, left=left)
    results.update()
    return read_run(run_id, data)
