"""Protects the trial of a remote machine: each part is tried by itself, and one that fails is named with what the machine said."""

import subprocess
import sys
from pathlib import Path

import pytest

from machines.remote import try_machine
from machines.remote.try_machine import tried
from tests.conftest import REPOSITORY
from tests.machines.remote.servers import Osworld, hook, served
from tests.machines.remote.test_remote import choice

PARTS = ["screenshot", "tree", "windows", "clipboard", "files", "pointer", "program editor", "program missing", "reset"]


def test_every_part_is_tried_and_those_that_fail_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(try_machine, "_WINDOW_SECONDS", 0.1)
    server = Osworld(tmp_path)
    programs = {"editor": {"command": ["editor"], "window_class": "Editor"}, "missing": {"command": ["missing"], "window_class": "Missing"}}
    with (
        served(server.app) as address,
        hook(server.reset) as url,
        choice(tmp_path, address, programs=programs, reset={"url": url, "seconds": 20}).make() as machine,
    ):
        server.tree = "<broken"
        found = {name: (works, said) for name, works, said in tried(machine)}
    assert list(found) == PARTS
    assert {name for name, (works, _) in found.items() if not works} == {"tree", "pointer", "program missing"}
    assert "accessibility tree cannot be read" in found["tree"][1] and "[100, 50] was sent, and [3, 4] came back" in found["pointer"][1]
    assert "no window of class Missing came; there are Desk, Editor" in found["program missing"][1]


def test_a_machine_that_does_not_start_is_told_in_one_line(tmp_path: Path) -> None:
    path = choice(tmp_path, "http://127.0.0.1:9", reset={"command": ["false"], "seconds": 0.2}).options["file"]
    done = subprocess.run(
        [sys.executable, "-m", "machines.remote.try_machine", path],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={"PYTHONPATH": str(REPOSITORY), "PATH": "/usr/bin:/bin"},
    )
    assert done.returncode == 1 and done.stdout == "" and done.stderr == "FAILS  start: the command of the reset ended with 1; it said: nothing\n"
