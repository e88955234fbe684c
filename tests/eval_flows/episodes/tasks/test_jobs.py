"""Protects jobs: each mistake in their files has a place and a remedy, values are filled everywhere, and a proof goes other ways and makes near misses."""

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from atomic_tasks.catalog import Catalog
from atomic_tasks.problems import BadInput
from eval_flows.episodes.proofs import proof
from eval_flows.episodes.proofs.proving import subject_of
from eval_flows.episodes.tasks import suite as suites
from eval_flows.episodes.tasks.suite import read_suite, suite_tasks
from eval_flows.episodes.tasks.suite_task import SuiteTask, WrittenTask
from eval_flows.episodes.tasks.task import STEP_BUDGETS
from machines.image import Image
from machines.machine import MachineChoice

Json = dict[str, object]
Suite = Callable[..., list[SuiteTask]]
JOB: Json = {
    "id": "mousepad.sign_minutes",
    "level": "L1",
    "subfield": "management",
    "instruction": "Please put {name} at the end of Documents/minutes.txt as the one who took the minutes, and save the file.",
    "source": "Mousepad manual: editing and saving",
    "operations": ["go to the end", "type", "save"],
    "output": "Documents/minutes.txt with one more line",
    "criteria": ["the last line is the name", "the other lines are as before"],
    "values": {"name": ["Minutes: Ida Holm", "Minutes: Per Lund"]},
    "setup": [{"text": {"path": "Documents/minutes.txt", "content": ["Garden club", "The hedge is cut in March."]}}],
    "open": ["Documents/minutes.txt"],
    "oracle": [{"press": "ctrl+end"}, {"write": "{name}"}, {"press": "ctrl+s"}],
    "check": [
        {"last_line": "Documents/minutes.txt", "is": "{name}"},
        {"lines": "Documents/minutes.txt", "contains": ["Garden club", "The hedge is cut in March."]},
    ],
    "changes": [{"text": {"path": "Documents/minutes.txt", "lines": ["{name}"], "end": True}}],
    "also": [{"way": "a command of the shell", "oracle": [{"run": "echo '{name}' >> Documents/minutes.txt"}]}],
    "near_misses": [
        {"mistake": "the name is at the beginning", "instead": {"ctrl+end": "ctrl+home"}},
        {"mistake": "another file has it", "oracle": [{"make": {"text": {"path": "Documents/signed.txt", "content": "{name}"}}}]},
    ],
}


@pytest.fixture
def suite(tmp_path: Path, catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> Suite:
    """The tasks of a suite whose folder holds the job with changes; None takes a key away."""
    monkeypatch.setattr(suites, "SUITES", tmp_path)
    (tmp_path / "own.yaml").write_text("title: Own\ndescription: Own.\nimage: smoke\nseed: 1\njobs: own\n")
    (tmp_path / "own").mkdir()

    def write(**changes: object) -> list[SuiteTask]:
        job = {key: value for key, value in (JOB | changes).items() if value is not None}
        (tmp_path / "own" / "mousepad.yaml").write_text(yaml.safe_dump({"jobs": [job]}, sort_keys=False))
        return suite_tasks(read_suite("own"), catalog)

    return write


def test_the_values_of_a_job_are_filled_everywhere(suite: Suite, catalog: Catalog) -> None:
    (made,) = suite()
    assert isinstance(made, WrittenTask)
    assert "Minutes: Ida Holm" in made.task.instruction and made.task.budget == STEP_BUDGETS["L1"] and made.task.discipline == "Business"
    opening, done = made.task.steps
    assert opening.preload == ("Documents/minutes.txt",) and done.oracle[1] == {"write": "Minutes: Ida Holm"}
    (changed,) = made.changed(catalog).values()
    assert changed.steps[1].oracle[1] == {"write": "Minutes: Per Lund"} and changed.instruction == made.task.instruction
    (way,) = made.ways(catalog)
    assert way.task.steps[1].oracle == ({"run": "echo 'Minutes: Ida Holm' >> Documents/minutes.txt"},)
    at_the_beginning, elsewhere = made.near_misses(catalog)
    assert at_the_beginning.task.steps[1].oracle[0] == {"press": "ctrl+home"} and "make" in elsewhere.task.steps[1].oracle[0]
    assert made.task.steps[1].oracle[0] == {"press": "ctrl+end"}


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"subfield": "mathematic"}, r"mousepad.yaml:\d+: jobs\[0\].subfield: unknown subfield 'mathematic'; did you mean 'mathematics'"),
        ({"also": None}, "needs another way"),
        ({"near_misses": []}, "two near misses"),
        ({"level": "L2"}, "at least two lines `step`"),
        ({"level": "L3"}, "a job of level L3 has phases"),
        ({"level": "L4", "oracle": [{"step": "a"}, {"write": "{name}"}, {"step": "b"}, {"press": "ctrl+s"}]}, "needs a rubric"),
        ({"infeasible": "The program cannot do this at all."}, "an infeasible job has no oracle"),
        ({"oracle": [{"run": "true"}]}, r"jobs\[0\].oracle\[0\]: run is no action of agents"),
        ({"oracle": [{"wrote": "{name}"}]}, r"jobs\[0\].oracle\[0\]: unknown name 'wrote'; did you mean 'write'"),
        (
            {"also": [{"way": "by a file", "oracle": [{"make": {"txt": {}}}]}]},
            r"jobs\[0\].also\[0\].oracle\[0\]: txt is unknown; did you mean 'text'",
        ),
        ({"near_misses": [{"mistake": "another key", "instead": {"ctrl+q": "x"}}] * 2}, "no text of the oracle has 'ctrl\\+q' in it"),
        ({"near_misses": [{"mistake": "nothing at all"}] * 2}, "give either oracle or instead"),
        ({"values": {"name": ["a", "b"], "other": ["c", "d"]}}, r"jobs\[0\].values.other: nothing in the job uses this value"),
        ({"instruction": "Write the name {nobody} into the file notes.txt, please."}, r"jobs\[0\].instruction: `values` has no 'nobody'"),
        ({"id": "notepad2.sign"}, "unknown application 'notepad2'"),
        ({"id": "galculator.sign", "oracle": [{"click": {"name": "x"}}]}, "give either role or at"),
    ],
)
def test_each_mistake_in_a_job_is_told_with_its_place(suite: Suite, changes: Json, reason: str) -> None:
    with pytest.raises(BadInput, match=reason):
        suite(**changes)


