"""Protects tasks of Windows on a machine that others run: they are told as runnable there, are set up, seen by UI Automation, done and judged.

The server answers as Windows Agent Arena's does, with a tree in its form. Nothing of it was tried on Windows.
"""

import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
import yaml
from click.testing import CliRunner, Result

from atomic_tasks.catalog import sound_catalog
from deskmill import main
from eval_flows.episodes.environment.desktop import Desktop
from eval_flows.episodes.osworld.applications import applications
from eval_flows.episodes.osworld.importing import ROWS
from eval_flows.episodes.osworld.setup import Hand
from eval_flows.episodes.osworld.stage import ImportedStage
from eval_flows.episodes.osworld.task_file import Step
from eval_flows.episodes.runs.pipeline import ready_machine
from eval_flows.episodes.tasks.suite import read_suite, suite_tasks, tasks_of
from machines.actions import Action
from machines.errors import MachineError, MachineNeeds
from machines.machine import MachineChoice
from tests.eval_flows.episodes.osworld.made import GOLD, OFFERS, Client, cached, step, task, write
from tests.eval_flows.episodes.osworld.test_setup import history
from tests.machines.remote.servers import SCREEN, Waa, hook, served
from tests.machines.trees.test_reading import WAA, control
from warehouse.layout import DataFolder

DRAFT = "https://files.example.org/tasks/draft.txt"
PATH = "C:\\Users\\Docker\\draft.txt"
TREE = f"""<desktop {WAA}>{control("notepad", "notes.txt - Editor", "uiawrapper.UIAWrapper", (0, 0, 150, 90), inside="".join([
    control("richeditd2dpt", "Text editor", "uia_controls.EditWrapper", (10, 20, 100, 60), 'st:editable="true" val:value="a draft"'),
    control("menuitem", "File", "uia_controls.MenuItemWrapper", (0, 0, 30, 10)),
]))}</desktop>"""  # fmt: skip
TASKS = {
    "notepad/write": task(
        id="0000-WOS",
        related_apps=["notepad"],
        config=[step("download", files=[{"url": DRAFT, "path": PATH}]), step("launch", command=["notepad", PATH])],
        evaluator={
            "func": "compare_text_file",
            "result": {"type": "vm_file", "path": PATH, "dest": "draft.txt"},
            "expected": {"type": "cloud_file", "path": GOLD, "dest": "gold.txt"},
        },
    ),
    "excel/sum": task(id="0001-WOS", related_apps=["excel"], config=[], evaluator={"func": "infeasible"}),
    "msedge/tabs": task(id="0002-WOS", related_apps=["msedge"], config=[step("edge_open_tabs", urls_to_open=["file:///C:/a.html"])]),
    "calc/linux": task(),
    "notepad/elsewhere": task(id="0003-WOS", related_apps=["notepad"], config=[], evaluator={"func": "infeasible"}),
}


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DataFolder:
    monkeypatch.setenv("DESKMILL_DATA", str(tmp_path / "data"))
    return DataFolder(tmp_path / "data")


@pytest.fixture
def machine_file(tmp_path: Path) -> Callable[..., Path]:
    """Writes the file of a machine with Windows; a reset does nothing, unless the test says how."""

    def made(**more: Any) -> Path:
        path = tmp_path / "windows.yaml"
        programs = {name: {"command": [f"{name}.exe"], "window_class": "Editor"} for name in ("notepad", "microsoft_edge")}
        declared = {
            "address": "http://192.0.2.7:5000", "dialect": "waa", "platform": "windows", "screen": {"width": SCREEN[0], "height": SCREEN[1]},
            "user": "Docker", "home": "C:\\Users\\Docker", "snapshot": "clean", "programs": programs, "reset": {"command": ["true"]},
        }  # fmt: skip
        path.write_text(yaml.safe_dump({**declared, **more}))
        return path

    return made


def imported(tmp_path: Path, machine: Path) -> Result:
    write(tmp_path / "tasks", TASKS)
    cache = cached(tmp_path / "cache", {DRAFT: b"a draft\n", GOLD: b"a draft, finished\n"})
    asked = ["suite", "import", str(tmp_path / "tasks"), "--name", "waa", "--cache", str(cache), "--machine", "remote"]
    return CliRunner().invoke(main, [*asked, "--machine-option", "file", str(machine)])


def reasons_in(data: DataFolder) -> dict[str, str | None]:
    return {row.task: row.reason for row in ROWS.validate_json((data.imported / "waa" / "tasks.json").read_bytes())}


def test_tasks_of_windows_are_runnable_where_a_machine_with_windows_is_named(
    tmp_path: Path, data: DataFolder, machine_file: Callable[..., Path]
) -> None:
    said = imported(tmp_path, machine_file())
    assert said.exit_code == 0, said.output
    assert reasons_in(data) == {
        "calc/linux": "linux",
        "excel/sum": "application",
        "msedge/tabs": None,
        "notepad/elsewhere": None,
        "notepad/write": None,
    }
    suite = read_suite("waa")
    assert (suite.platform, suite.home) == ("windows", "C:\\Users\\Docker")
    with pytest.raises(MachineNeeds, match=r"lacks: the platform windows \(it has linux\)"):
        ready_machine("waa", tasks_of("waa"), data, "sandbox", {})
    fits = CliRunner().invoke(main, ["suite", "fits", "waa"]).output
    assert "3 tasks: 0 runnable on this machine, 3 not" in fits and "platform: the machine lacks the platform windows (it has linux)" in fits
    there = CliRunner().invoke(main, ["suite", "fits", "waa", "--machine", "remote", "--machine-option", "file", str(tmp_path / "windows.yaml")])
    assert "3 tasks: 3 runnable on this machine, 0 not" in there.output and "(notepad/write): runnable" in there.output


