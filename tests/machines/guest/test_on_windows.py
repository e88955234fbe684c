"""Protects the platform of the guest on Windows and its folder, as far as they can be tried without Windows."""

import ast
import ctypes
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from machines.guest.on_windows import api
from machines.guest.on_windows.platform import Windows
from machines.guest.platform import ActionError, Platform, Screen
from tests.conftest import REPOSITORY
from tests.machines.guest.windows_library import Library

FOLDER = REPOSITORY / "machines/guest/on_windows"
SCREEN = Screen(1440, 900)


def of_windows(home: Path, **answers: Any) -> tuple[Library, Windows]:
    library = Library(**answers)
    return library, Windows(home, lambda _: library)


def test_the_platform_keeps_the_protocol_and_runs_commands(tmp_path: Path) -> None:
    library, made = of_windows(tmp_path, GetSystemMetrics=lambda which: (1440, 900)[which])
    platform: Platform = made
    assert platform.screen == SCREEN and len(library.SetProcessDpiAwarenessContext.calls) == 1
    assert platform.command(["echo", "a b"], shell=True) == 'cmd.exe /d /s /c "echo "a b""'
    assert platform.command("echo %PATH%", shell=True) == 'cmd.exe /d /s /c "echo %PATH%"'
    assert platform.command(r'"C:\Program Files\x.exe" /q', shell=False) == r'"C:\Program Files\x.exe" /q'
    wrong: list[object] = ["", " ", [], None, 3]
    for given_command in wrong:
        with pytest.raises(ActionError, match="command"):
            platform.command(given_command, shell=False)


def test_a_command_runs_to_its_end_or_is_ended_with_all_that_it_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = subprocess.Popen

    def popen(command: Any, **options: Any) -> Any:
        """As on Windows, where this option is known, and where `taskkill` ends a process."""
        assert options.pop("creationflags") in (0x08000000, 0x200)
        return made(["kill", "-9", command[-1]] if command[0] == "taskkill" else command, **options)

    monkeypatch.setattr(subprocess, "Popen", popen)
    _, platform = of_windows(tmp_path)
    done = platform.run(["sh", "-c", "pwd; echo wrong >&2; exit 3"], 20)
    assert (done.stdout.decode().strip(), done.stderr, done.returncode) == (str(tmp_path), b"wrong\n", 3)
    with pytest.raises(subprocess.TimeoutExpired):
        platform.run(["sleep", "60"], 0.2)
    assert platform.start(["true"]) > 0


def test_a_program_that_only_the_shell_knows_is_started_by_the_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: Any, **__: Any) -> None:
        raise FileNotFoundError

    library, platform = of_windows(tmp_path, ShellExecuteW=42)
    monkeypatch.setattr(subprocess, "Popen", missing)
    assert platform.start(["winword", "/n", "my notes.docx"]) == 0 and platform.start("winword /n") == 0
    assert [call[2:4] for call in library.ShellExecuteW.calls] == [("winword", '/n "my notes.docx"'), ("winword", "/n")]
    library.ShellExecuteW.answer = 2
    with pytest.raises(FileNotFoundError, match="finds no program"):
        platform.start(["nothing"])


def test_a_window_comes_to_the_front_or_it_is_said(tmp_path: Path) -> None:
    window = window_of(3)
    library, platform = of_windows(tmp_path, SendInput=lambda count, *_: count)
    platform.activate(window)
    assert library.ShowWindow.calls == [(3, 9)] and library.SetForegroundWindow.calls == [(3,)]
    library.SetForegroundWindow.answer = 0
    with pytest.raises(ActionError, match="does not let the window 'Editor'"):
        platform.activate(window)


def window_of(identity: int) -> Any:
    from machines.guest.platform import Window

    return Window(identity, "Editor", "Class", 1, 0, 0, 10, 10, False)


def test_a_file_goes_to_the_bin_by_a_name_that_ends_with_two_zeros(tmp_path: Path) -> None:
    def remove(operation: Any) -> int:
        found = operation._obj
        assert found.function == 3 and found.flags == 0x454
        assert ctypes.string_at(found.source, len(str(path)) * 2 + 4).decode("utf-16-le") == f"{path}\0\0"
        return 0

    path = tmp_path / "notes.txt"
    library, platform = of_windows(tmp_path, SHFileOperationW=remove)
    platform.recycle(path)
    library.SHFileOperationW.answer = 2
    with pytest.raises(OSError, match="error 2"):
        platform.recycle(path)


def test_every_function_that_is_called_is_declared_with_its_types_and_the_other_way_round() -> None:
    declared = {name for functions in api.FUNCTIONS.values() for name in functions}
    called = {
        match
        for path in FOLDER.glob("*.py")
        if path.name not in ("api.py", "window_list.py")
        for match in re.findall(r"api\.([A-Z]\w+)", path.read_text())
    }
    assert called == declared


def test_everything_imports_without_windows_and_without_what_linux_needs() -> None:
    """In an interpreter of its own: no X11, no D-Bus, no procfs module comes along, and nothing of ours outside the folder."""
    modules = [f"machines.guest.on_windows.{path.stem}" for path in FOLDER.glob("[!_]*.py")] + ["machines.guest.on_windows.__main__"]
    code = f"import importlib, sys; [importlib.import_module(name) for name in {modules}]; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=REPOSITORY).stdout.split()
    ours = {name for name in loaded if name.split(".")[0] == "machines"}
    assert not {name for name in ours if name not in ("machines", "machines.guest") and not name.startswith("machines.guest.")} and len(modules) > 8
    assert not {name for name in loaded if "on_linux" in name or name.split(".")[0] in ("Xlib", "jeepney", "comtypes")}


def _imported(path: Path) -> set[str]:
    nodes = list(ast.walk(ast.parse(path.read_text())))
    return {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)} | {
        one.name for node in nodes if isinstance(node, ast.Import) for one in node.names
    }


def test_the_folder_says_what_it_needs_and_the_script_installs_that() -> None:
    names = {line.partition("==")[0] for line in (FOLDER / "requirements.txt").read_text().splitlines() if "==" in line}
    standard = set(sys.stdlib_module_names) | {"machines"}
    paths = [*FOLDER.glob("*.py"), *(path for path in FOLDER.parent.glob("*.py") if path.name != "__main__.py")]
    imported = {name.split(".")[0] for path in paths for name in _imported(path)} - standard
    assert {{"PIL": "pillow"}.get(name, name) for name in imported} == names
    pins = dict(line.split("==") for line in (REPOSITORY / "constraints.txt").read_text().splitlines() if "==" in line)
    assert {name: pins.get(name) for name in names - {"comtypes"}} == dict(
        line.split("==") for line in (FOLDER / "requirements.txt").read_text().splitlines() if "==" in line and "comtypes" not in line
    )
    script = (FOLDER / "install.ps1").read_text() + (FOLDER / "on-logon.ps1").read_text()
    assert all(
        (FOLDER / name).is_file() for name in re.findall(r"on_windows\\([\w.-]+\.ps1)|PSScriptRoot \"([\w.]+)\"", script) for name in name if name
    )
    assert "machines.guest.on_windows" in script and script.count("{") == script.count("}") and script.count("(") == script.count(")")


def test_a_list_of_windows_runs_as_a_program_of_its_own() -> None:
    """It is sent to machines with other guest servers, so it imports nothing but Python's own modules."""
    names = _imported(FOLDER / "window_list.py")
    assert names == {"ctypes", "json", "typing"} and "__main__" in (FOLDER / "window_list.py").read_text()
    assert (FOLDER / "window_list.py").read_text().isascii()
