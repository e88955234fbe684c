"""The applications that task files name, and the programs of machines that they are, as `applications.yaml` declares them."""

import re
import shlex
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Literal

from atomic_tasks.schema import Declared
from atomic_tasks.yaml_source import read_declared_file
from eval_flows.episodes.osworld.task_file import TaskFile
from eval_flows.episodes.osworld.vocabulary import is_true

_FILE = Path(__file__).parent / "applications.yaml"
_BROWSER = "chromium"
_SETS_VARIABLE = re.compile(r"\w+=.*", re.DOTALL)
_BETWEEN = re.compile(r"&&|\|\||[;|\n]")  # what separates the commands of a shell
_BEFORE = {"sudo", "-S", "exec", "nohup", "env", "export"}  # words that stand before the command that is meant


class Application(Declared):
    """An application: the program of `machines/desktop.yaml` that it is, its names in task files, and the commands that start it.

    `window` is the end of its windows' titles in task files, where the program here has another.
    """

    title: str
    program: str | None = None
    platform: Literal["linux", "windows"] = "linux"
    names: tuple[str, ...]
    commands: tuple[str, ...] = ()
    window: str | None = None


class Applications(Declared):
    """The file."""

    applications: dict[str, Application]
    suites: dict[str, dict[str, str]]
    domains: dict[str, dict[str, str]]
    nothing: tuple[str, ...]
    networked: tuple[tuple[str, ...], ...]

    def named(self, name: str) -> Application | None:
        """Return the application that a task file calls so."""
        return next((one for one in self.applications.values() if name.lower() in one.names), None)

    def with_window(self, title: str) -> Application | None:
        """Return the application whose windows task files call so, where the program here calls them otherwise."""
        return next((one for one in self.applications.values() if one.window is not None and title.endswith(one.window)), None)

    def started(self, words: Sequence[str]) -> Application | None:
        """Return the application that a command starts."""
        command = words[0].rpartition("/")[2] if words else ""
        of_suite = next((handle for option, handle in self.suites.get(command, {}).items() if option in words), None)
        if of_suite is not None:
            return self.applications[of_suite]
        return next((one for one in self.applications.values() if command in one.commands), None)


@cache
def applications() -> Applications:
    """Return the declared applications."""
    return read_declared_file(_FILE, Applications)


def commands_of(task: TaskFile) -> Iterator[list[str]]:
    """Yield the words of each command that the steps of a task give."""
    for _, step in task.steps:
        if "command" in step.parameters:
            yield from commands_in(step.parameters["command"], is_true(step.parameters.get("shell", False)))


def commands_in(command: str | Sequence[str], shell: bool = False) -> Iterator[list[str]]:
    """Yield the words of each command in one that a task gives: several may stand in a text for a shell."""
    given = [command] if isinstance(command, str) else list(command)
    is_script = not isinstance(command, str) and is_for_shell(given)
    texts = given[-1:] if is_script else given if isinstance(command, str) else [shlex.join(given)] if not shell else [" ".join(given)]
    for text in texts:
        for part in _BETWEEN.split(text) if shell or is_script else [text]:
            words = _words(part)
            while words and (words[0] in _BEFORE or _SETS_VARIABLE.fullmatch(words[0])):
                words = words[1:]
            if words:
                yield words


def starts_browser(words: Sequence[str]) -> bool:
    """Tell whether a command starts the browser of our machines."""
    started = applications().started(words)
    return started is not None and started.program == _BROWSER


def is_for_shell(command: Sequence[str]) -> bool:
    """Tell whether the words of a command hand a script to a shell, as their last word."""
    return bool(command) and command[0].rpartition("/")[2] in ("bash", "sh") and "-c" in command


def applications_of(task: TaskFile) -> list[Application]:
    """Return the known applications that a task names or starts, those that it names first."""
    found = [applications().named(name) for name in task.related_apps]
    found += [applications().started(words) for words in commands_of(task)]
    return list(dict.fromkeys(one for one in found if one is not None))


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text, posix=True)
    except ValueError:  # a part of a longer quotation
        return text.split()
