"""Actions as Python code with pyautogui, which OSWorld's guest server runs (OSWorld's own agents act in the same way)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from machines.errors import RefusedAction
from machines.guest.keys import HELD, NAMES, combination, held

Json = dict[str, Any]
_HEAD = "import pyautogui\npyautogui.FAILSAFE = False\npyautogui.PAUSE = 0\n"
_NAME_HERE: Mapping[str, str] = {"Super_L": "win", "Menu": "apps", "Super_R": "winright"}  # where the first of our names is none of pyautogui's
_NOTCH = {"linux": 1, "windows": 120}  # what pyautogui scrolls by one step of the wheel
_STEPS = 3
_CLICKS = {
    "single_click": "click()",
    "double_click": "doubleClick()",
    "triple_click": "tripleClick()",
    "right_click": "rightClick()",
    "middle_click": "middleClick()",
}
_DIRECTIONS = {"up": ("scroll", 1), "down": ("scroll", -1), "left": ("hscroll", -1), "right": ("hscroll", 1)}


def code_of(action: Json, platform: str) -> str:
    """Return the code of an action; `RefusedAction` for what pyautogui cannot do."""
    return _HEAD + _CODE[action["name"]](action, platform)


def keys_of(written: str) -> list[str]:
    """Return the keys of a combination under pyautogui's names; `RefusedAction` for a character that pyautogui has no key for."""
    found = [_NAME_HERE.get(key, NAMES[key][0]) if key in NAMES and len(key) > 1 else key for key in combination(written)]
    only_ascii("press", "".join(found))
    return found


def only_ascii(name: str, text: str) -> str:
    """Return the text; `RefusedAction` if it has other characters, which pyautogui leaves out without a word."""
    other = sorted({character for character in text if not (character.isascii() and (character.isprintable() or character in "\n\t"))})
    if other:
        raise RefusedAction(f"{name}: this machine types ASCII characters alone, not {' '.join(other)[:40]}; use copy_text and paste for them")
    return text


def _write(action: Json, platform: str) -> str:
    """Return the code that types a text. Under Linux, pyautogui types > for <, which only the keys themselves get right."""
    text = only_ascii("write", action["text"])
    parts = text.split("<") if platform == "linux" else [text]
    typed = [f"pyautogui.write({part!r})" for part in parts]
    return "\npyautogui.hotkey('shift', ',')\n".join(typed)


def _press(action: Json, _: str) -> str:
    return f"pyautogui.hotkey(*{keys_of(action['combination'])!r})"


def clicking(action: Json) -> str:
    """Return the code of a click. Keys that are held go up again even if the click fails."""
    return _holding(_held_in(action), f"pyautogui.{_CLICKS[action['name']]}")


def _holding(keys: Sequence[str], code: str) -> str:
    """Return code that runs while keys are held; they go up again even if it fails."""
    if not keys:
        return code
    down, up = ("".join(f"pyautogui.{function}({key!r})\n    " for key in names) for function, names in (("keyDown", keys), ("keyUp", keys[::-1])))
    return f"try:\n    {down}{code}\nfinally:\n    {up}".rstrip()


def _held_in(action: Json) -> list[str]:
    return [HELD[key] for key in held(action["keys"])] if action.get("keys") else []


def _drag_along(action: Json, _: str) -> str:
    (x, y), *others = action["path"]
    moves = "; ".join(f"pyautogui.moveTo({right}, {down}, duration=0.1)" for right, down in others)
    return _holding(_held_in(action), f"pyautogui.moveTo({x}, {y}); pyautogui.mouseDown(); {moves or 'None'}; pyautogui.mouseUp()")


def _hold(action: Json, _: str) -> str:
    return "import time\n" + _holding(keys_of(action["combination"]), f"time.sleep({action['seconds']})")


def _scroll(action: Json, platform: str) -> str:
    function, sign = _DIRECTIONS[action["direction"]]
    if function == "hscroll" and platform != "linux":
        raise RefusedAction("scroll: this machine scrolls up and down only")
    return _holding(_held_in(action), f"pyautogui.{function}({sign * action.get('clicks', _STEPS) * _NOTCH[platform]})")


def _copy_text(action: Json, platform: str) -> str:
    """Return the code that copies. Under Linux a program stays behind that holds the text; the server would wait for it if it could still write."""
    silent = "import os\nnothing = os.open(os.devnull, os.O_WRONLY)\nos.dup2(nothing, 1)\nos.dup2(nothing, 2)\n" if platform == "linux" else ""
    return f"{silent}import pyperclip\npyperclip.copy({action['text']!r})"


_CODE: Mapping[str, Callable[[Json, str], str]] = {
    "move": lambda action, _: f"pyautogui.moveTo({action['x']}, {action['y']})",
    **dict.fromkeys(_CLICKS, lambda action, _: clicking(action)),
    "drag": lambda action, _: f"pyautogui.dragTo({action['x']}, {action['y']}, duration=0.5, button='left')",
    "drag_along": _drag_along,
    "mouse_down": lambda *_: "pyautogui.mouseDown()",
    "mouse_up": lambda *_: "pyautogui.mouseUp()",
    "hold_key": _hold,
    "scroll": _scroll,
    "write": _write,
    "press": _press,
    "copy_text": _copy_text,
    "paste": lambda *_: "pyautogui.hotkey('ctrl', 'v')",
}
