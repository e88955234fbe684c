"""What a getter may ask of the machine whose state it reads, and where it keeps the files that it fetched."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from machines.client import Window


class Guest(Protocol):
    """A machine after the agent is done, as the getters of one task see it."""

    @property
    def platform(self) -> str:
        """The operating system as Python's `platform.system()` names it: `Linux`, `Windows` or `Darwin`."""

    @property
    def home(self) -> str:
        """The home folder of the agent's user, without a slash at its end: `/home/user`."""

    @property
    def cache(self) -> Path:
        """The folder on the host that holds the files of this task: what its configuration fetched, and what getters fetch."""

    def execute(self, command: Sequence[str] | str, shell: bool = False) -> Mapping[str, Any]:
        """Run a command as the agent's user until it ends, and return its `output`, `error` and `returncode`."""

    def file(self, path: str) -> bytes | None:
        """Return the content of a file of the machine; None if there is none."""

    def upload(self, path: str, content: bytes) -> None:
        """Write a file of the machine, and the folders that it lies in."""

    def windows(self) -> Sequence[Window]:
        """Return the windows, the lowest first; places and sizes are in pixels."""

    def screenshot(self) -> bytes:
        """Return the screen as PNG."""

    def tree(self) -> str:
        """Return the accessibility tree as XML, with the names of OSWorld's server."""
