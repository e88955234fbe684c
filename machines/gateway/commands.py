"""Commands of OSWorld's harness as a machine of ours runs them: `python` is a command, and programs find pyautogui and pyperclip.

Their machines have the home folder /home/user, which task files write out in full. Where a machine has another, paths below it are meant.
"""

import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from machines.client import Json
from machines.errors import MachineError
from machines.machine import Client

THEIR_HOME = "/home/user"
_FOLDER = "/tmp/.osworld"
_MODULES = Path(__file__).parent / "in_guest"
_IS_HOME = re.compile(rf"{THEIR_HOME}(?![\w.-])")
_INSTALL = f'ln -sf "$(command -v python3)" {_FOLDER}/python'
_AROUND = f'exec env PATH="{_FOLDER}:$PATH" PYTHONPATH="{_FOLDER}:/opt/deskmill" "$@"'  # the second folder has the guest server's own modules
_OPENER = "xdg-open"
_NO_COMMAND, _OUT_OF_TIME = 127, 124  # what `env` and `timeout` end with
_MOST_SECONDS = 110.0  # of a script: less than the guest gives a command
Command = Sequence[str] | str


def install(client: Client) -> None:
    """Put the modules into a machine that has just begun."""
    for name in ("pyautogui.py", "pyperclip.py"):
        client.upload(f"{_FOLDER}/{name}", (_MODULES / name).read_bytes())
    done = client.execute(_INSTALL, shell=True)
    if done.get("returncode") != 0:
        raise MachineError(f"the machine has no python3 for the programs of the harness: {done.get('error')}")


class Commands:
    """Runs commands on one machine, whose home folder is `home`."""

    def __init__(self, client: Client, home: str) -> None:
        self._client = client
        self._home = home

    def here(self, text: str) -> str:
        """Return a text with the paths of this machine."""
        home = self._home
        expanded = f"{home}/{text[2:]}" if text.startswith("~/") else text
        return _IS_HOME.sub(lambda _: home, expanded)

    def execute(self, command: Command, shell: bool) -> Json:
        """Run a command until it ends, and return its `output`, `error` and `returncode`.

        `MachineError` if there is no such command or it takes more than two minutes, `ValueError` if a text is no command.
        """
        words = self._words(command, shell)
        done = self._run(words)
        if done["returncode"] == _NO_COMMAND and not shell:
            raise MachineError(f"{words[0]} could not be started: {str(done['error']).strip()}")
        return done

    def launch(self, command: Command, shell: bool) -> str:
        """Start a command, leave it running, and return it as a text; `MachineError` if there is no such command, `ValueError` if it is none."""
        words = self._words(command, shell)
        self._check(words[0])
        self._client.launch(_around(words))
        return command if isinstance(command, str) else " ".join(command)

    def open_file(self, path: str) -> None:
        """Open a file with the program for its kind, and wait for its window; `MachineError` if none comes."""
        self._check(_OPENER)  # without it the guest would wait for a window in vain
        self._client.open_file(self.here(path))

    def run_python(self, code: str, seconds: float) -> Json:
        """Run a program as `execute` does; `TimeoutError` if it takes longer."""
        return self._within(seconds, ["python3", "-c", self.here(code)])

    def run_script(self, script: str, seconds: float, folder: str | None) -> Json:
        """Run a script of bash in a folder; what it says and its errors are in `output`, in their order. `TimeoutError` if it takes longer."""
        there = f"cd -- {shlex.quote(self.here(folder))} || exit\n" if folder else ""
        return self._within(min(seconds, _MOST_SECONDS), ["bash", "-c", f"exec 2>&1\n{there}{self.here(script)}"])

    def _check(self, name: str) -> None:
        """Raise `MachineError` if there is no such command."""
        if self._run(["sh", "-c", 'command -v -- "$1"', "sh", name])["returncode"] != 0:
            raise MachineError(f"there is no command {name} on this machine")

    def _within(self, seconds: float, words: list[str]) -> Json:
        done = self._run(["timeout", "--kill-after=5", f"{seconds:g}", *words])
        if done["returncode"] == _OUT_OF_TIME:
            raise TimeoutError(f"it took longer than {seconds:g} seconds")
        return done

    def _run(self, words: list[str]) -> Json:
        done = self._client.execute(_around(words))
        if not isinstance(done.get("returncode"), int):
            raise MachineError(f"the guest did not say how a command ended: {str(done)[:200]}")
        return {"output": "", "error": "", **done}

    def _words(self, command: Any, shell: bool) -> list[str]:
        """Return the words of a command. A list for the shell is the line of a shell, as task files mean it."""
        if not isinstance(command, str | list) or not all(isinstance(word, str) for word in command):
            raise ValueError("`command` is a text or a list of texts")
        if shell:
            words = ["/bin/sh", "-c", self.here(command if isinstance(command, str) else " ".join(command))]
        else:
            words = [self.here(word) for word in (shlex.split(command) if isinstance(command, str) else command)]
        if not words:
            raise ValueError("`command` is empty")
        return words


def _around(words: list[str]) -> list[str]:
    return ["sh", "-c", _AROUND, "sh", *words]
