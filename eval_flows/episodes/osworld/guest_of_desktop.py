"""A desktop as the getters of a task see it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from eval_flows.episodes.environment.desktop import Desktop
from machines.client import Window


class DesktopGuest:
    """The guest of a desktop. `cache` is the folder of the task's files on this host."""

    def __init__(self, desktop: Desktop, cache: Path) -> None:
        self._desktop = desktop
        self.cache = cache

    @property
    def platform(self) -> str:
        """Return the operating system as Python's `platform.system()` names it."""
        return self._desktop.offers.platform.capitalize()

    @property
    def home(self) -> str:
        """Return the home folder of the agent's user."""
        return self._desktop.offers.home

    def execute(self, command: Sequence[str] | str, shell: bool = False) -> Mapping[str, Any]:
        """Run a command until it ends, and return its `output`, `error` and `returncode`."""
        given, by_shell = for_client(command, shell)
        return self._desktop.client.execute(given, by_shell)

    def file(self, path: str) -> bytes | None:
        """Return the content of a file; None if there is none."""
        return self._desktop.client.file(path)

    def upload(self, path: str, content: bytes) -> None:
        """Write a file, and the folders that it lies in."""
        self._desktop.client.upload(path, content)

    def windows(self) -> Sequence[Window]:
        """Return the windows, the lowest first."""
        return self._desktop.windows()

    def screenshot(self) -> bytes:
        """Return the screen as PNG."""
        return self._desktop.client.observe(["screenshot"]).screenshot or b""

    def tree(self) -> str:
        """Return the accessibility tree as XML."""
        return self._desktop.client.observe(["tree"]).tree or ""


def for_client(command: Sequence[str] | str, shell: bool) -> tuple[list[str] | str, bool]:
    """Return a command as the client takes it: a list for the shell is the line of a shell, as task files mean it."""
    if isinstance(command, str):
        return command, shell
    return (" ".join(command), True) if shell else (list(command), False)
