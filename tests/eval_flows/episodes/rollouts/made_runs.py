"""Runs that tests make without a machine: trajectories of a script, and of a model that was really asked, at a fake server."""

import io
import json
from collections.abc import Sequence
from functools import cache
from typing import Any

from PIL import Image

from eval_flows.episodes.runs.store import Results, Row, write_trajectory
from language_models.chat import Answer, Message, Request
from language_models.client import Client
from language_models.endpoint import Endpoint
from tests.warehouse.episode_rows import episode_row, step_row
from warehouse.layout import DataFolder

RUN = "0123456789abcdef"
_OF_EPISODE = ("run_id", "episode_id", "repeat")


@cache
def picture(number: int, form: str = "PNG") -> bytes:
    """A small picture, another one for each number."""
    file = io.BytesIO()
    Image.new("RGB", (16, 10), (number % 256, number // 256, 90)).save(file, form)
    return file.getvalue()


def describe(data: DataFolder, agent: Row, run_id: str = RUN, **more: Any) -> None:
    """The description of a run."""
    folder = data.runs / run_id
    folder.mkdir(parents=True)
    described = {
        "run_id": run_id,
        "started_at": "2026-05-01T08:00:00+00:00",
        "suite": "smoke",
        "agent": agent,
        "start": "preloaded",
        "machine": "sandbox",
        "episodes": ["ended", "other"],
        "image": ["root"],
        "layout": 2,
    }
    (folder / "suite_run.json").write_text(json.dumps({**described, **more}))


def leave(data: DataFolder, episode_id: str, repeat: int, steps: Sequence[Row], pictures: dict[int, list[bytes]], **more: Any) -> None:
    """The trajectory of an episode, as a worker leaves it."""
    row = episode_row(more.pop("run_id", RUN), episode_id, repeat, **more)
    told = {name: value for name, value in row.items() if name not in ("tries", "fault")}
    found = [
        {name: value for name, value in step_row(row, number, **step).items() if name not in _OF_EPISODE} for number, step in enumerate(steps, 1)
    ]
    write_trajectory(Results(data.runs / row["run_id"]).trajectory((episode_id, repeat)), told, found, pictures)


def scripted_run(data: DataFolder, rewards: dict[str, list[float]], faults: Sequence[tuple[str, int]] = (), **more: Any) -> None:
    """A run of a script with these rewards of each episode; some more were only tried. Every step shows the same screen, but the second."""
    describe(data, {"name": "oracle", "agent": "oracle", "scripted": True}, **more)
    of_run = {"run_id": more["run_id"]} if "run_id" in more else {}
    for episode_id, earned in rewards.items():
        for repeat, reward in enumerate(earned, 1):
            leave(data, episode_id, repeat, [{}, {"words": "Ü"}, {"decision": "DONE", "actions": []}], screens(), reward=reward, **of_run)
    results = Results(data.runs / more.get("run_id", RUN))
    for episode_id, repeat in faults:
        left_out = {"status", "reward", "is_success", "checks", "tries", "fault", "seconds"}
        about = {name: value for name, value in episode_row(RUN, episode_id, repeat).items() if name not in left_out}
        results.note_fault(about, "GuestSilent: no answer within 30 s", 30.0)


def screens() -> dict[int, list[bytes]]:
    return {1: [picture(1)], 2: [picture(2, "JPEG"), picture(3)], 3: [picture(1)]}


def conversation_run(data: DataFolder, base_url: str, samples: int = 2, **of_endpoint: Any) -> dict[int, list[Answer]]:
    """A run whose model was asked twice in each of its episodes, the second time with the first question and answer; the answers by sample."""
    endpoint = Endpoint("m", base_url, **of_endpoint)
    describe(data, {"name": "m", "agent": "conversation", "scripted": False, "model": "m", **endpoint.described})
    answers: dict[int, list[Answer]] = {}
    with Client(endpoint, data.model_calls, RUN) as client:
        for sample in range(1, samples + 1):
            talk = [Message("system", "Be brief."), Message("user", "Step 1.", (picture(1),))]
            first = client.run(client.ask(Request(tuple(talk), sample=sample)))
            talk += [first.message, Message("user", "Step 2.", (picture(2),))]
            last = client.run(client.ask(Request(tuple(talk), sample=sample)))
            answers[sample] = [first, last]
            steps = [{"calls": [first.call_id], "words": first.text}, {"calls": [last.call_id], "decision": "DONE", "actions": []}]
            leave(data, "ended", sample, steps, {1: [picture(1)], 2: [picture(2)]}, reward=float(sample % 2), agent="m")
    return answers
