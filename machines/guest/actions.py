"""The unified action space (ProSoftArena, Table 8; Windows Agent Arena, Table 5) as the guest carries it out: places are in pixels here.

An action is `{"name": ..., arguments}`. The host turns element numbers and normalised places into pixels, since it knows what the agent saw.
"""

import io
from collections.abc import Callable, Mapping
from typing import Any

from machines.guest.clipboard import Clipboard
from machines.guest.desktop import Desktop
from machines.guest.input import Input
from machines.guest.processes import Processes
from machines.guest.screen import FrameBuffer
from machines.guest.windows import Window, Windows

Json = dict[str, Any]


class ActionError(ValueError):
    """An action that cannot be carried out; the text is for the agent."""


class Actions:
    """Carries out one action at a time."""

    def __init__(self, processes: Processes, desktop: Desktop, programs: Mapping[str, list[str]], screen: FrameBuffer) -> None:
        self._processes = processes
        self._desktop = desktop
        self._programs = programs
        self._screen = screen
        self.input = Input()
        self.windows = Windows()
        self.clipboard = Clipboard(processes, desktop)
        self._by_name: dict[str, Callable[..., None]] = {
            "move": self.input.move,
            "single_click": self.input.click,
            "double_click": lambda: self.input.click(times=2),
            "right_click": lambda: self.input.click("right"),
            "drag": self.input.drag,
            "scroll": self.input.scroll,
            "write": self.input.write,
            "press": self.input.press,
            "copy_text": lambda text: self.clipboard.copy(text.encode()),
            "copy_image": self._copy_image,
            "paste": lambda: self.input.press("ctrl+v"),
            "open_program": self.open_program,
            "switch_to_app": lambda window: self.windows.activate(self.window(window)),
        }

    def do(self, action: Json) -> None:
        """Carry out an action; `ActionError` says what was wrong."""
        arguments = dict(action)
        name = arguments.pop("name", None)
        if name not in self._by_name:
            raise ActionError(f"there is no action '{name}'; there are {', '.join(self._by_name)}")
        try:
            self._by_name[name](**arguments)
        except (TypeError, ValueError, KeyError) as error:
            raise ActionError(f"{name}: {error}") from error

    def open_program(self, program: str) -> None:
        """Start an application by its handle in the machine's list."""
        command = self._programs.get(program.strip().lower())
        if command is None:
            raise ActionError(f"no program '{program}' is installed; there are {', '.join(sorted(self._programs))}")
        self.launch(command)

    def launch(self, command: list[str]) -> int:
        """Start a command in the desktop, leave it running, and return its process number."""
        from subprocess import DEVNULL

        home = self._desktop.environment["HOME"]
        try:
            return self._processes.start(command, self._desktop.environment, cwd=home, stdout=DEVNULL, stderr=DEVNULL).pid
        except OSError as error:
            raise ActionError(f"{command[0]} could not be started: {error}") from error

    def window(self, title: str, strict: bool = False, by_class: bool = False) -> Window:
        """Return the highest window whose title, or class, contains a text; `strict` compares the whole title or class."""
        windows = self.windows.all()
        for window in reversed(windows):
            own = window.window_class if by_class else window.title
            if own == title or (not strict and title.lower() in own.lower()):
                return window
        raise ActionError(f"no window is called '{title}'; there are {', '.join(repr(window.title) for window in windows) or 'none'}")

    def _copy_image(self, x: int, y: int, width: int, height: int) -> None:
        file = io.BytesIO()
        self._screen.picture().crop((x, y, x + width, y + height)).save(file, "PNG")
        self.clipboard.copy(file.getvalue(), "image/png")
