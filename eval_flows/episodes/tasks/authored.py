"""For authors: the task of an atomic task or of a job, by its id, as `try_task` and `prove_task` play it, and the machine for it."""

from pathlib import Path

from atomic_tasks.catalog import Catalog
from atomic_tasks.problems import BadInput
from atomic_tasks.seeds import derived_random
from eval_flows.episodes.tasks.compose import single, values_of
from eval_flows.episodes.tasks.jobs import read_jobs
from eval_flows.episodes.tasks.suite import ANY_IMAGE, SUITES, read_suite, suite_names
from eval_flows.episodes.tasks.suite_task import ComposedTask, SuiteTask, WrittenTask, written_task
from eval_flows.episodes.tasks.task import made_task
from machines.machine import MachineChoice


def authored(task_id: str, catalog: Catalog, seed: int) -> tuple[SuiteTask, str]:
    """Return the task of that id, and the image that it runs on; BadInput if neither an atomic task nor a job has the id."""
    if task_id in catalog.tasks:
        composition = single(catalog, catalog.tasks[task_id], derived_random(seed, task_id))
        values = values_of(composition, catalog, seed, task_id, "bind")
        return ComposedTask(made_task(composition, values, catalog, "L1", ""), composition, (seed, task_id), ()), ANY_IMAGE
    if found := job_of_suite(task_id, catalog):
        suite, made = found
        return made, read_suite(suite).image or ANY_IMAGE
    raise BadInput(f"there is no atomic task and no job '{task_id}'")


def machine_for(made: SuiteTask, kind: str, image: str, machines: Path, options: tuple[tuple[str, str], ...]) -> MachineChoice:
    """Return the machine that a task is played on; BadInput if the machine lacks a program of the task."""
    choice = MachineChoice(kind, image, machines, dict(options))
    if lacking := sorted(set(made.task.programs) - set(choice.offers.programs)):
        raise BadInput(
            f"this machine of kind '{kind}' lacks {', '.join(lacking)}: name another --image, or a machine of yours (docs/remote_machines.md)"
        )
    return choice


def job_of_suite(job_id: str, catalog: Catalog) -> tuple[str, WrittenTask] | None:
    """Return the name of the suite that has the job, and its task; None if no suite has it. Only the files that name the job are read."""
    for name in suite_names():
        jobs = read_suite(name).jobs
        if jobs and (files := [path.stem for path in (SUITES / jobs).glob("*.yaml") if f"id: {job_id}\n" in path.read_text()]):
            job = next(one for one in read_jobs(SUITES / jobs, catalog, files) if one.id == job_id)
            return name, written_task(job, catalog)
    return None
