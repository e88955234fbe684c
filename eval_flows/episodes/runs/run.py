"""A run of episodes: one agent over one suite. Each episode is written completely when it ends, so a killed run goes on where it was.

A run's folder holds `suite_run.json`, which describes the run, and its results, which `store` reads and writes.
"""

import hashlib
import json
import platform
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from eval_flows.episodes.agents.choice import AgentChoice, Setting, make_agent
from eval_flows.episodes.environment import Environment, PictureForm
from eval_flows.episodes.environment.stage import Start
from eval_flows.episodes.people.desk import Desk
from eval_flows.episodes.people.events import FILE as EVENTS
from eval_flows.episodes.people.intervention import PeopleChoice, pictures_of
from eval_flows.episodes.people.reception import FOLDER as LIVE
from eval_flows.episodes.people.reception import received
from eval_flows.episodes.runs.away import done_away
from eval_flows.episodes.runs.identity import code_hashes
from eval_flows.episodes.runs.left_files import LeftFile, left_files
from eval_flows.episodes.runs.play import HISTORY, play
from eval_flows.episodes.runs.store import Key, Results, Row, read_trajectory, write_trajectory
from eval_flows.episodes.runs.together import together_of
from eval_flows.episodes.runs.trajectory import Trajectory, figures, step_figures
from eval_flows.episodes.runs.upgrade import LAYOUT, upgrade
from eval_flows.episodes.runs.workers import Ask, Respond, supervised
from eval_flows.episodes.tasks.suite_task import SuiteTask
from eval_flows.episodes.tasks.task import STEP_BUDGETS, Task
from eval_flows.progress import Progress
from language_models.endpoint import Endpoint
from language_models.errors import ModelError
from machines.errors import MachineError
from machines.machine import MachineChoice
from machines.packed import on_this_host
from runners.runner import Opened
from warehouse.layout import DataFolder, fetch, written_file

_SECONDS_PER_STEP = 30.0  # of the wall clock that ends a hanging episode from outside; it stops while an episode waits for the model
_SECONDS_AROUND = 180.0


@dataclass(frozen=True)
class Plan:
    """The plan of a run: episodes of a suite, the agent, the endpoint of its model, and how each episode starts.

    `valid` holds, for every episode of the suite, the applications that can do its first phase, and `checkers` what identifies the checkers that come
    from packages. With `people`, people take part, on this host.
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
    people: PeopleChoice | None = None

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
        described |= self.people.described if self.people else {}
        return described | {"valid": self.valid} if self.start == "bare" else described

    @property
    def run_id(self) -> str:
        """Return the run's id; more repeats, a larger limit and other levels extend a run."""
        return hashlib.blake2b(json.dumps(self.described, sort_keys=True).encode(), digest_size=8).hexdigest()

    @property
    def wanted(self) -> dict[Key, SuiteTask]:
        """Return the episodes and repeats to play, in their order."""
        return {(one.task.episode_id, repeat): one for repeat in range(1, self.repeats + 1) for one in self.episodes}

    def left(self, data: DataFolder) -> list[SuiteTask]:
        """Return the episodes that have no trajectory yet, one for each repeat."""
        fetch(data.runs / self.run_id)
        results = Results(data.runs / self.run_id)
        return [one for key, one in self.wanted.items() if not results.trajectory(key).is_dir()]

    def is_played(self, data: DataFolder) -> bool:
        """Tell whether every wanted episode was played to its end."""
        return not self.left(data)


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
    people: PeopleChoice | None = None

    def __str__(self) -> str:
        return f"episode {self.about['episode_id']}, repeat {self.about['repeat']}"


@dataclass(frozen=True)
class Ran:
    """The finished ones of the requested episodes and repeats, the number requested, and the error that ended the run early, if any."""

    rows: list[Row]
    wanted: int
    ended_by: ModelError | None


