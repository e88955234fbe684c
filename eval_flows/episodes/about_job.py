"""All about one job for a reader: what it asks, what its checks look at, whether it is proven, and what its reviews found."""

import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from atomic_tasks.catalog import sound_catalog
from atomic_tasks.schema import Declared
from eval_flows.episodes.proofs.proving import subject_of
from eval_flows.episodes.proofs.record import Proven, content_of, read_record
from eval_flows.episodes.references import ReferenceRun, declared_run, effort_lines, reference_runs
from eval_flows.episodes.tasks.annotation import annotation
from eval_flows.episodes.tasks.authored import job_of_suite
from eval_flows.episodes.tasks.jobs import Job
from eval_flows.episodes.tasks.reviews import Review, read_reviews

_WIDTH = 120
_TOLD = ("level", "discipline", "subfield", "difficulty", "step_budget", "context_resources")  # of its annotation, in a line each


class AboutJob(Declared):
    """A job of a suite. `proven` is None if its proof is not kept as the job stands now; `person` is the reference run of a person."""

    kind: str = "job"
    suite: str
    job: Job
    annotation: Mapping[str, Any]
    proven: Proven | None
    person: ReferenceRun | None
    reviews: tuple[Review, ...]

    def text(self) -> str:
        """Return it as lines for a person."""
        return "\n".join(textwrap.fill(line, _WIDTH, subsequent_indent=" " * 8, break_on_hyphens=False) for line in self._lines())

    def _lines(self) -> Iterator[str]:
        job, asked = self.job, self.annotation["instruction"]
        yield f"job {job.id} of the suite {self.suite}"
        yield f"instruction: {asked}"
        for key in _TOLD:
            value = self.annotation[key]
            yield f"{key.replace('_', ' ')}: {', '.join(value) if isinstance(value, list) else value}"
        yield f"source: {job.source}"
        yield f"core operations: {', '.join(job.operations)}"
        yield f"output: {job.output}"
        yield f"criteria: {', '.join(job.criteria)}"
        yield from (f"rubric: {one}" for one in job.rubric)
        yield from (f"other way: {one.way}" for one in job.also)
        yield from (f"near miss: {one.mistake}" for one in job.near_misses)
        yield f"proof: {self._proof()}"
        yield from effort_lines(self.annotation["oracle_lines"], self.proven.oracle_seconds if self.proven else None, self.person, self.suite)
        for review in self.reviews:
            yield from review.lines(asked)

    def _proof(self) -> str:
        if self.job.infeasible is not None:
            return f"none, it is infeasible: {self.job.infeasible}"
        if self.proven is None:
            return f"not proven: {self.job.unproven}" if self.job.unproven else "not proven as it stands"
        return f"{self.proven.trials} trials"


def about_job(job_id: str, warehouse: Path) -> AboutJob | None:
    """Return all about the job of that id; None if no suite has it. The warehouse tells what people showed.

    BadInput if the file of the job, or the reviews of its suite, have problems.
    """
    catalog = sound_catalog()
    found = job_of_suite(job_id, catalog)
    if found is None:
        return None
    suite, made = found
    known = read_record(suite).get(job_id)
    holds = known is not None and known.content == content_of(subject_of(made, catalog))
    return AboutJob(
        suite=suite,
        job=made.job,
        annotation=annotation(made, catalog),
        proven=known if holds else None,
        person=reference_runs(warehouse, suite).get(made.task.episode_id) or declared_run(made.job.reference),
        reviews=tuple(read_reviews(suite).get(job_id, ())),
    )
