"""A run of episodes: one agent over one suite. Each episode is written completely when it ends, so a killed run goes on where it was.

A run's folder holds `suite_run.json`, a trajectory for each episode and repeat (steps, checks and pictures), `episodes.jsonl` with a line for each,
and the same rows as Parquet for the warehouse.
"""

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from eval_flows.episodes.agents.choice import AgentChoice, Setting, make_agent
from eval_flows.episodes.environment import Environment
from eval_flows.episodes.environment.environment import Start
from eval_flows.episodes.runs.identity import code_hashes
from eval_flows.episodes.runs.play import HISTORY, play
from eval_flows.episodes.runs.trajectory import Trajectory, as_json
from eval_flows.episodes.runs.workers import Ask, Done, Respond, supervised
from eval_flows.episodes.tasks.suite import SuiteTask
from eval_flows.episodes.tasks.task import STEP_BUDGETS, Task
from eval_flows.progress import Progress
from language_models.endpoint import Endpoint
from language_models.errors import ModelError
from machines.machine import MachineChoice
from warehouse.layout import DataFolder, written_file, written_folder
from warehouse.parquet import write_rows

Row = dict[str, Any]
_SECONDS_PER_STEP = 30.0  # of the wall clock that ends a hanging episode from outside; it stops while an episode waits for the model
_SECONDS_AROUND = 180.0


@dataclass(frozen=True)
class Plan:
    """The plan of a run: episodes of a suite, the agent, the endpoint of its model, and how each episode starts.

    `valid` holds, for every episode of the suite, the applications that can do its first phase, and `checkers` what identifies the checkers that come
    from packages.
    """

    suite: str
    of_suite: Sequence[str]
    episodes: Sequence[SuiteTask]
    valid: Mapping[str, Sequence[str]]
    agent: AgentChoice
    machine: MachineChoice
    checkers: Sequence[Any]
    start: Start
    repeats: int
    endpoint: Endpoint | None = None
    keep_pictures: bool = True

    @property
    def described(self) -> dict[str, Any]:
        """Return everything that decides the result of the run; the run's id is the hash of it.

        All episodes of the suite belong to it, even if only some are played at first.
        """
        described = {
            "suite": self.suite,
            "episodes": sorted(self.of_suite),
            "agent": self.agent.described | (self.endpoint.described if self.endpoint else {}),
            "machine": self.machine.kind,
            "machine_identity": self.machine.identity,
            "start": self.start,
            "offers": self.machine.offers.described,
            "step_budgets": STEP_BUDGETS,
            "history": HISTORY,
            "code": code_hashes(self.machine.kind),
            "checkers": self.checkers,
        }
        return described | {"valid": self.valid} if self.start == "bare" else described

    @property
    def run_id(self) -> str:
        """Return the run's id; more repeats, a larger limit and other levels extend a run."""
        return hashlib.blake2b(json.dumps(self.described, sort_keys=True).encode(), digest_size=8).hexdigest()


@dataclass(frozen=True)
class _Job:
    """An episode for a worker, with everything that the worker needs."""

    task: Task
    repeat: int
    agent: AgentChoice
    machine: MachineChoice
    start: Start
    folder: Path
    keep_pictures: bool


@dataclass(frozen=True)
class Ran:
    """The finished ones of the requested episodes and repeats, the number requested, and the error that ended the run early, if any."""

    rows: list[Row]
    wanted: int
    ended_by: ModelError | None


def run_episodes(plan: Plan, data: DataFolder, workers: int, progress: Progress, respond: Respond | None = None) -> Ran:
    """Play the episodes that are not played yet; the next call retries faults of the infrastructure.

    A reached budget or a dead endpoint ends the run: episodes at work are given up, and finished ones are kept.
    """
    folder = data.runs / plan.run_id
    with data.locked(f"run-{plan.run_id}"):
        _describe(plan, folder)
        wanted = [(one.task, repeat) for repeat in range(1, plan.repeats + 1) for one in plan.episodes]
        rows = _rows_there(plan, folder)
        jobs = [
            _Job(task, repeat, plan.agent, plan.machine, plan.start, _folder_of(folder, task, repeat), plan.keep_pictures)
            for task, repeat in wanted
            if not _has_ended(rows.get((task.episode_id, repeat)))
        ]
        progress(plan.suite, len(wanted) - len(jobs), len(wanted), "")
        limit = _SECONDS_AROUND + _SECONDS_PER_STEP * max((job.task.budget for job in jobs), default=0)
        ended_by = None
        try:
            for number, done in enumerate(supervised(jobs, _play, workers, limit, respond=respond), 1):
                row = _row(plan, done)
                rows[row["episode_id"], row["repeat"]] = row
                _append(folder / "episodes.jsonl", row)
                for fault in done.faults:
                    _append(folder / "faults.jsonl", {"episode_id": row["episode_id"], "repeat": row["repeat"], "fault": fault})
                succeeded = sum(one["is_success"] or False for one in rows.values())
                progress(plan.suite, len(wanted) - len(jobs) + number, len(wanted), f"{succeeded} succeeded")
        except ModelError as error:
            ended_by = error
        finally:
            _write_tables(folder, list(rows.values()))
    keys = [(task.episode_id, repeat) for task, repeat in wanted]
    return Ran([rows[key] for key in keys if key in rows], len(wanted), ended_by)


