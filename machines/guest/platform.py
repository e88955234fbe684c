"""What the guest server asks of the system that it runs on. A platform is one class with these methods; everything else is shared."""

import subprocess
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from PIL import Image

from machines.guest.frame import Frame


class ActionError(ValueError):
    """An action that cannot be carried out; the text is for the agent."""


@dataclass(frozen=True)
class Screen:
    """The size of the screen in pixels."""

    width: int
    height: int


@dataclass(frozen=True)
class Window:
    """A window of an application; its place is the place of its content, in pixels."""

    identity: int
    title: str
    window_class: str
    process: int | None
    x: int
    y: int
    width: int
    height: int
    is_active: bool

    def as_json(self) -> dict[str, Any]:
        """Return its fields."""
        return asdict(self)


class Input(Protocol):
    """Mouse and keyboard. Places are in pixels."""

    def move(self, x: int, y: int) -> None:
        """Move the pointer to a place."""

    def click(self, button: str = "left", times: int = 1, keys: str = "") -> None:
        """Click where the pointer is, with keys such as `ctrl+shift` held; `UnknownKey` for another key than ctrl, shift and alt."""

    def button_down(self) -> None:
        """Press the left button where the pointer is, and leave it down."""

    def button_up(self) -> None:
        """Let the left button go."""

    def scroll(self, direction: str, clicks: int = 3, keys: str = "") -> None:
        """Turn the wheel up, down, left or right, with keys held as at a click."""

    def drag_along(self, path: Sequence[tuple[int, int]], keys: str = "") -> None:
        """Press the left button at the first place, move to the others in steps, and release it at the last, with keys held as at a click."""

    def press(self, combination: str) -> None:
        """Press keys together, as in `ctrl+shift+s`; `UnknownKey` for a text that is no key."""

    def hold(self, combination: str, seconds: float) -> None:
        """Hold keys together for so many seconds."""

    def write(self, text: str) -> None:
        """Type a text."""

    def position(self) -> tuple[int, int]:
        """Return the place of the pointer."""


class Platform(Protocol):
    """A system with a desktop. `name` is as Python's `platform.system()` says it; `starts` counts how often the desktop was started."""

    name: str
    home: Path
    screen: Screen

    @property
    def input(self) -> Input:
        """Return mouse and keyboard."""

    @property
    def starts(self) -> int:
        """Return how often the desktop was started."""

    @property
    def ended_for_memory(self) -> int:
        """Return how many processes were ended because they used too much memory."""

    def frame(self, with_pointer: bool = True) -> Frame:
        """Return the screen."""

    def settle(self, quiet: float, limit: float) -> bool:
        """Wait until nothing has changed for `quiet` seconds; tell whether that happened within `limit` seconds."""

    def tree(self, windows: Sequence[Window]) -> str:
        """Return the accessibility tree as XML, for the present windows. It is asked by one thread at a time."""

    def windows(self) -> list[Window]:
        """Return the windows from the lowest to the highest."""

    def activate(self, window: Window) -> None:
        """Bring a window to the front."""

    def close(self, window: Window) -> None:
        """Ask a window to close, as a person would."""

    def copied(self) -> str:
        """Return the text in the clipboard; empty if it holds no text."""

    def copy_text(self, text: str) -> None:
        """Put a text into the clipboard."""

    def copy_picture(self, picture: Image.Image) -> None:
        """Put a picture into the clipboard."""

    def command(self, given: object, shell: bool) -> list[str] | str:
        """Return a command from a text or a list of texts, to be run by the shell if asked; `ActionError` if it is neither."""

    def run(self, command: list[str] | str, seconds: float, ends_forks: bool = False) -> "subprocess.CompletedProcess[bytes]":
        """Run a command in the home folder until it ends.

        `subprocess.TimeoutExpired` with its output after ending it, `OSError` if it does not start.

        `ends_forks` ends its forks with it; programs that it started stay.
        """

    def wait_until_up(self, seconds: float) -> None:
        """Wait until the desktop is there, if it has just ended and starts again; at most so long."""

    def start(self, command: list[str] | str) -> int:
        """Start a command in the home folder, leave it running, and return its process number; `OSError` if it does not start."""

    def open_file(self, path: Path) -> None:
        """Open a file with the program for its kind."""

    def recycle(self, path: Path) -> None:
        """Put a file or a folder into the bin."""
