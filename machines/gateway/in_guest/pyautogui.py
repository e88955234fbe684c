"""pyautogui for programs that OSWorld's harness runs inside a machine: its functions for mouse and keyboard, with their names and arguments.

Each program is a process of its own, so what is held (a key, a button) is held by the X server until another program lets it go. Durations and
tweens are left out: a pointer jumps, or goes in steps while a button is down. Other than the real one, this types any character, types `<` as `<`,
and fails for a key that it does not know.
"""

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from PIL import Image
from Xlib import X

from machines.guest.keys import NAMES
from machines.guest.on_linux.input import Input
from machines.guest.on_linux.x11 import Connection
from machines.guest.paths import in_steps

PAUSE, FAILSAFE, MINIMUM_DURATION, MINIMUM_SLEEP = 0.0, False, 0.0, 0.0  # programs set them; they change nothing here
LEFT = PRIMARY = "left"
MIDDLE = "middle"
RIGHT = SECONDARY = "right"
KEYBOARD_KEYS = [name for names in NAMES.values() for name in names]
_BUTTONS = {"left": "left", "primary": "left", "middle": "middle", "right": "right", "secondary": "right", 1: "left", 2: "middle", 3: "right"}
_HELD = X.Button1Mask | X.Button2Mask | X.Button3Mask
_BETWEEN = 0.01  # seconds between the movements of a drag: toolkits drop those that come at once

_input, _screen = Input(lambda keys: None), Connection()  # what keys may press matters to the guest server alone, which waits for it


class PyAutoGUIException(Exception):
    """What cannot be done."""


FailSafeException = ImageNotFoundException = PyAutoGUIException


class Point(NamedTuple):
    """A place in pixels."""

    x: int
    y: int


class Size(NamedTuple):
    """A size in pixels."""

    width: int
    height: int


def size() -> Size:
    """Return the size of the screen."""
    return _screen.use(lambda display: Size(display.screen().width_in_pixels, display.screen().height_in_pixels))


def position(x: Any = None, y: Any = None) -> Point:
    """Return the place of the pointer, or the one that is given."""
    here = _input.position()
    return Point(here[0] if x is None else int(x), here[1] if y is None else int(y))


def onScreen(x: Any, y: Any = None) -> bool:  # noqa: N802
    """Tell whether a place is on the screen."""
    left, top = _place(x, y)
    width, height = size()
    return 0 <= left < width and 0 <= top < height


def moveTo(x: Any = None, y: Any = None, *_: Any, **__: Any) -> None:  # noqa: N802
    """Move the pointer to a place."""
    width, height = size()
    left, top = _place(x, y)
    target = (min(max(left, 0), width - 1), min(max(top, 0), height - 1))
    is_dragged = _screen.use(lambda display: bool(display.screen().root.query_pointer().mask & _HELD))
    for step in in_steps([_input.position(), target]) if is_dragged else [target]:
        _input.move(*step)
        if is_dragged:
            time.sleep(_BETWEEN)


def moveRel(xOffset: Any = 0, yOffset: Any = 0, *_: Any, **__: Any) -> None:  # noqa: N802, N803
    """Move the pointer by pixels."""
    moveTo(*_beside(xOffset, yOffset))


def mouseDown(x: Any = None, y: Any = None, button: Any = LEFT, *_: Any, **__: Any) -> None:  # noqa: N802
    """Press a button, and leave it down."""
    _go(x, y)
    _input.button_down(_button(button))


def mouseUp(x: Any = None, y: Any = None, button: Any = LEFT, *_: Any, **__: Any) -> None:  # noqa: N802
    """Let a button go."""
    _go(x, y)
    _input.button_up(_button(button))


def click(x: Any = None, y: Any = None, clicks: int = 1, interval: float = 0.0, button: Any = LEFT, *_: Any, **__: Any) -> None:
    """Click at a place, or where the pointer is."""
    _go(x, y)
    if not interval:
        _input.click(_button(button), int(clicks))
        return
    for _number in range(int(clicks)):
        _input.click(_button(button))
        time.sleep(interval)


def leftClick(x: Any = None, y: Any = None, *_: Any, **__: Any) -> None:  # noqa: N802
    """Click once."""
    click(x, y)


def rightClick(x: Any = None, y: Any = None, *_: Any, **__: Any) -> None:  # noqa: N802
    """Click with the right button."""
    click(x, y, button=RIGHT)


def middleClick(x: Any = None, y: Any = None, *_: Any, **__: Any) -> None:  # noqa: N802
    """Click with the middle button."""
    click(x, y, button=MIDDLE)


def doubleClick(x: Any = None, y: Any = None, interval: float = 0.0, button: Any = LEFT, *_: Any, **__: Any) -> None:  # noqa: N802
    """Click twice."""
    click(x, y, 2, interval, button)


def tripleClick(x: Any = None, y: Any = None, interval: float = 0.0, button: Any = LEFT, *_: Any, **__: Any) -> None:  # noqa: N802
    """Click three times."""
    click(x, y, 3, interval, button)


