"""The annotation of a suite's tasks, as in ProSoftArena (Section 5.2, Appendix B.2 and Table 7)."""

from collections.abc import Mapping
from typing import Any

from atomic_tasks.catalog import Catalog
from eval_flows.episodes.tasks.suite import resource
from eval_flows.episodes.tasks.suite_task import SuiteTask, WrittenTask
from eval_flows.episodes.tasks.task import Task

_EASY, _MEDIUM = 6, 15  # the most lines of an oracle


def annotation(made: SuiteTask, catalog: Catalog) -> Mapping[str, Any]:
    """Return the annotation of a task; what a person did is null where no person has played it."""
    task = made.task
    lines = oracle_lines(task)
    return {
        "episode_id": task.episode_id,
        "instruction": task.instruction,
        "context_resources": sorted({resource(maker, asked) for step in task.steps for entry in step.setup for maker, asked in entry.items()}),
        **_origin(made, catalog),
        "difficulty": "easy" if lines <= _EASY else "medium" if lines <= _MEDIUM else "hard",
        "level": task.level,
        "discipline": task.discipline,
        "applications": task.applications,
        "step_budget": task.budget,
        "oracle_lines": lines,
        "infeasible": task.infeasible,
        "task": made.lineage,
        **_of_job(made),
    }


def oracle_lines(task: Task) -> int:
    """Return how many lines the oracle of a task has, without names of parts."""
    return sum("step" not in entry for step in task.steps for entry in step.oracle)


def _of_job(made: SuiteTask) -> Mapping[str, Any]:
    """Return what only a job is annotated with."""
    job = made.job if isinstance(made, WrittenTask) else None
    person = job.reference if job else None
    return {
        "subfield": job.subfield if job else None,
        "evaluation_criteria": list(job.criteria) if job else [],
        "rubric": list(job.rubric) if job else [],
        "human_steps": person.steps if person else None,
        "human_seconds": person.seconds if person else None,
        "human_recording": person.recording if person else None,
    }


def _origin(made: SuiteTask, catalog: Catalog) -> Mapping[str, Any]:
    """Return where a task comes from, its core operations, and what its result is."""
    if isinstance(made, WrittenTask):
        job = made.job
        return {"task_source": [job.source], "core_operations": list(job.operations), "expected_output": [job.output]}
    task = made.task
    return {
        "task_source": [f"atomic_tasks/applications/{application}.yaml" for application in task.applications],
        "core_operations": [step.task for step in task.steps if not catalog.tasks[step.task].generic],
        "expected_output": [str(entry) for step in task.steps for entry in step.check],
    }
