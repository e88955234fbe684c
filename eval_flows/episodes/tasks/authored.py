"""For authors: the task of an atomic task or of a job, by its id, as `try_task` and `prove_task` play it."""

from atomic_tasks.catalog import Catalog
from atomic_tasks.problems import BadInput
from atomic_tasks.seeds import derived_random
from eval_flows.episodes.tasks.compose import single, values_of
from eval_flows.episodes.tasks.jobs import read_jobs
from eval_flows.episodes.tasks.suite import SUITES, read_suite, suite_names
from eval_flows.episodes.tasks.suite_task import ComposedTask, SuiteTask, WrittenTask, written_task
from eval_flows.episodes.tasks.task import made_task


def authored(task_id: str, catalog: Catalog, seed: int) -> tuple[SuiteTask, str]:
    """Return the task of that id, and the image that it runs on; BadInput if neither an atomic task nor a job has the id."""
    if task_id in catalog.tasks:
        composition = single(catalog, catalog.tasks[task_id], derived_random(seed, task_id))
        values = values_of(composition, catalog, seed, task_id, "bind")
        return ComposedTask(made_task(composition, values, catalog, "L1", ""), composition, (seed, task_id), ()), "desktop"
    if found := job_of_suite(task_id, catalog):
        suite, made = found
        return made, read_suite(suite).image
    raise BadInput(f"there is no atomic task and no job '{task_id}'")


def job_of_suite(job_id: str, catalog: Catalog) -> tuple[str, WrittenTask] | None:
    """Return the name of the suite that has the job, and its task; None if no suite has it. Only the files that name the job are read."""
    for name in suite_names():
        jobs = read_suite(name).jobs
        if jobs and (files := [path.stem for path in (SUITES / jobs).glob("*.yaml") if f"id: {job_id}\n" in path.read_text()]):
            job = next(one for one in read_jobs(SUITES / jobs, catalog, files) if one.id == job_id)
            return name, written_task(job, catalog)
    return None