def run_episodes(plan: Plan, data: DataFolder, workers: int, progress: Progress, respond: Respond | None = None, runner: Opened | None = None) -> Ran:
    """Play the episodes that are not played yet; the next call retries faults of the infrastructure.

    `workers` of them are played at once on this host, or as many as the workers of a runner take. A reached budget or a dead endpoint ends the run:
    episodes at work are given up, and finished ones are kept.
    """
    folder = data.runs / plan.run_id
    with data.locked(f"run-{plan.run_id}"):
        upgrade(folder)
        _describe(plan, folder)
        results = Results(folder)
        results.sweep()
        shutil.rmtree(folder / LIVE, ignore_errors=True)  # the cards of killed workers
        rows = results.update()
        wanted = {key: one.task for key, one in plan.wanted.items()}
        left = [key for key in wanted if key not in rows or rows[key]["fault"] is not None]
        machine = on_this_host(plan.machine) if left and runner is None else plan.machine
        jobs = [_job(plan, wanted[key], key[1], results.trajectory(key), machine) for key in left]
        ended, succeeded = len(wanted) - len(jobs), sum(rows[key]["is_success"] or False for key in wanted if key in rows)
        progress(plan.suite, ended, len(wanted), "")
        limit = _SECONDS_AROUND + _SECONDS_PER_STEP * max((job.task.budget for job in jobs), default=0)
        limit += plan.people.most_seconds if plan.people else 0.0
        ended_by = None
        if runner is None:
            carry_out = partial(supervised, jobs, _play, workers, limit, together=together_of(job.task for job in jobs))
        else:
            carry_out = partial(done_away, runner, jobs, _play, limit, partial(_prepared, plan.machine.identity))
        try:
            for done in carry_out(respond=respond, on_fault=lambda job, *fault: results.note_fault(job.about, *fault)):
                ended, succeeded = ended + 1, succeeded + bool(done.result)
                progress(plan.suite, ended, len(wanted), f"{succeeded} succeeded")
        except ModelError as error:
            ended_by = error
        finally:
            if runner is not None:
                fetch(folder)  # of an object store: what other hosts wrote is not here yet
            rows = results.update()
    return Ran([rows[key] for key in wanted if key in rows], len(wanted), ended_by)


def _play(job: _Job, ask: Ask) -> bool:
    """Play one episode on its own machine, write its trajectory, and tell whether it succeeded."""
    if job.folder.is_dir():  # an earlier try was lost after it had written the trajectory
        return bool(read_trajectory(job.folder)["episode"]["is_success"])
    with Environment(job.machine.make(), form=job.form) as environment, _desk(job, environment) as desk:
        agent = make_agent(Setting(job.task, environment, job.about["repeat"], job.agent, ask, desk, job.folder.parents[2]))
        played = play(environment, job.task, agent, job.start, job.keep_pictures, desk=None if job.agent.is_person else desk)
        _write(job, played, left_files(environment, job.task), bytes(desk.events) if desk else b"")
    return played.reward.is_success


@contextmanager
def _desk(job: _Job, environment: Environment) -> Iterator[Desk | None]:
    """Yield the desk at which people come to the episode; None if they may not."""
    if job.people is None:
        yield None
        return
    desk = Desk(job.about, environment, job.people, job.agent.is_person)
    with received(desk, environment, job.folder.parents[1] / LIVE / f"{job.folder.name}.json"):
        yield desk


def _write(job: _Job, played: Trajectory, left: Sequence[LeftFile], events: bytes) -> None:
    first = played.first_program
    choice = None if first is None else first in job.about["valid_applications"]
    pictures = {step.number: step.pictures for step in played.steps}
    interventions = [one.row(job.task.episode_id, job.about["repeat"]) for one in played.interventions]
    episode, steps = {**job.about, **figures(played), "is_valid_choice": choice}, [step_figures(step) for step in played.steps]
    of_people = pictures_of(played.interventions) | ({EVENTS: events} if events else {})
    write_trajectory(job.folder, episode, steps, pictures, interventions, of_people, left)


def _prepared(identity: Mapping[str, Any], job: _Job) -> _Job:
    """Return a job with the machine of this host, its image unpacked; `MachineError` if its identity is not that of the run's machine."""
    machine = on_this_host(job.machine)
    if (here := machine.identity) != identity:
        other = ", ".join(name for name in sorted({*here, *identity}) if here.get(name) != identity.get(name))
        raise MachineError(
            f"the machine '{machine.image or machine.kind}' of host {platform.node()} is not that of the run (different: {other}): "
            "make the same image on all hosts (deskmill machine build --from), or pack it for them (deskmill machine pack)"
        )
    return replace(job, machine=machine)


def _job(plan: Plan, task: Task, repeat: int, folder: Path, machine: MachineChoice) -> _Job:
    return _Job(_about(plan, task, repeat), task, plan.agent, machine, plan.start, folder, plan.form, plan.keep_pictures, plan.people)


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
