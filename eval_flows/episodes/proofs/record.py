"""The record of what is proven: kept in the repository, so that a change of a job without a new proof is found at once.

A proof of hundreds of jobs takes hours. The record names for each job what was proven: its content with all its ways and near misses, and the code
of the checkers and makers that it uses. CI holds the record against the jobs, and proves a sample.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from eval_flows.episodes.checkers.checker import CHECKERS, known
from eval_flows.episodes.proofs.proof import Subject, Trial
from eval_flows.episodes.runs.identity import meaning
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
    code = {str(path.name): hashlib.blake2b(meaning(path), digest_size=8).hexdigest() for path in sorted(set(_code(subject.task)))}
    made_from: Any = [_done_in(subject.task), variants, others, code]
    return hashlib.blake2b(json.dumps(made_from, sort_keys=True).encode(), digest_size=8).hexdigest()


def _done_in(task: Task) -> Mapping[str, Any]:
    return task.model_dump(exclude={"instruction"})


def _code(task: Task) -> Iterator[Path]:
    """Yield the modules of the getters and makers that a task uses."""
    everything = known()
    for step in task.steps:
        for entry in step.check:
            plugin = CHECKERS.plugin(everything.family[everything.split(entry)[0]])
            yield Path(str(import_module(plugin.place.partition(":")[0]).__file__))
        for entry in step.setup:
            for name in entry:
                yield Path(str(import_module(family_of(name)).__file__))
