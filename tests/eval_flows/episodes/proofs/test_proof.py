"""Protects the proof of episodes: it finds a line that nothing needs and a value that no check sees, and what is proven is not proven again."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from atomic_tasks.catalog import Catalog
from eval_flows.episodes.osworld.imported_task import imported_task
from eval_flows.episodes.osworld.task_file import TaskFile
from eval_flows.episodes.proofs import proving
from eval_flows.episodes.proofs.proof import Subject, prove
from eval_flows.episodes.proofs.proving import Part, prove_suite
from eval_flows.episodes.tasks.suite import read_suite, suite_tasks
from eval_flows.episodes.tasks.task import Task
from machines.image import Image
from machines.machine import MachineChoice
from tests.eval_flows.episodes.conftest import Listed
from warehouse.layout import DataFolder

SUPERFLUOUS = {"press": "ctrl+home"}


def weakened(task: Task) -> Task:
    """The task of a line to append, with a line in its oracle that nothing needs, and a check that takes any line for the right one."""
    first, appending, *rest = task.steps
    path = f"Documents/{task.values['text_file']}"
    any_line = {"text": path, "matches": r"^The garage closes at six\.\r?\n.+\s*\Z"}
    appending = appending.model_copy(update={"oracle": (*appending.oracle, SUPERFLUOUS), "check": (any_line,)})
    return task.model_copy(update={"steps": (first, appending, *rest)})


@pytest.mark.rotates(of="proofs on a real desktop")
@pytest.mark.slow
def test_a_proof_finds_the_line_that_nothing_needs_and_the_value_that_no_check_sees(listed: Listed, catalog: Catalog, image: Image) -> None:
    (made,) = suite_tasks(read_suite(listed("{level: L1, tasks: [mousepad.append_line]}")), catalog)
    changed = {name: weakened(other) for name, other in made.changed(catalog).items()}
    trials = prove(Subject(weakened(made.task), changed), MachineChoice("sandbox", "smoke", image.machines))
    assert {trial.kind for trial in trials} == {"nothing", "oracle", "spoiled oracle", "without line", "without step", "changed argument"}
    unproven = [(trial.kind, trial.what.partition(" to ")[0]) for trial in trials if not trial.passed]
    assert unproven == [("without line", f"mousepad.append_line: {SUPERFLUOUS}"), ("changed argument", f"jotting: {made.task.values['jotting']}")]
    assert all("garage" in trial.seen for trial in trials if not trial.passed), "what was seen is told"


def test_what_is_proven_is_kept_by_content(listed: Listed, data: DataFolder) -> None:
    """Infeasible episodes have no trials, so that this takes no machine."""
    begun: list[tuple[int, int]] = []

    def progress(stage: str, done: int, total: int, note: str = "") -> None:
        begun.append((done, total))

    infeasible = ["{level: L1, tasks: [mousepad.encrypt_file]}", "{level: L1, tasks: [galculator.draw_curve]}"]
    for lines in (infeasible[:1], infeasible[:1], infeasible):
        begun.append((-1, -1))
        proofs = prove_suite(listed(*lines), data, 1, progress, Part())
        assert all(proof.is_proven for proof in proofs) and len(proofs) == len(lines)
    starts = [begun[number + 1] for number, one in enumerate(begun) if one == (-1, -1)]
    assert starts == [(0, 1), (1, 1), (1, 2)]
    assert len(list(data.proofs.glob("*.json"))) == 2


def test_a_proof_of_an_imported_task_is_void_once_the_code_that_judges_it_changes(
    catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = TaskFile.model_validate({"id": "a", "instruction": "Print this on the moon.", "evaluator": {"func": "infeasible"}})
    machine: Any = SimpleNamespace(kind="sandbox", identity={}, offers=SimpleNamespace(described={}))
    subject = proving.subject_of(imported_task("os/a", file, {}, tmp_path), catalog)
    before = proving._job(subject, machine).key
    assert proving._job(subject, machine).key == before
    monkeypatch.setattr(proving, "imported_code", lambda: {"imported": "changed"})
    assert proving._job(subject, machine).key != before
