"""Protects the jobs of `professional` on the real programs: one of those whose proof the last commit recorded, or another one each day, is proven.

It is proven on the part of the image that it needs. The whole is `deskmill prove professional`.
"""

import json
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from atomic_tasks.catalog import Catalog
from eval_flows.episodes.proofs import proof
from eval_flows.episodes.proofs.proving import subject_of
from eval_flows.episodes.proofs.record import FOLDER
from eval_flows.episodes.tasks.suite import read_suite, suite_tasks
from eval_flows.episodes.tasks.suite_task import SuiteTask
from machines.build import build_image
from machines.machine import MachineChoice
from tests.conftest import REPOSITORY

_STRIDE = 7  # days after one another prove jobs of different programs


@pytest.mark.slow(minutes=3)
def test_the_job_of_the_day_is_proven(catalog: Catalog, pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch) -> None:
    """All its trials with --whole, otherwise one of each kind: the record of the suite holds that all of them passed (test_record)."""
    is_whole = pytestconfig.getoption("--whole")
    if not is_whole:
        monkeypatch.setattr(proof, "_runs", one_of_each_kind(proof._runs))
    feasible = [one for one in suite_tasks(read_suite("professional"), catalog) if one.task.infeasible is None and one.unproven is None]
    in_one_program = [one for one in feasible if len(_programs(one)) == 1]
    recorded = newly_recorded()
    drawn_from = [one for one in in_one_program if one.lineage in recorded] or in_one_program
    job = drawn_from[datetime.now(UTC).toordinal() * _STRIDE % len(drawn_from)]
    (program,) = _programs(job)
    image = build_image(f"professional.{program}", REPOSITORY / "data" / "machines", print)
    subject = subject_of(job, catalog)
    trials = proof.prove(subject, MachineChoice("sandbox", image.name, image.machines))
    kinds = {run.kind for run in proof._runs(subject)}
    assert kinds >= {"nothing", "oracle", "other way", "near miss"} and {trial.kind for trial in trials} - {"spoiled oracle"} == kinds, job.lineage
    assert len(trials) >= (8 if is_whole else len(kinds))
    assert all(trial.passed for trial in trials), (job.lineage, [trial for trial in trials if not trial.passed])


def newly_recorded() -> set[str]:
    """The jobs whose proof the last commit recorded; none outside of a clone."""
    path = str((FOLDER / "professional.jsonl").relative_to(REPOSITORY))
    command = ["git", "diff", "--unified=0", "HEAD^", "HEAD", "--", path]
    said = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False).stdout
    return {json.loads(line[1:])["task"] for line in said.splitlines() if line.startswith("+{")}


def one_of_each_kind(runs: Any) -> Any:
    """The runs of a proof, the last of each kind: the second oracle is the one whose result is spoiled."""

    def sampled(subject: proof.Subject) -> Iterator[Any]:
        yield from {run.kind: run for run in runs(subject)}.values()

    return sampled


def _programs(job: SuiteTask) -> set[str]:
    """The programs of a job, with those that its oracle opens besides."""
    return {step.program for step in job.task.steps} | {
        entry["open_program"] for step in job.task.steps for entry in step.oracle if "open_program" in entry
    }
