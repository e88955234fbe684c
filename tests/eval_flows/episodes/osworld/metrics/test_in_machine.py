"""What an agent wrote is run in the machine of its task, passes if the tests pass, and never runs on the host of the checks."""

from pathlib import Path
from typing import Any

import pytest

from eval_flows.episodes.osworld.metrics import METRICS, in_machine
from eval_flows.episodes.osworld.metrics.in_machine import on_machine
from machines.errors import MachineNeeds
from tests.eval_flows.episodes.osworld.getters.guests import FolderGuest, ToldGuest

NAME = "check_python_file_by_test_suite"
TESTS = "from added import add\n\ndef test():\n    return add(2, 3) == 5\n\ndef other():\n    return add(2, 2) == 5\n"


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_machine, "_FOLDERS", {"Linux": str(tmp_path / "machine"), "Windows": "C:\\Temp"})


def share(folder: Path, code: str, **options: Any) -> float:
    """What a file of an agent earns by the tests, on a machine that is a folder of this host."""
    (folder / "tests.py").write_text(TESTS)
    (folder / "added.py").write_text(code)
    return on_machine(METRICS, FolderGuest(folder))[NAME]([folder / "added.py"], folder / "tests.py", **options)


def test_what_passes_the_tests_earns_1_and_nothing_else_does(tmp_path: Path) -> None:
    right = "def add(a, b):\n    return a + b\n"
    assert share(tmp_path, right) == 1.0
    assert share(tmp_path, right, test_function_name="other") == 0.0
    for wrong in ("def add(a, b):\n    return a - b\n", "def add(:", "import sys\nprint('passed')\nsys.exit(0)\n", ""):
        assert share(tmp_path, wrong) == 0.0, wrong


def test_a_program_that_does_not_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_machine, "_RUN", in_machine._RUN.replace(f"Timer({in_machine._SECONDS}", "Timer(0.2"))
    assert share(tmp_path, "while True: pass\n") == 0.0


def test_a_missing_file_earns_0_and_runs_nothing(tmp_path: Path) -> None:
    metric = on_machine(METRICS, ToldGuest(tmp_path, answers={"python": "x"}))[NAME]
    assert metric(None, tmp_path / "tests.py") == metric([None], tmp_path / "tests.py") == metric([], tmp_path / "tests.py") == 0.0


def test_nothing_runs_without_a_machine(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("")
    with pytest.raises(MachineNeeds, match="needs the machine of the task"):
        METRICS[NAME]([tmp_path / "a.py"], tmp_path / "a.py")
