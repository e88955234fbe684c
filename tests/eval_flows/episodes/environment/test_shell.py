"""Protects scripts on the machine: each system gets its own shell, and a text stays as it is."""

import base64
from dataclasses import replace
from typing import cast

import pytest

from eval_flows.episodes.environment.desktop import Desktop
from eval_flows.episodes.environment.shell import quoted, remove, script_command
from tests.eval_flows.episodes.desktops import OFFERS, Files, Json, Screen

WINDOWS = replace(OFFERS, platform="windows", home="C:\\Users\\O'Neill")


class Told(Files):
    """A client that keeps the command that it is told."""

    def execute(self, command: list[str] | str, shell: bool = False) -> Json:
        self.command = command
        return {}


def decoded(command: object) -> str:
    assert isinstance(command, list) and command[0] == "powershell.exe" and command[-2] == "-EncodedCommand"
    return base64.b64decode(command[-1]).decode("utf-16-le")


def test_a_script_runs_in_the_home_folder_and_tells_when_it_fails() -> None:
    assert script_command(cast("Desktop", Screen()), "echo hi") == ["bash", "-euc", "cd /home/agent\necho hi"]
    lines = decoded(script_command(cast("Desktop", Screen(offers=WINDOWS)), 'reg add "HKCU\\A" /v "ü" /f')).split("\n")
    assert lines[0].startswith("$ErrorActionPreference = 'Stop'")
    assert lines[1:] == [
        "Set-Location -LiteralPath 'C:\\Users\\O''Neill'",
        'reg add "HKCU\\A" /v "ü" /f',
        "if ($LASTEXITCODE) { exit $LASTEXITCODE }",
    ]


@pytest.mark.parametrize(("text", "written"), [("plain", "'plain'"), ("it's", "'it''s'"), ('$a "b" `c', "'$a \"b\" `c'")])
def test_a_text_is_quoted_so_that_nothing_in_it_is_replaced(text: str, written: str) -> None:
    assert quoted(text) == written


def test_a_file_is_deleted_by_the_shell_of_the_machine() -> None:
    client = Told()
    remove(cast("Desktop", Screen(client)), "Documents/a.txt")
    assert client.command == ["rm", "--force", "/home/agent/Documents/a.txt"]
    remove(cast("Desktop", Screen(client, offers=WINDOWS)), "Documents/a.txt")
    assert decoded(client.command) == "Remove-Item -Force -ErrorAction SilentlyContinue -LiteralPath 'C:\\Users\\O''Neill/Documents/a.txt'"
