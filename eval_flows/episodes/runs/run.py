"""A run of episodes: one agent over one suite. Each episode is written completely when it ends, so a killed run goes on where it was.

A run's folder holds `suite_run.json`, which describes the run, and its results, which `store` reads and writes.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from eval_flows.episodes.agents.choice import AgentChoice, Setting, make_agent
from eval_flows.episodes.environment import Environment, PictureForm
from eval_flows.episodes.environment.environment import Start
from eval_flows.episodes.runs.identity import code_hashes
from eval_flows.episodes.runs.play import HISTORY, play
from eval_flows.episodes.runs.store import Results, Row, read_trajectory, write_trajectory
from eval_flows.episodes.runs.trajectory import figures, step_figures
from eval_flows.episodes.runs.upgrade import LAYOUT, upgrade
from eval_flows.episodes.runs.workers import Ask, Respond, supervised
from eval_flows.episodes.tasks.suite_task import SuiteTask
from eval_flows.episodes.tasks.task import STEP_BUDGETS, Task
from eval_flows.progress import Progress
from language_models.endpoint import Endpoint
from language_models.errors import ModelError
from machines.machine import MachineChoice
from warehouse.layout import DataFolder, written_file

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
    form: PictureForm = field(default_factory=PictureForm)
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
            "picture": str(self.form),
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
    """An episode for a worker, with everything that the worker needs. `about` is what is known of its row before it is played."""

    about: Row
    task: Task
    agent: AgentChoice
    machine: MachineChoice
    start: Start
    folder: Path
    form: PictureForm
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
        upgrade(folder)
        _describe(plan, folder)
        results = Results(folder)
        results.sweep()
        rows = results.update()
        wanted = {(one.task.episode_id, repeat): one.task for repeat in range(1, plan.repeats + 1) for one in plan.episodes}
        jobs = [
            _Job(_about(plan, task, key[1]), task, plan.agent, plan.machine, plan.start, results.trajectory(key), plan.form, plan.keep_pictures)
            for key, task in wanted.items()
            if key not in rows or rows[key]["fault"] is not None
        ]
        ended, succeeded = len(wanted) - len(jobs), sum(row["is_success"] or False for row in rows.values())
        progress(plan.suite, ended, len(wanted), "")
        limit = _SECONDS_AROUND + _SECONDS_PER_STEP * max((job.task.budget for job in jobs), default=0)
        ended_by = None
        try:
            for done in supervised(jobs, _play, workers, limit, respond=respond, on_fault=lambda job, *fault: results.note_fault(job.about, *fault)):
                ended, succeeded = ended + 1, succeeded + bool(done.result)
                progress(plan.suite, ended, len(wanted), f"{succeeded} succeeded")
        except ModelError as error:
            ended_by = error
        finally:
            rows = results.update()
    return Ran([rows[key] for key in wanted if key in rows], len(wanted), ended_by)


def _play(job: _Job, ask: Ask) -> bool:
    """Play one episode on its own machine, write its trajectory, and tell whether it succeeded."""
    if job.folder.is_dir():  # an earlier try was lost after it had written the trajectory
        return bool(read_trajectory(job.folder)["episode"]["is_success"])
    with Environment(job.machine.make(), form=job.form) as environment:
        agent = make_agent(Setting(job.task, environment, job.about["repeat"], job.agent, ask))
        played = play(environment, job.task, agent, job.start, job.keep_pictures)
    first = played.first_program
    choice = None if first is None else first in job.about["valid_applications"]
    pictures = {step.number: step.pictures for step in played.steps}
    write_trajectory(job.folder, {**job.about, **figures(played), "is_valid_choice": choice}, [step_figures(step) for step in played.steps], pictures)
    return played.reward.is_success


def _about(plan: Plan, task: Task, repeat: int) -> Row:
    """Return what is known of the row of an episode before it is played."""
    return {
        "run_id": plan.run_id,
        "episode_id": task.episode_id,
        "repeat": repeat,
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
        "valid_applications": list(plan.valid[task.episode_id]),
    }


def _describe(plan: Plan, folder: Path) -> None:
    path = folder / "suite_run.json"
    if not path.is_file():
        started = datetime.now(UTC).isoformat(timespec="seconds")
        with written_file(path) as temporary:
            image = {"image": _image(plan.machine.identity), "packages": plan.machine.offers.packages}
            described = {"run_id": plan.run_id, "started_at": started, "layout": LAYOUT, **plan.described, **image}
            temporary.write_text(json.dumps(described, indent=1) + "\n")


def _image(identity: Mapping[str, Any]) -> list[str]:
    """Return the hashes of the machine's root file system and home folder; of a machine that has no image, the hash of its identity."""
    found = [str(identity[name]) for name in ("root", "home") if name in identity]
    return found or [hashlib.blake2b(json.dumps(identity, sort_keys=True).encode(), digest_size=8).hexdigest()]
