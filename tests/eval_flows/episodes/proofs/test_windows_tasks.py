"""Protects the tasks of Windows as far as a simulated guest goes: each is proven on it, through our guest server and a remote machine.

It says nothing about Windows itself: see tests/eval_flows/episodes/simulated_windows.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from atomic_tasks.catalog import Catalog
from eval_flows.episodes.agents import awaited
from eval_flows.episodes.agents.awaited import OracleStuck
from eval_flows.episodes.agents.oracle import carry_out_script
from eval_flows.episodes.environment import Environment
from eval_flows.episodes.environment.side_effects.home import look_at_home
from eval_flows.episodes.proofs import proof
from eval_flows.episodes.proofs.proving import subject_of
from eval_flows.episodes.proofs.record import read_record
from eval_flows.episodes.tasks.suite import read_suite, suite_tasks
from eval_flows.episodes.tasks.suite_task import SuiteTask
from machines.machine import MachineChoice
from tests.eval_flows.episodes.simulated_windows.guest import TOKEN, VARIABLE, served
from tests.eval_flows.episodes.simulated_windows.platform import SimulatedWindows

PROGRAMS = ("calculator", "file_explorer", "microsoft_edge", "notepad", "paint", "windows_settings")
Simulated = tuple[SimulatedWindows, MachineChoice]


@pytest.fixture
def simulated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Simulated]:
    """The simulated guest as a remote machine. It never works late, so nothing is waited for."""
    monkeypatch.setenv(VARIABLE, TOKEN)
    for name in ("CHECK_SECONDS", "_LACKING_CHECK_SECONDS", "_LACKING_SECONDS"):
        monkeypatch.setattr(proof, name, 0.0)
    monkeypatch.setattr(awaited, "_LOOKS_AT_LEAST", 1)
    with served(tmp_path) as (platform, path):
        yield platform, MachineChoice("remote", "desktop", tmp_path, {"file": str(path)})


def of_program(catalog: Catalog, program: str) -> list[SuiteTask]:
    return [one for one in suite_tasks(read_suite("windows"), catalog) if one.task.programs == [program]]


def failed(one: SuiteTask, catalog: Catalog, choice: MachineChoice) -> list[object]:
    trials = proof.prove(subject_of(one, catalog), choice)
    kinds = {trial.kind for trial in trials}
    assert {"nothing", "oracle", "other way", "near miss"} <= kinds, (one.task.instruction, kinds)
    return [(one.task.steps[-1].task, trial) for trial in trials if not trial.passed]


@pytest.mark.rotates(number=2)
@pytest.mark.slow
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_task_of_the_day_of_each_program_is_proven(program: str, simulated: Simulated, catalog: Catalog) -> None:
    tasks = of_program(catalog, program)
    assert failed(tasks[datetime.now(UTC).toordinal() % len(tasks)], catalog, simulated[1]) == []


@pytest.mark.whole
@pytest.mark.parametrize("program", PROGRAMS)
def test_every_task_of_a_program_is_proven(program: str, simulated: Simulated, catalog: Catalog) -> None:
    assert [one for task in of_program(catalog, program) for one in failed(task, catalog, simulated[1])] == []


def test_there_is_a_task_for_each_line_and_all_programs_are_proven(catalog: Catalog) -> None:
    assert sum(len(of_program(catalog, program)) for program in PROGRAMS) == len(read_suite("windows").episodes) == 47


def test_nobody_says_that_they_are_proven_on_windows() -> None:
    assert read_suite("windows").proven_on == "a simulated guest only"
    assert read_record("windows") == {}


def test_damage_beside_a_task_is_named_on_windows(simulated: Simulated, catalog: Catalog) -> None:
    platform, choice = simulated
    task = next(one.task for one in of_program(catalog, "windows_settings"))
    with Environment(choice.make(), sees=()) as environment:
        environment.reset(task)
        (platform.disk.root / "Documents" / "about this computer.txt").unlink()
        platform.disk.attrib(["+R", "Downloads"])
        (platform.disk.root / "Desktop" / "new").mkdir()
        (platform.disk.root / "AppData" / "cache.bin").write_bytes(b"of a program")
        (platform.disk.root / "Desktop" / "desktop.ini").write_text("of the desktop")
        assert environment.evaluate(0).side_effects == [
            "Desktop/new/ made",
            "Documents/about this computer.txt deleted",
            "Downloads: permissions changed from none to R",
        ]


def test_a_file_that_a_program_owns_is_looked_at_if_a_task_names_it(simulated: Simulated, catalog: Catalog) -> None:
    _, choice = simulated
    path = "AppData/Local/Microsoft/Edge/User Data/Default/Preferences"
    with Environment(choice.make(), sees=()) as environment:
        environment.reset(of_program(catalog, "windows_settings")[0].task)
        assert set(look_at_home(environment.desktop, [], with_contents=True).contents) == {"Documents/about this computer.txt"}
        found = look_at_home(environment.desktop, [path], with_contents=True)
        assert b"browser" in found.contents[path] and found.entries[path].digest


def test_a_statement_that_the_simulated_guest_does_not_know_is_no_success(simulated: Simulated, catalog: Catalog) -> None:
    _, choice = simulated
    with Environment(choice.make(), sees=()) as environment:
        environment.reset(of_program(catalog, "windows_settings")[0].task)
        with pytest.raises(Exception, match="does not know"):
            carry_out_script(environment.desktop, "run", "Restart-Computer")
        with pytest.raises(OracleStuck, match="script ended with 1"):
            carry_out_script(environment.desktop, "run", "Move-Item 'not there' 'Documents'")