def test_either_all_jobs_of_a_suite_have_a_subfield_or_none(suite: Suite, tmp_path: Path) -> None:
    (made,) = suite(subfield=None)
    assert made.task.discipline != "Business"
    (tmp_path / "own" / "galculator.yaml").write_text(yaml.safe_dump({"jobs": [JOB | {"id": "galculator.sign_minutes"}]}, sort_keys=False))
    with pytest.raises(
        BadInput, match=r"mousepad.yaml:\d+: jobs\[0\].id: 'mousepad.sign_minutes' has no subfield, but other jobs of its suite have one"
    ):
        suite(subfield=None)


def test_a_program_that_the_image_lacks_is_told(suite: Suite) -> None:
    with pytest.raises(BadInput, match="mousepad.sign_minutes|gimp"):
        suite(id="gimp_linux.sign_minutes")


@pytest.mark.rotates(of="proofs on a real desktop")
@pytest.mark.slow(minutes=0.7)
def test_a_proof_goes_other_ways_and_makes_near_misses(suite: Suite, catalog: Catalog, image: Image, monkeypatch: pytest.MonkeyPatch) -> None:
    """The trials that every task has are made in test_proof; here they are counted, and only those of jobs are made."""
    (made,) = suite()
    machine, runs = MachineChoice("sandbox", "smoke", image.machines), proof._runs
    kinds = [run.kind for run in runs(subject_of(made, catalog))]
    assert kinds.count("without line") == 3 and kinds.count("changed argument") == kinds.count("other way") == 1 and kinds.count("near miss") == 2
    monkeypatch.setattr(proof, "_runs", lambda subject: (run for run in runs(subject) if run.kind in ("oracle", "other way", "near miss")))
    trials = proof.prove(subject_of(made, catalog), machine)
    assert {trial.kind for trial in trials} == {"oracle", "spoiled oracle", "other way", "near miss"}
    assert all(trial.passed for trial in trials), [trial for trial in trials if not trial.passed]

    wrong_way = [{"way": "a script that fails", "oracle": [{"run": "false"}]}]
    harmless: list[Json] = [
        {"mistake": "none: it is what was asked", "instead": {"ctrl+end": "ctrl+End"}},
        {"mistake": "a broken script", "oracle": [{"run": "false"}]},
    ]
    (wrong,) = suite(also=wrong_way, near_misses=harmless)
    monkeypatch.setattr(proof, "_runs", lambda subject: (run for run in runs(subject) if run.kind in ("other way", "near miss")))
    trials = proof.prove(subject_of(wrong, catalog), machine)
    assert [trial.kind for trial in trials] == ["other way", "near miss", "near miss"]
    failed = {(trial.kind, trial.what) for trial in trials if not trial.passed}
    assert failed == {("other way", "a script that fails"), ("near miss", harmless[0]["mistake"]), ("near miss", "a broken script")}
