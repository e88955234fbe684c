"""Proving a suite: workers prove every episode, and results are kept by content, so that only changed episodes are proven again."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from atomic_tasks.catalog import Catalog, sound_catalog
from atomic_tasks.problems import BadInput
from eval_flows.episodes.checkers.checker import identities
from eval_flows.episodes.osworld.imported_task import NO_ORACLE, ImportedTask
from eval_flows.episodes.proofs.proof import Subject, Trial, prove
from eval_flows.episodes.proofs.record import not_recorded, proven, write_record
from eval_flows.episodes.runs.identity import code_hashes, imported_code
from eval_flows.episodes.runs.pipeline import ready_machine
from eval_flows.episodes.runs.together import together_of
from eval_flows.episodes.runs.workers import Ask, supervised
from eval_flows.episodes.tasks.suite import read_suite, suite_tasks
from eval_flows.episodes.tasks.suite_task import SuiteTask
from eval_flows.episodes.tasks.task import Task
from eval_flows.progress import Progress
from machines.machine import MachineChoice
from warehouse.layout import DataFolder, fetch, written_file

_SECONDS = 3600.0  # wall clock for all trials of one episode


class Proof(BaseModel):
    """The result of proving an episode; a fault is of the infrastructure. `is_listed`: the suite says why it does not hold."""

    episode_id: str
    tasks: list[str]
    trials: list[Trial]
    fault: str | None = None
    is_listed: bool = False

    @property
    def failed(self) -> list[Trial]:
        """Return the trials that failed."""
        return [trial for trial in self.trials if not trial.passed]

    @property
    def is_proven(self) -> bool:
        """Tell whether every trial passed."""
        return self.fault is None and not self.failed

    @property
    def rewards_nothing_done(self) -> bool:
        """Tell whether doing nothing earned something, or did damage: then the task is wrong, and not its oracle."""
        return any(trial.kind == "nothing" for trial in self.failed)

    def is_explained_by(self, reason: str | None) -> bool:
        """Tell whether the reason that a suite gives covers what failed. A missing oracle explains that it does nothing, and no more."""
        if reason == NO_ORACLE:
            return self.fault is None and not self.rewards_nothing_done
        return reason is not None


@dataclass(frozen=True)
class _Job:
    subject: Subject
    machine: MachineChoice
    key: str

    @property
    def task(self) -> Task:
        return self.subject.task


@dataclass(frozen=True)
class Part:
    """The part of a suite to prove: empty for all levels, empty for all applications, None for all episodes.

    `is_changed` leaves out what the record of the suite has as it stands, and what cannot be done.
    """

    levels: Sequence[str] = ()
    applications: Sequence[str] = ()
    limit: int | None = None
    is_changed: bool = False

    def of(self, episodes: Sequence[SuiteTask]) -> list[SuiteTask]:
        """Return its episodes: those of these levels that use only these applications."""
        return [
            one
            for one in episodes
            if (not self.levels or one.task.level in self.levels) and (not self.applications or set(one.task.applications) <= set(self.applications))
        ][: self.limit]


def prove_suite(
    name: str,
    data: DataFolder,
    workers: int,
    progress: Progress,
    part: Part,
    machine_kind: str = "sandbox",
    machine_options: Mapping[str, str] | None = None,
    is_recorded: bool = False,
) -> list[Proof]:
    """Prove the episodes of a part of a suite that are not proven yet, and return the proofs of the whole part.

    `is_recorded` keeps in the repository what is proven, each as soon as it is.
    """
    suite, catalog = read_suite(name), sound_catalog()
    episodes = suite_tasks(suite, catalog)
    known = {application for one in episodes for application in one.task.applications}
    unknown = sorted(set(part.applications) - known)
    if unknown:
        raise BadInput(f"no episode of the suite '{name}' is in '{unknown[0]}'; there are {', '.join(sorted(known))}")
    in_suite = [one.lineage for one in episodes]
    episodes = part.of(_changed(name, episodes, catalog) if part.is_changed else episodes)
    machine = ready_machine(name, [one.task for one in episodes], data, machine_kind, machine_options or {})
    jobs = [_job(subject_of(one, catalog), machine) for one in episodes]
    fetch(data.proofs)
    kept = {job.key: _kept(data, job) for job in jobs}
    todo = [job for job in jobs if kept[job.key] is None]
    progress(f"prove {name}", len(jobs) - len(todo), len(jobs), "")
    names = {one.task.episode_id: one.lineage for one in episodes}

    def keep_record(made: Proof, job: _Job) -> None:
        if is_recorded and made.is_proven and made.trials:  # what cannot be done has no trials, and nothing is shown of it
            write_record(name, [proven(names[job.task.episode_id], job.subject, made.trials)], in_suite)

    for job in jobs:
        if (before := kept[job.key]) is not None:
            keep_record(before, job)
    failed = 0
    for number, done in enumerate(supervised(todo, _prove, workers, _SECONDS, together=together_of(job.task for job in todo)), 1):
        tasks = [step.task for step in done.job.task.steps]
        made = Proof(episode_id=done.job.task.episode_id, tasks=tasks, trials=done.result or [], fault=done.fault)
        kept[done.job.key] = made
        failed += not made.is_proven
        if made.fault is None:
            with written_file(data.proofs / f"{done.job.key}.json") as temporary:
                temporary.write_text(made.model_dump_json(indent=1))
        keep_record(made, done.job)
        progress(f"prove {name}", len(jobs) - len(todo) + number, len(jobs), f"{failed} unproven")
    reasons = {one.task.episode_id: one.unproven for one in episodes}
    proofs = [proof for job in jobs if (proof := kept[job.key]) is not None]
    return [proof.model_copy(update={"is_listed": proof.is_explained_by(reasons[proof.episode_id])}) for proof in proofs]


def _changed(suite: str, episodes: Sequence[SuiteTask], catalog: Catalog) -> list[SuiteTask]:
    """Return the episodes that can be done and are not in the record of the suite as they stand."""
    feasible = {one.lineage: one for one in episodes if one.task.infeasible is None}
    return [feasible[lineage] for lineage in not_recorded(suite, {lineage: subject_of(one, catalog) for lineage, one in feasible.items()})]


def subject_of(one: SuiteTask, catalog: Catalog) -> Subject:
    """Return what a proof of a suite's task carries out."""
    return Subject(one.task, one.changed(catalog), one.ways(catalog), one.near_misses(catalog))