def _play(job: _Job, ask: Ask) -> Row:
    """Play one episode on its own machine and return its part of the row. The trajectory is written completely, or not at all."""
    with Environment(job.machine.make()) as environment:
        agent = make_agent(Setting(job.task, environment, job.repeat, job.agent, ask))
        played = play(environment, job.task, agent, job.start, job.keep_pictures)
    with written_folder(job.folder) as temporary:
        for step in played.steps:
            if step.screenshot is not None:
                (temporary / f"{step.number:03}.png").write_bytes(step.screenshot)
        (temporary / "trajectory.json").write_text(json.dumps(as_json(played), indent=1))
    return _figures(played)


def _figures(played: Trajectory) -> Row:
    return {
        "status": played.status,
        "reward": played.reward.value,
        "side_effects": played.reward.side_effects,
        "is_success": played.reward.is_success,
        "steps": len(played.steps),
        "malformed": played.malformed,
        "ready_seconds": round(played.ready_seconds, 3),
        "seconds": round(played.seconds, 3),
        "first_application": played.first_program,
        "input_tokens": played.spent.input_tokens,
        "output_tokens": played.spent.output_tokens,
        "cost_usd": played.spent.cost_usd,
        "model_seconds": round(played.spent.seconds, 3),
        "checks": as_json(played)["checks"],
    }


def _row(plan: Plan, done: Done[_Job]) -> Row:
    """Return the row of an task. A fault has no reward and counts in no denominator."""
    task = done.job.task
    figures = done.result or dict.fromkeys(("reward", "side_effects", "is_success", "steps", "malformed", "ready_seconds", "first_application")) | {
        "status": "infrastructure fault", "seconds": round(done.seconds, 3), "input_tokens": 0, "output_tokens": 0, "cost_usd": 0.0, "checks": [],
        "model_seconds": None,
    }  # fmt: skip
    valid = list(plan.valid[task.episode_id])
    first = figures["first_application"]
    return {
        "run_id": plan.run_id,
        "episode_id": task.episode_id,
        "repeat": done.job.repeat,
        "suite": plan.suite,
        "agent": plan.agent.name,
        "start": plan.start,
        "level": task.level,
        "discipline": task.discipline,
        "application": task.applications[0],
        "applications": task.applications,
        "instruction": task.instruction,
        "infeasible": task.infeasible,
        "step_budget": task.budget,
        "valid_applications": valid,
        "is_valid_choice": None if first is None else first in valid,
        "tries": done.tries,
        "fault": done.fault,
        **figures,
    }


def _describe(plan: Plan, folder: Path) -> None:
    path = folder / "suite_run.json"
    if not path.is_file():
        started = datetime.now(UTC).isoformat(timespec="seconds")
        with written_file(path) as temporary:
            image = {"image": _image(plan.machine.identity), "packages": plan.machine.offers.packages}
            described = {"run_id": plan.run_id, "started_at": started, **plan.described, **image}
            temporary.write_text(json.dumps(described, indent=1) + "\n")


def _image(identity: Mapping[str, Any]) -> list[str]:
    """Return the hashes of the machine's root file system and home folder; of a machine that has no image, the hash of its identity."""
    found = [str(identity[name]) for name in ("root", "home") if name in identity]
    return found or [hashlib.blake2b(json.dumps(identity, sort_keys=True).encode(), digest_size=8).hexdigest()]


def _rows_there(plan: Plan, folder: Path) -> dict[tuple[str, int], Row]:
    """Return the last row of each episode and repeat. A last line that a kill cut off is skipped, and its episode played again."""
    path = folder / "episodes.jsonl"
    rows: dict[tuple[str, int], Row] = {}
    for line in path.read_text().splitlines() if path.is_file() else ():
        try:
            row = json.loads(line)
        except ValueError:
            continue
        rows[row["episode_id"], row["repeat"]] = row
    return rows


def _has_ended(row: Row | None) -> bool:
    return row is not None and row["fault"] is None


def _append(path: Path, row: Row) -> None:
    with path.open("a+b") as file:
        cut_off = file.tell() > 0 and file.seek(-1, os.SEEK_END) >= 0 and file.read(1) != b"\n"
        file.write(b"\n" * cut_off + json.dumps(row).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())


def _write_tables(folder: Path, rows: Sequence[Row]) -> None:
    """Write the run as Parquet."""
    ordered = sorted(rows, key=lambda row: (row["repeat"], row["episode_id"]))
    write_rows(folder / "episodes" / "00000.parquet", "episodes", ordered)
    steps = [step for row in ordered if row["fault"] is None for step in _steps(folder, row)]
    write_rows(folder / "steps" / "00000.parquet", "steps", steps)


def _steps(folder: Path, row: Row) -> list[Row]:
    path = folder / "trajectories" / f"{row['episode_id']}_{row['repeat']}" / "trajectory.json"
    named = {name: row[name] for name in ("run_id", "episode_id", "repeat")}
    found = json.loads(path.read_text())["steps"]
    return [{**named, **step, "pointer_x": (step["pointer"] or (None, None))[0], "pointer_y": (step["pointer"] or (None, None))[1]} for step in found]


def _folder_of(folder: Path, task: Task, repeat: int) -> Path:
    return folder / "trajectories" / f"{task.episode_id}_{repeat}"
