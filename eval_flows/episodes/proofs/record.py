"""The record of what is proven: kept in the repository, so that a change of a job without a new proof is found at once.

A proof of hundreds of jobs takes hours. The record names for each job what was proven: its content with all its ways and near misses, and the code
that its checks and its makers reach. CI holds the record against the jobs, and proves a sample.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from eval_flows.episodes.checkers.checker import CHECKERS, known, names_of
from eval_flows.episodes.proofs.proof import Subject, Trial
from eval_flows.episodes.proofs.reached import code_of
from eval_flows.episodes.tasks.makers.maker import family_of
from eval_flows.episodes.tasks.task import Task

FOLDER = Path(__file__).parent / "records"


class Proven(BaseModel):
    """A proven task: its id in the suite, what was proven, how many trials that were, and how long the oracle took (median, seconds)."""

    task: str
    content: str
    trials: int
    oracle_seconds: float


def read_record(suite: str) -> dict[str, Proven]:
    """Return what is proven of a suite, by the ids of its tasks; nothing if there is no record."""
    path = FOLDER / f"{suite}.jsonl"
    lines = path.read_text().splitlines() if path.is_file() else []
    return {one.task: one for one in map(Proven.model_validate_json, lines)}


def not_recorded(suite: str, subjects: Mapping[str, Subject]) -> list[str]:
    """Return which of these tasks, by their ids in the suite, are not in its record as they stand now."""
    known = read_record(suite)
    return [task for task, subject in subjects.items() if task not in known or known[task].content != content_of(subject)]


def write_record(suite: str, proven: Iterable[Proven], tasks: Iterable[str]) -> None:
    """Add what is proven to the record of a suite, and drop what the suite no longer has."""
    kept = read_record(suite) | {one.task: one for one in proven}
    FOLDER.mkdir(exist_ok=True)
    lines = [kept[task].model_dump_json() for task in sorted(set(tasks) & set(kept))]
    (FOLDER / f"{suite}.jsonl").write_text("".join(f"{line}\n" for line in lines))


def proven(task: str, subject: Subject, trials: Iterable[Trial]) -> Proven:
    """Return the entry of a task whose trials all passed."""
    done = list(trials)
    seconds = sorted(trial.seconds for trial in done if trial.kind == "oracle")
    return Proven(task=task, content=content_of(subject), trials=len(done), oracle_seconds=round(seconds[len(seconds) // 2], 1) if seconds else 0.0)


def content_of(subject: Subject) -> str:
    """Return a hash of what a proof carries out and of the code that makes its materials and reads its results."""
    variants = {name: _done_in(task) for name, task in subject.changed.items()}
    others = [[[one.words, _done_in(one.task)] for one in variants] for variants in (subject.ways, subject.near_misses)]
    made_from: Any = [_done_in(subject.task), variants, others, dict(_code(subject.task))]
    return hashlib.blake2b(json.dumps(made_from, sort_keys=True).encode(), digest_size=8).hexdigest()


def _done_in(task: Task) -> Mapping[str, Any]:
    return task.model_dump(exclude={"instruction"})


def _code(task: Task) -> Iterator[tuple[str, str]]:
    """Yield the getters, metrics and makers that a task uses, each with a hash of the code that it reaches."""
    everything = known()
    for step in task.steps:
        for name in (name for entry in step.check for name in names_of(everything, entry)):
            yield name, code_of(CHECKERS.plugin(everything.family[name]).place.partition(":")[0], name)
        for name in (name for entry in step.setup for name in entry):
            yield f"make {name}", code_of(family_of(name), name)
