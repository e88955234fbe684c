"""A run: one protocol over one dataset's tasks. Each slice is written whole, so that a killed run can continue."""

import hashlib
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pyarrow.parquet as pq

from atomic_tasks.catalog import Catalog
from atomic_tasks.problems import BadInput
from eval_flows.datasets import Dataset
from eval_flows.progress import Progress
from eval_flows.selection.predictions import Row, prediction
from eval_flows.selection.selectors import AnswerKind, Prediction, Selector, SelectorOptions, find_protocol, make_selector
from eval_flows.selection.tasks import Task, scored_tasks
from warehouse.layout import DataFolder, written_file
from warehouse.parquet import write_rows
from warehouse.upgrades import read_rows

SLICE = 500
_SHOWN_EVERY = 0.2  # seconds


@dataclass(frozen=True)
class Run:
    """A run, finished or ended early."""

    run_id: str
    dataset_id: str
    protocol: str
    model: str
    answer_kind: AnswerKind
    tasks: int


def tasks_to_score(dataset: Dataset, protocol: str, options: SelectorOptions) -> list[Task]:
    """Return the dataset's tasks of the protocol's shapes and the chosen split, in a fixed order, up to the limit."""
    choices = options.choices
    return scored_tasks(dataset, choices.split, find_protocol(protocol).shapes(choices.with_singletons))[: choices.limit]


def run_selection(dataset: Dataset, protocol: str, options: SelectorOptions, catalog: Catalog, data: DataFolder, progress: Progress) -> Run:
    """Answer the tasks to score, and write the answers with their scores.

    Rows from earlier are not answered again, except rows whose call failed. A larger limit extends the run; a smaller one leaves the rows
    beyond it unchanged. If the answers end early, because the budget is used up or an endpoint fails, the answers so far are
    written, and the error is raised again.
    """
    selector = make_selector(protocol, catalog, options)
    tasks = tasks_to_score(dataset, protocol, options)
    refuse_known(selector, tasks, protocol)
    described = describe(dataset, protocol, selector, options)
    run_id = hashlib.blake2b(json.dumps(described, sort_keys=True).encode(), digest_size=8).hexdigest()
    run = Run(run_id, dataset.dataset_id, protocol, selector.model, selector.answer_kind, len(tasks))
    if options.client is not None:
        options.client.purpose = run_id
    with data.locked(f"run-{run_id}"):
        _write_description(data.runs / run_id / "run.json", described, dataset, run_id, options)
        _answer(run, tasks, data.runs / run_id / "predictions", selector, options, progress)
    return run


def describe(dataset: Dataset, protocol: str, selector: Selector, options: SelectorOptions) -> dict[str, Any]:
    """Return the description of a run; its hash is the run's id."""
    return {
        "dataset_id": dataset.dataset_id,
        "protocol": protocol,
        "model": selector.model,
        "prompt": selector.prompt,
        "sampling": selector.sampling,
        "split": options.choices.split,
        "answer_kind": selector.answer_kind,
        "candidates": list(options.candidates),
    }


def refuse_known(selector: Selector, tasks: Sequence[Task], protocol: str) -> None:
    """Raise BadInput if a scored task shares its lineage with a task that the selector learnt from; texts are not compared."""
    known = [task for task in tasks if not task.lineage.isdisjoint(selector.learnt_from)]
    if known:
        both = ", ".join(sorted(known[0].lineage & selector.learnt_from))
        raise BadInput(
            f"protocol {protocol} would be scored on {len(known)} tasks that say what its examples say, such as {known[0].task_id} ({both}): "
            "score the test split (--split test), or learn from a dataset that shares no such task (--pool)"
        )


def _write_description(path: Path, described: dict[str, Any], dataset: Dataset, run_id: str, options: SelectorOptions) -> None:
    if path.is_file():
        return
    endpoint = options.client.endpoint if options.client and described["prompt"] else None
    noted = {"at_once": endpoint.at_once, "openness": endpoint.openness} if endpoint else {"at_once": None, "openness": None}
    started = datetime.now(UTC).isoformat(timespec="seconds")
    with written_file(path) as temporary:
        temporary.write_text(json.dumps({"run_id": run_id, "dataset": dataset.name, "started_at": started, **noted, **described}, indent=2) + "\n")


def _answer(run: Run, tasks: Sequence[Task], folder: Path, selector: Selector, options: SelectorOptions, progress: Progress) -> None:
    """Answer the missing tasks as one stream; write each slice when it is full, together with its older rows."""
    slices = {first: tasks[first : first + SLICE] for first in range(0, len(tasks), SLICE)}
    there = {first: _rows(folder / _name(first)) for first, part in slices.items() if not _is_finished(folder / _name(first), len(part))}
    missing = {first: [(at, task) for at, task in enumerate(slices[first], first) if _is_missing(rows.get(at))] for first, rows in there.items()}
    wanted = [task for part in missing.values() for _, task in part]
    answers = _watched(selector.select(wanted), run, len(tasks) - len(wanted), len(tasks), options, progress) if wanted else iter(())
    progress(run.protocol, len(tasks) - len(wanted), len(tasks))
    for first, part in missing.items():
        answered: dict[int, Row] = {}
        try:
            for position, task in part:
                answered[position] = prediction(run.run_id, position, task, next(answers), selector.answer_kind, options.candidates)
        finally:
            if answered:
                rows = there[first] | answered
                write_rows(folder / _name(first), "predictions", [rows[position] for position in sorted(rows)])


def _watched(answers: Iterator[Prediction], run: Run, done: int, total: int, options: SelectorOptions, progress: Progress) -> Iterator[Prediction]:
    """Yield the answers, and show progress now and then."""
    shown_at = 0.0
    for answer in answers:
        done += 1
        if done == total or time.monotonic() - shown_at > _SHOWN_EVERY:
            shown_at = time.monotonic()
            progress(run.protocol, done, total, f"${options.client.budget.spent:.4f}" if options.client else "")
        yield answer


def _name(first: int) -> str:
    return f"{first // SLICE:05}.parquet"


def _rows(path: Path) -> dict[int, Row]:
    """Return the rows of a slice by their position in the run."""
    return {row["position"]: row for row in read_rows([path], "predictions")} if path.is_file() else {}


def _is_missing(row: Row | None) -> bool:
    return row is None or row["status"] == "failed"


def _is_finished(path: Path, rows: int) -> bool:
    """Tell whether a slice holds at least so many rows, and no row whose call failed."""
    if not path.is_file() or pq.read_metadata(path).num_rows < rows:
        return False
    return not pc.any(pc.equal(pq.read_table(path, columns=["status"])["status"], "failed")).as_py()