def dragTo(  # noqa: N802
    x: Any = None,
    y: Any = None,
    duration: float = 0.0,
    tween: Any = None,
    button: Any = LEFT,
    *_: Any,
    mouseDownUp: bool = True,  # noqa: N803
    **__: Any,
) -> None:
    """Press a button, move to a place, and let it go."""
    target = _place(x, y)
    if not mouseDownUp:
        moveTo(*target)
        return
    mouseDown(button=button)
    try:
        moveTo(*target)
    finally:
        mouseUp(button=button)


def dragRel(xOffset: Any = 0, yOffset: Any = 0, *given: Any, **named: Any) -> None:  # noqa: N802, N803
    """Drag by pixels."""
    dragTo(*_beside(xOffset, yOffset), *given, **named)


def scroll(clicks: float, x: Any = None, y: Any = None, *_: Any, **__: Any) -> None:
    """Turn the wheel up, or down for a number below 0."""
    _turn("up" if clicks > 0 else "down", clicks, x, y)


def hscroll(clicks: float, x: Any = None, y: Any = None, *_: Any, **__: Any) -> None:
    """Turn the wheel to the right, or to the left for a number below 0."""
    _turn("right" if clicks > 0 else "left", clicks, x, y)


def write(message: str | Iterable[str], interval: float = 0.0, *_: Any, **__: Any) -> None:
    """Type a text, or press keys one after another if a list of them is given."""
    if not isinstance(message, str):
        press(message, interval=interval)
        return
    text = message.replace("\r\n", "\n").replace("\r", "\n")
    for part in text if interval else [text]:
        _input.write(part)
        time.sleep(interval)


def press(keys: str | Iterable[str], presses: int = 1, interval: float = 0.0, *_: Any, **__: Any) -> None:
    """Press a key, or several one after another."""
    listed = [keys] if isinstance(keys, str) else list(keys)
    for key in listed * int(presses):
        if len(key) == 1:
            _input.write(key)
        else:
            _input.press(key)
        time.sleep(interval)


def keyDown(key: str, *_: Any, **__: Any) -> None:  # noqa: N802
    """Press a key, and leave it down."""
    _input.keys_down(key)


def keyUp(key: str, *_: Any, **__: Any) -> None:  # noqa: N802
    """Let a key go."""
    _input.keys_up(key)


def hotkey(*keys: Any, **_: Any) -> None:
    """Press keys together."""
    together = keys[0] if len(keys) == 1 and not isinstance(keys[0], str) else keys
    with hold(together):
        pass


@contextlib.contextmanager
def hold(keys: str | Iterable[str], *_: Any, **__: Any) -> Iterator[None]:
    """Hold keys meanwhile; they go up again even if something fails."""
    with contextlib.ExitStack() as held:
        for key in [keys] if isinstance(keys, str) else keys:
            _input.keys_down(key)
            held.callback(_input.keys_up, key)
        yield


def sleep(seconds: float) -> None:
    """Wait."""
    time.sleep(seconds)


def isValidKey(key: str) -> bool:  # noqa: N802
    """Tell whether a key has this name."""
    return len(key) == 1 or key.lower() in KEYBOARD_KEYS


def screenshot(imageFilename: Any = None, region: tuple[int, int, int, int] | None = None) -> Image.Image:  # noqa: N803
    """Return the screen, or the part of it at left, top, width and height; write it to a file if one is named."""
    left, top, width, height = region or (0, 0, *size())
    found = _screen.use(lambda display: display.screen().root.get_image(left, top, width, height, X.ZPixmap, 0xFFFFFFFF))
    picture = Image.frombytes("RGB", (width, height), found.data, "raw", "BGRX")
    if imageFilename is not None:
        picture.save(imageFilename)
    return picture


move, drag, typewrite, vscroll = moveRel, dragRel, write, scroll


def __getattr__(name: str) -> Callable[[float], float]:
    """Return a tween, which programs only hand on; `AttributeError` for any other name."""
    if name == "linear" or name.startswith("ease"):
        return lambda share: share
    raise AttributeError(f"this machine's pyautogui has no '{name}'; it has functions for mouse, keyboard and screenshots")


def _place(x: Any, y: Any) -> tuple[int, int]:
    """Return a place; what is not given is that of the pointer."""
    if isinstance(x, tuple | list):
        x, y = x[:2]
    if isinstance(x, str):
        raise PyAutoGUIException("a place is given in pixels: this machine does not look for pictures on the screen")
    here = _input.position() if x is None or y is None else (0, 0)
    return round(here[0] if x is None else x), round(here[1] if y is None else y)


def _beside(x: Any, y: Any) -> tuple[int, int]:
    if isinstance(x, tuple | list):
        x, y = x[:2]
    here = _input.position()
    return here[0] + round(x or 0), here[1] + round(y or 0)


def _go(x: Any, y: Any) -> None:
    if x is not None or y is not None:
        moveTo(x, y)


def _button(name: Any) -> str:
    if name not in _BUTTONS:
        raise PyAutoGUIException(f"the buttons are left, middle and right, not {name!r}")
    return _BUTTONS[name]


def _turn(direction: str, clicks: float, x: Any, y: Any) -> None:
    _go(x, y)
    if notches := abs(round(clicks)):
        _input.scroll(direction, notches)