def test_a_machine_of_another_user_is_told_for_the_tasks_that_name_the_home_folder(
    tmp_path: Path, data: DataFolder, machine_file: Callable[..., Path]
) -> None:
    imported(tmp_path, machine_file(home="D:\\Home"))
    assert {name: reason for name, reason in reasons_in(data).items() if name.startswith("notepad")} == {
        "notepad/elsewhere": None,
        "notepad/write": "home",
    }


def test_an_option_without_a_kind_of_machine_is_refused(tmp_path: Path, data: DataFolder) -> None:
    write(tmp_path / "tasks", TASKS)
    said = CliRunner().invoke(main, ["suite", "import", str(tmp_path / "tasks"), "--name", "waa", "--machine-option", "file", "a.yaml"])
    assert said.exit_code == 2 and "name its kind with --machine" in said.output


def test_programs_of_windows_are_called_as_the_catalog_calls_them() -> None:
    of_catalog = {one.program or name: one.platform for name, one in sound_catalog().applications.items()}
    named = [one.program for one in applications().applications.values() if one.platform == "windows"]
    assert len(named) >= 10 and {of_catalog.get(program or "") for program in named} == {"windows"}


def test_steps_that_run_commands_run_those_of_windows(tmp_path: Path) -> None:
    client = Client()
    desktop = Desktop(cast("Any", client), replace(OFFERS, platform="windows", home="C:\\Users\\Docker"))
    hand = Hand(desktop, tmp_path, lambda address: b"")
    for one in (step("create_folder", path="C:/Users/Docker/new"), step("chrome_open_tabs", urls_to_open=["chrome://settings"])):
        hand.carry_out(Step.model_validate(one))
    more = [
        step("edge_open_tabs", urls_to_open=["https://a.org"]),
        step("recycle_file", path="C:\\Users\\Docker\\a 'b'.txt"),
        step("change_wallpaper", path="C:\\a.png"),
    ]
    for one in more:
        hand.carry_out(Step.model_validate(one))
    folder, tabs, of_edge, recycled, wallpaper = (given[0] for _, *given in client.asked)
    assert folder == ["cmd", "/c", "mkdir", "C:\\Users\\Docker\\new"] and tabs[:2] == of_edge[:2] == ["python", "-c"]
    assert '"open": ["https://a.org"]' in of_edge[3] and recycled[0] == "powershell" and "$path = 'C:\\Users\\Docker\\a ''b''.txt';" in recycled[-1]
    assert wallpaper[:2] == ["python", "-c"] and wallpaper[3] == "C:\\a.png"


@pytest.mark.parametrize(
    ("kind", "path"),
    [
        ("update_browse_history", "C:\\Users\\Docker\\AppData\\Local\\Google\\Chrome\\User Data\\Default\\History"),
        ("update_browse_history_edge", "C:\\Users\\Docker\\AppData\\Local\\Microsoft\\Edge\\User Data\\Default\\History"),
    ],
)
def test_visits_are_added_where_browsers_of_windows_keep_them(tmp_path: Path, kind: str, path: str) -> None:
    client = Client(files={path: history()})
    hand = Hand(Desktop(cast("Any", client), replace(OFFERS, platform="windows", home="C:\\Users\\Docker")), tmp_path, lambda address: b"")
    visit = {"url": "https://a.org/", "title": "A", "visit_time_from_now_in_seconds": 60}
    hand.carry_out(Step.model_validate(step(kind, history=[visit])))
    connection = sqlite3.connect(":memory:")
    connection.deserialize(client.files[path])
    assert connection.execute("select url from urls").fetchall() == [("https://a.org/",)]
    client.files.clear()
    with pytest.raises(MachineError, match="with a history: none of AppData"):
        hand.carry_out(Step.model_validate(step(kind, history=[visit])))


def test_a_task_of_windows_is_set_up_seen_done_and_judged(tmp_path: Path, data: DataFolder, machine_file: Callable[..., Path]) -> None:
    server = Waa(tmp_path / "waa")
    server.tree = TREE
    with served(server.app) as address, hook(server.reset) as reset:
        path = machine_file(address=address, reset={"url": reset, "seconds": 30})
        assert imported(tmp_path, path).exit_code == 0
        made = next(one.task for one in suite_tasks(read_suite("waa"), sound_catalog()) if one.lineage == "notepad/write")
        with MachineChoice("remote", "", data.machines, {"file": str(path)}).make() as machine:
            desktop, stage = Desktop(machine.client, machine.offers), ImportedStage(made)  # type: ignore[arg-type]
            stage.set_up(desktop, "preloaded")
            assert (server.home / "draft.txt").read_bytes() == b"a draft\n" and ("/setup/launch", {"command": ["notepad", PATH]}) in server.asked
            seen = desktop.look()
            editor = next(one for one in seen.elements if one.role == "text")
            assert (editor.name, editor.text, editor.window) == ("Text editor", "a draft", "notes.txt - Editor")
            assert stage.judge(desktop, None, 60).by_checks == 0
            desktop.do(Action("move_id", {"id": editor.number}), seen.elements)
            desktop.do(Action("single_click", {}), seen.elements)
            desktop.do(Action("write", {"text": ", finished"}), seen.elements)
            assert server.done[-3:] == [["moveTo", 60, 50], ["click"], ["write", ", finished"]]
            (server.home / "draft.txt").write_bytes(b"a draft, finished\n")
            assert stage.judge(desktop, None, 60).by_checks == 1
