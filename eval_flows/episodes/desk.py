"""A machine as an episode uses it: the screen with its elements, actions of the unified space, and programs by their handle."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from machines.actions import Action, for_guest
from machines.client import GuestClient, Window
from machines.errors import MachineError
from machines.image import Image
from machines.observation import Element, read_elements

_KEY_QUIET = 0.15  # seconds without a change; then a slow program has handled a key
QUIET, SETTLED_WITHIN = 0.06, 3.0  # seconds without a change on the screen, and the limit of waiting for that
_MOVED_QUIET, _MOVED_WITHIN = 0.03, 0.5  # the same before a click: a tip that hides the place closes when the pointer comes
_PROGRAM_SECONDS = 60.0
_ASK_EVERY = 0.04


@dataclass(frozen=True)
class Look:
    """The content of the screen."""

    elements: Sequence[Element]
    windows: Sequence[Window]
    screenshot: bytes | None = None
    clipboard: str | None = None


class Desk:
    """A running machine and its image."""

    def __init__(self, client: GuestClient, image: Image) -> None:
        self.client = client
        self.image = image
        self.screen = image.screen["width"], image.screen["height"]

    def look(self, *more: str) -> Look:
        """Return the elements and the windows, and with `more` the `screenshot` or the `clipboard`."""
        seen = self.client.observe(["tree", "windows", *more])
        assert seen.tree is not None and seen.windows is not None
        return Look(read_elements(seen.tree, self.screen), seen.windows, seen.screenshot, seen.clipboard)

    def windows(self) -> Sequence[Window]:
        """Return the windows, lowest first."""
        return self.client.observe(["windows"]).windows or ()

    def do(self, action: Action, elements: Sequence[Element]) -> None:
        """Carry out an action on elements of a look, and wait until the screen is still.

        A text is typed key by key into a program that loses fast keys.
        """
        if action.name == "write" and self._loses_fast_keys():
            for character in action.arguments["text"]:
                self.client.act(for_guest(Action("write", {"text": character}), elements, self.screen))
                self.settle(quiet=_KEY_QUIET)
            return
        self.client.act(for_guest(action, elements, self.screen))
        if action.name.startswith("move"):
            self.settle(_MOVED_QUIET, _MOVED_WITHIN)
        else:
            self.settle()

    def _loses_fast_keys(self) -> bool:
        classes = {program.window_class.lower() for program in self.image.programs.values() if program.loses_fast_keys}
        return bool(classes) and any(window.is_active and window.window_class.lower() in classes for window in self.windows())

    def settle(self, quiet: float = QUIET, limit: float = SETTLED_WITHIN) -> None:
        """Wait until the screen is still, or the limit is over."""
        self.client.settle(quiet, limit)

    def open(self, program: str, arguments: Sequence[str] = ()) -> None:
        """Start a program and wait until its window stands still and shows in the accessibility tree."""
        self.client.launch([*self.image.programs[program].command, *arguments])
        self.wait_until_ready(program)

    def wait_until_ready(self, program: str) -> None:
        """Wait until a window of the program stands still and shows in the accessibility tree; `MachineError` if none comes."""
        try:
            self.wait_until(lambda: self._is_ready(program), f"no window of {program} came up", _PROGRAM_SECONDS)
        except MachineError as error:
            running = self.client.execute(["ps", "axf", "-o", "pid,stat,etimes,args"])["output"]
            raise MachineError(f"{error}; windows {self.windows()}, {len(self.look().elements)} elements, processes:\n{running}") from None
        self.settle(quiet=0.12, limit=5.0)

    def write_settings(self) -> None:
        """Make programs that keep settings in memory write them to their files now."""
        for command in self.image.writers:
            self.client.execute(command)

    def windows_of(self, program: str) -> list[Window]:
        """Return the windows of a program, lowest first."""
        window_class = self.image.programs[program].window_class.lower()
        return [window for window in self.windows() if window.window_class.lower() == window_class]

    def _is_ready(self, program: str) -> bool:
        mine = self.windows_of(program)
        if not mine:
            return False
        time.sleep(_ASK_EVERY)
        if not set(mine) <= set(self.windows()):
            return False
        titles = {window.title for window in mine}
        return any(element.window in titles or not element.window for element in self.look().elements)

    def wait_until(self, holds: Callable[[], Any], otherwise: str, seconds: float) -> None:
        """Call `holds` until it is true; `MachineError` with the text `otherwise` when the time is over."""
        until = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > until:
                raise MachineError(f"{otherwise} within {seconds:.0f} s")
            time.sleep(_ASK_EVERY)
