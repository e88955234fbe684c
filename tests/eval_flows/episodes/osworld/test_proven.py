"""Protects the proof of imported tasks: doing nothing earns 0, and the oracle that was imported with a task earns 1, on a machine."""

from pathlib import Path

import pytest

from atomic_tasks.catalog import sound_catalog
from eval_flows.episodes.osworld.file_cache import FileCache
from eval_flows.episodes.osworld.importing import Asked, import_suite
from eval_flows.episodes.proofs.proof import prove
from eval_flows.episodes.proofs.proving import subject_of
from eval_flows.episodes.tasks.suite import read_suite, suite_tasks
from machines.build import build_image
from machines.image import Image
from machines.machine import MachineChoice
from tests.conftest import REPOSITORY
from tests.eval_flows.episodes.osworld.made import step, task, write
from tests.eval_flows.episodes.osworld.test_oracles import EXAMPLES, oracles
from warehouse.layout import DataFolder

MACHINES = REPOSITORY / "data" / "machines"
_FILE = "https://files.example.org/deskmill/os/backup.sh"


def _proven(name: str, image: str, wanted: int) -> None:
    tasks = [one for one in suite_tasks(read_suite(name), sound_catalog()) if one.unproven is None][:wanted]
    assert len(tasks) == wanted
    for one in tasks:
        trials = prove(subject_of(one, sound_catalog()), MachineChoice("sandbox", image, MACHINES))
        assert [(trial.kind, trial.passed) for trial in trials] == [("nothing", True), ("oracle", True)] * 2, trials


@pytest.mark.rotates(of="proofs on a real desktop")
@pytest.mark.slow(minutes=1)
def test_tasks_with_made_files_are_proven_on_the_small_image(image: Image, own_data: DataFolder, tmp_path: Path) -> None:
    fetched = step("download", files=[{"url": _FILE, "path": "backup.sh"}])
    judged = {"func": "exact_match", "expected": {"type": "rule", "rules": {"expected": "echo done\n"}}}
    result = {"type": "vm_command_line", "command": "tail -n 1 backup.sh", "shell": True}
    made = {
        "os/edit": task(
            id="edit",
            config=[fetched, step("launch", command=["mousepad", "backup.sh"])],
            related_apps=["os"],
            evaluator={**judged, "result": result},
        ),
        "os/file": task(
            id="file",
            config=[fetched, step("launch", command=["mousepad"])],
            related_apps=["os"],
            evaluator={**judged, "result": {**result, "command": "cat Documents/new.sh"}},
        ),
    }
    done_by = """
oracles:
  edit: {steps: [{wait_for: {window: backup.sh}}, {press: ctrl+end}, {write: "echo done\\n"}, {press: ctrl+s}]}
  file:
    steps:
      - write: "echo done\\n"
      - press: ctrl+s
      - wait_for: {window: Save As}
      - write_over: Documents/new.sh
      - press: enter
      - wait_for: {file: Documents/new.sh}
"""
    asked = Asked(write(tmp_path / "tasks", made), "made", "smoke", FileCache.of(tmp_path / "cache", may_make=True))
    import_suite(Asked(**{**asked.__dict__, "oracles": oracles(tmp_path / "oracles", done_by)}), own_data, is_dry=False)
    _proven("made", image.name, 2)


@pytest.mark.whole  # its image takes 2.2 GB
@pytest.mark.slow(minutes=15)
def test_examples_are_proven_on_their_image(own_data: DataFolder, tmp_path: Path) -> None:
    build_image("osworld", MACHINES, print)
    asked = Asked(EXAMPLES / "os", "examples", "osworld", FileCache.of(tmp_path, may_make=True))
    import_suite(asked, own_data, is_dry=False)
    _proven("examples", "osworld", 7)
