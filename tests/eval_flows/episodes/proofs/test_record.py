"""Protects the record of proofs: whoever changes a job, its checker or its materials, and does not prove it again, is told."""

from pathlib import Path

import pytest

from atomic_tasks.catalog import Catalog
from eval_flows.episodes.proofs import record
from eval_flows.episodes.proofs.proof import Subject, Trial
from eval_flows.episodes.proofs.proving import subject_of
from eval_flows.episodes.proofs.record import content_of, not_recorded, proven, read_record, write_record
from eval_flows.episodes.tasks.suite import read_suite, suite_tasks
from eval_flows.episodes.tasks.suite_task import SuiteTask

_MOST_UNPROVEN = 0.02


@pytest.fixture(scope="module")
def jobs(catalog: Catalog) -> list[SuiteTask]:
    return suite_tasks(read_suite("professional"), catalog)


@pytest.mark.parametrize("suite", ["desktop", "professional"])
def test_every_task_is_proven_as_it_stands(suite: str, catalog: Catalog) -> None:
    tasks = suite_tasks(read_suite(suite), catalog)
    feasible = [one for one in tasks if one.task.infeasible is None and one.unproven is None]
    changed = not_recorded(suite, {one.lineage: subject_of(one, catalog) for one in feasible})
    assert not changed, f"prove them again (deskmill prove {suite} --changed --record): {', '.join(changed)}"
    assert sum(one.unproven is not None for one in tasks) <= _MOST_UNPROVEN * len(tasks)


def test_a_record_has_what_a_change_touches(jobs: list[SuiteTask], catalog: Catalog) -> None:
    one = next(one for one in jobs if len(one.task.steps[-1].check) > 1 and subject_of(one, catalog).changed)
    subject = subject_of(one, catalog)
    step = subject.task.steps[-1]
    other_check = subject.task.model_copy(update={"steps": (*subject.task.steps[:-1], step.model_copy(update={"check": step.check[:1]}))})
    contents = {
        content_of(subject),
        content_of(Subject(other_check, subject.changed, subject.ways, subject.near_misses)),
        content_of(Subject(subject.task, {}, subject.ways, subject.near_misses)) if subject.changed else "no values",
        content_of(Subject(subject.task, subject.changed, subject.ways[1:], subject.near_misses)),
        content_of(Subject(subject.task, subject.changed, subject.ways, subject.near_misses[1:])),
    }
    assert len(contents) == 5
    reworded = subject.task.model_copy(update={"instruction": "Other words."})
    assert content_of(Subject(reworded, subject.changed, subject.ways, subject.near_misses)) == content_of(subject)


def test_a_record_grows_and_drops_what_a_suite_no_longer_has(
    jobs: list[SuiteTask], catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record, "FOLDER", tmp_path)
    subject = subject_of(jobs[0], catalog)
    trials = [Trial(kind="oracle", what="1", reward=1, passed=True, seconds=4.04), Trial(kind="nothing", what="1", reward=0, passed=True)]
    write_record("own", [proven("a", subject, trials), proven("b", subject, [])], ["a", "b"])
    write_record("own", [proven("c", subject, trials)], ["a", "c"])
    kept = read_record("own")
    assert list(kept) == ["a", "c"] and kept["a"].oracle_seconds == 4.0 and kept["a"].trials == 2
    assert not_recorded("own", {"a": subject}) == []
    assert not_recorded("own", {"a": Subject(subject.task, subject.changed, subject.ways, subject.near_misses[1:]), "new": subject}) == ["a", "new"]
