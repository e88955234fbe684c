"""Protects runs on many hosts from machines that are not theirs: what is played on another image would belong to another run."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from eval_flows.episodes.runs.run import _prepared
from machines.build import use
from machines.errors import MachineError
from machines.image import find_image
from machines.machine import MachineChoice


def choice_of(folder: Path, identity: str) -> MachineChoice:
    """A machine whose image is no real one: empty folders."""
    image = replace(find_image("smoke", folder), identity=identity)
    image.root.mkdir(parents=True)
    image.home.mkdir(parents=True)
    use(image)
    return MachineChoice("sandbox", "smoke", folder)


@dataclass(frozen=True)
class Job:
    """What is asked of a job here."""

    machine: MachineChoice


def asked(here: MachineChoice, of_run: MachineChoice) -> MachineChoice:
    job: Any = Job(here)
    return _prepared(of_run.identity, job).machine


@pytest.fixture
def of_run(tmp_path: Path) -> MachineChoice:
    return choice_of(tmp_path / "run", "abc123")


def test_a_host_with_another_image_plays_nothing_and_says_so(of_run: MachineChoice, tmp_path: Path) -> None:
    with pytest.raises(MachineError, match=r"'smoke' of host .* is not that of the run \(different: home, root\): make the same image"):
        asked(choice_of(tmp_path / "other", "def456"), of_run)


def test_a_host_with_the_same_image_in_a_folder_of_its_own_plays(of_run: MachineChoice, tmp_path: Path) -> None:
    here = choice_of(tmp_path / "same", "abc123")
    assert asked(here, of_run) == here
