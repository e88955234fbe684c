"""The unified action space (ProSoftArena, Table 8; Windows Agent Arena, Table 5) as the guest carries it out: places are in pixels here.

An action is `{"name": ..., arguments}`. The host turns element numbers and normalised places into pixels, since it knows what the agent saw.
"""

from collections.abc import Callable, Mapping
from typing import Any

from machines.guest.platform import ActionError, Platform, Window

Json = dict[str, Any]


class Actions:
    """Carries out one action at a time."""

    def __init__(self, platform: Platform, programs: Mapping[str, list[str]]) -> None:
        self._platform = platform
        self._programs = programs
        mouse_and_keys = platform.input
        self._by_name: dict[str, Callable[..., object]] = {
            "move": mouse_and_keys.move,
            "single_click": mouse_and_keys.click,
            "double_click": lambda keys="": mouse_and_keys.click(times=2, keys=keys),
            "triple_click": lambda keys="": mouse_and_keys.click(times=3, keys=keys),
            "right_click": lambda keys="": mouse_and_keys.click("right", keys=keys),
            "middle_click": lambda keys="": mouse_and_keys.click("middle", keys=keys),
            "mouse_down": mouse_and_keys.button_down,
            "mouse_up": mouse_and_keys.button_up,
            "drag": lambda x, y: mouse_and_keys.drag_along([mouse_and_keys.position(), (x, y)]),
            "drag_along": mouse_and_keys.drag_along,
            "scroll": mouse_and_keys.scroll,
            "write": mouse_and_keys.write,
            "press": mouse_and_keys.press,
            "hold_key": mouse_and_keys.hold,
            "copy_text": platform.copy_text,
            "copy_image": self._copy_image,
            "paste": lambda: mouse_and_keys.press("ctrl+v"),
            "open_program": self.open_program,
            "switch_to_app": lambda window: platform.activate(self.window(window)),
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

    def launch(self, command: list[str] | str) -> int:
        """Start a command in the desktop, leave it running, and return its process number."""
        try:
            return self._platform.start(command)
        except OSError as error:
            raise ActionError(f"{command if isinstance(command, str) else command[0]} could not be started: {error}") from error

    def window(self, title: str, strict: bool = False, by_class: bool = False) -> Window:
        """Return the highest window whose title, or class, contains a text; `strict` compares the whole title or class.

        Before a class may stand the name of the window and a dot, as wmctrl writes it (`Mail.thunderbird`).
        """
        windows = self._platform.windows()
        for window in reversed(windows):
            own = window.window_class if by_class else window.title
            if own == title or (by_class and title.lower().endswith(f".{own.lower()}")) or (not strict and title.lower() in own.lower()):
                return window
        raise ActionError(f"no window is called '{title}'; there are {', '.join(repr(window.title) for window in windows) or 'none'}")

    def _copy_image(self, x: int, y: int, width: int, height: int) -> None:
        self._platform.copy_picture(self._platform.frame().picture().crop((x, y, x + width, y + height)))
