"""Protects what `deskmill show` tells of an executable atomic task: what its episode asks, its checks, and where a proof holds."""

from pathlib import Path

from eval_flows.episodes.about_task import about_task

NOWHERE = Path("/nowhere/warehouse.duckdb")


def test_a_task_of_windows_says_that_it_is_proven_on_a_simulated_guest_only() -> None:
    about = about_task("file_explorer.unblock_download", NOWHERE)
    assert about is not None
    assert about.proof == "proven on a simulated guest only"
    told = about.text()
    assert told.startswith("executable task file_explorer.unblock_download of the suite windows, on windows\n")
    assert "near miss: the file is deleted" in told
    assert "\nproof: proven on a simulated guest only\n" in told


def test_a_task_of_ours_says_how_it_is_proven() -> None:
    about = about_task("mousepad.append_line", NOWHERE)
    assert about is not None
    assert (about.suite, about.platform) == ("desktop", "linux")
    assert "simulated" not in about.proof


def test_what_is_not_executable_has_nothing_to_tell() -> None:
    assert about_task("notepad.zoom_text", NOWHERE) is None
    assert about_task("notepad.no_such_task", NOWHERE) is None