def _job(subject: Subject, machine: MachineChoice) -> _Job:
    """Return the job of a proof; its key covers the task with all its variants, the machine, and the code that makes, does and judges them."""
    code = code_hashes(machine.kind)
    variants = [[[one.words, _done_in(one.task)] for one in variants] for variants in (subject.ways, subject.near_misses)]
    made_from = [
        _done_in(subject.task),
        {name: _done_in(one) for name, one in subject.changed.items()},
        [machine.identity, machine.offers.described],
        [code["checks"], code["machine"], identities(entry for step in subject.task.steps for entry in step.check)],
        *([variants] if any(variants) else []),
        *([imported_code()] if isinstance(subject.task, ImportedTask) else []),
    ]
    return _Job(subject, machine, hashlib.blake2b(json.dumps(made_from, sort_keys=True).encode(), digest_size=10).hexdigest())


def _done_in(task: Task) -> dict[str, Any]:
    """Return what a proof depends on: everything except the instruction's words."""
    return task.model_dump(exclude={"instruction"})


def _prove(job: _Job, _: Ask) -> list[Trial]:
    return prove(job.subject, job.machine)


def _kept(data: DataFolder, job: _Job) -> Proof | None:
    path = data.proofs / f"{job.key}.json"
    if not path.is_file():
        return None
    return Proof.model_validate_json(path.read_text()).model_copy(update={"episode_id": job.task.episode_id})
