"""Protects the jobs of `professional` on the real programs: a sample, another one each day, is proven on the part of the image that it needs. The whole is `deskmill prove professional`."""

from datetime import UTC, datetime

import pytest

from atomic_tasks.catalog import Catalog
from eval_flows.episodes.proofs.proof import prove
from eval_flows.episodes.proofs.proving import subject_of
from eval_flows.episodes.tasks.suite import read_suite, suite_tasks
from eval_flows.episodes.tasks.suite_task import SuiteTask
from machines.build import build_image
from machines.machine import MachineChoice
from tests.conftest import REPOSITORY

_STRIDE = 7  # days after one another prove jobs of different programs


@pytest.mark.slow(minutes=4)
def test_the_job_of_the_day_is_proven(catalog: Catalog) -> None:
    feasible = [one for one in suite_tasks(read_suite("professional"), catalog) if one.task.infeasible is None and one.unproven is None]
    in_one_program = [one for one in feasible if len(_programs(one)) == 1]
    job = in_one_program[datetime.now(UTC).toordinal() * _STRIDE % len(in_one_program)]
    (program,) = _programs(job)
    image = build_image(f"professional.{program}", REPOSITORY / "data" / "machines", print)
    trials = prove(subject_of(job, catalog), MachineChoice("sandbox", image.name, image.machines))
    assert len(trials) >= 8 and all(trial.passed for trial in trials), (job.lineage, [trial for trial in trials if not trial.passed])


def _programs(job: SuiteTask) -> set[str]:
    """The programs of a job, with those that its oracle opens besides."""
    return {step.program for step in job.task.steps} | {
        entry["open_program"] for step in job.task.steps for entry in step.oracle if "open_program" in entry
    }
