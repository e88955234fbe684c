"""The client of Windows Agent Arena's guest server: actions are calls of its `computer` (its paper, Table 5), which `/execute_windows` runs.

`computer` is made by `/update_computer` from the rectangles of elements, the place of the picture on the screen, and the picture. We place the
pointer in shares of the whole screen, so rectangles and a picture are only needed to copy a part of the screen.
"""

import base64
import io
from collections.abc import Callable, Mapping
from typing import Any

import httpx
from PIL import Image

from machines.client import Window
from machines.errors import MachineError, RefusedAction
from machines.hands import HANDS
from machines.machine import Program
from machines.remote.foreign import ForeignGuest
from machines.remote.pyautogui_code import code_of, keys_of, only_ascii

Json = dict[str, Any]
_AT_ONCE = 200  # characters of a text: the server takes 0.1 s for each
_SECONDS = 90.0
_NAME_HERE = {"+": "add", "-": "subtract"}  # the server takes a combination apart at these signs


class WaaGuest(ForeignGuest):
    """Windows Agent Arena's server."""

    tree_path = "/accessibility?backend=uia"

    def __init__(self, http: httpx.Client, platform: str, screen: tuple[int, int], programs: Mapping[str, Program]) -> None:
        super().__init__(http, platform, screen, programs)
        self._has_computer = False

    def _do(self, action: Json) -> None:
        if action["name"] == "copy_image":
            x, y, width, height = (action[side] for side in ("x", "y", "width", "height"))
            self._update([[x, y, x + width, y + height]], self._screenshot())
        elif not self._has_computer:
            self._update([], _dot())
        for code in _CODE[action["name"]](action, self._screen):
            self._run(code)

    def _activate(self, window: Window) -> None:
        if not self._has_computer:
            self._update([], _dot())
        self._run(f"computer.window_manager.switch_to_application({window.title!r})")

    def _update(self, rectangles: list[list[int]], picture: bytes) -> None:
        """Make `computer` anew."""
        width, height = self._screen
        asked = {
            "rects": rectangles,
            "window_rect": [0, 0, width, height],
            "screenshot": base64.b64encode(picture).decode(),
            "scale": [1.0, 1.0],
            "clipboard_content": None,
            "swap_ctrl_alt": False,
        }
        self._checked(self._post("/update_computer", asked))
        self._has_computer = True

    def _run(self, code: str) -> None:
        said = self._read(self._checked(self._post("/execute_windows", {"command": code}, once=True, timeout=_SECONDS)))
        if said.get("status") != "success":
            raise MachineError(f"the guest did not carry out {code[:80]!r}: {str(said)[:300]}")

    def close_all(self) -> None:
        """Ask every window to close."""
        self._checked(self._post("/setup/close_all", {}, once=True))


def _placed(function: str) -> Callable[[Json, tuple[int, int]], list[str]]:
    """Return the code for a place. The server cuts off what is behind the point of a pixel, so its middle is given."""

    def code(action: Json, screen: tuple[int, int]) -> list[str]:
        x, y = ((action[name] + 0.5) / length for name, length in zip("xy", screen, strict=True))
        return [f"computer.mouse.{function}({x!r}, {y!r})"]

    return code


def _scroll(action: Json, _: tuple[int, int]) -> list[str]:
    if action["direction"] not in ("up", "down"):
        raise RefusedAction("scroll: this machine scrolls up and down only")
    if "clicks" in action or action.get("keys"):
        return [code_of(action, "windows")]
    return [f"computer.mouse.scroll({action['direction']!r})"]


def _click(action: Json, _: tuple[int, int]) -> list[str]:
    """Return the code of a click. The server's own functions hold no keys, and click twice at most: pyautogui, on which they rest, does both."""
    if action["name"] == "triple_click" or action.get("keys"):
        return [code_of(action, "windows")]
    return [f"computer.mouse.{action['name']}()"]


def _write(action: Json, _: tuple[int, int]) -> list[str]:
    text = only_ascii("write", action["text"])
    return [f"computer.keyboard.write({text[start : start + _AT_ONCE]!r})" for start in range(0, len(text), _AT_ONCE)]


def _press(action: Json, _: tuple[int, int]) -> list[str]:
    keys = keys_of(action["combination"])
    names = [_NAME_HERE.get(key, key) if len(keys) > 1 else key for key in keys]
    return [f"computer.keyboard.press({'+'.join(names)!r})"]


def _copy_text(action: Json, _: tuple[int, int]) -> list[str]:
    """Return the code that copies. The server's own function writes the text, and any output with the word error counts as a failure there."""
    text = repr(action["text"])
    return [f"import pyperclip\npyperclip.copy({text})\ncomputer.clipboard.clipboard_content = {text}"]


_CODE: Mapping[str, Callable[[Json, tuple[int, int]], list[str]]] = {
    "move": _placed("move_abs"),
    **dict.fromkeys(("single_click", "double_click", "triple_click", "right_click"), _click),
    "drag": _placed("drag"),
    **dict.fromkeys(HANDS, lambda action, _: [code_of(action, "windows")]),
    "scroll": _scroll,
    "write": _write,
    "press": _press,
    "copy_text": _copy_text,
    "copy_image": lambda *_: ["computer.clipboard.copy_image(0)"],
    "paste": lambda *_: ["computer.clipboard.paste()"],
}


def _dot() -> bytes:
    """Return the smallest picture: the server wants one even where none is used."""
    file = io.BytesIO()
    Image.new("RGB", (1, 1)).save(file, "PNG")
    return file.getvalue()
