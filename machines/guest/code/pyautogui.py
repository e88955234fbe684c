"""A stand-in for pyautogui over the actions of the guest: the functions that agents use for mouse and keyboard, with pyautogui's names and arguments.

The real one is in no package of Debian's, drops characters that the keyboard lacks without a word, types `>` for `<`, and knows nothing of waiting
for the screen. Every call here ends in the same action as the one of an agent of another kind. Durations and pauses are left out: after each call
the machine is waited for. Keys and the button that are held down (`keyDown`, `mouseDown`) come with the next click, key or movement, and nothing
stays down when the code ends.
"""

import time
from collections.abc import Iterable
from typing import Any

from machines.guest.code.calling import ActionError, call

PAUSE, FAILSAFE, MINIMUM_DURATION = 0.0, False, 0.0  # code sets them; they change nothing here
PRIMARY = LEFT = "left"
SECONDARY = RIGHT = "right"
_CLICKS = {("left", 1): "single_click", ("left", 2): "double_click", ("left", 3): "triple_click", ("right", 1): "right_click"}
_HELD_AT_CLICKS = ("ctrl", "shift", "alt")
_MOST_NOTCHES = 50  # of one action
_held: list[str] = []
_pressed_at: list[tuple[int, int]] = []  # where the button went down
_size: list[int] = []


def size() -> tuple[int, int]:
    """Return the width and the height of the screen in pixels."""
    if not _size:
        _size.extend(call("size"))
    return _size[0], _size[1]


def position() -> tuple[int, int]:
    """Return the place of the pointer in pixels."""
    x, y = call("position")
    return x, y


def moveTo(x: Any = None, y: Any = None, *_: Any, **__: Any) -> None:  # noqa: N802
    """Move the pointer to a place in pixels; with the button down, it is dragged there when the button goes up."""
    call("move_abs", **_shares(*_place(x, y)))


def moveRel(xOffset: float = 0, yOffset: float = 0, *_: Any, **__: Any) -> None:  # noqa: N802, N803
    """Move the pointer by pixels."""
    x, y = position()
    moveTo(x + xOffset, y + yOffset)


def click(x: Any = None, y: Any = None, clicks: int = 1, interval: float = 0.0, button: str = "left", *_: Any, **__: Any) -> None:
    """Click at a place, or where the pointer is."""
    side = {"primary": "left", "secondary": "right"}.get(button, button)
    keys = {"keys": "+".join(_held)} if _held else {}
    if other := [key for key in _held if key not in _HELD_AT_CLICKS]:
        raise ActionError(f"click: only {', '.join(_HELD_AT_CLICKS)} can be held at a click, not {', '.join(other)}")
    if x is not None or y is not None:
        moveTo(x, y)
    if (side, clicks) in _CLICKS and not interval:
        call(_CLICKS[side, clicks], **keys)
        return
    if (side, 1) not in _CLICKS:
        raise ActionError(f"click: the buttons are left and right, not {button!r}")
    for _number in range(clicks):
        call(_CLICKS[side, 1], **keys)
        time.sleep(interval)


def leftClick(x: Any = None, y: Any = None, *_: Any, **__: Any) -> None:  # noqa: N802
    """Click once."""
    click(x, y)


def doubleClick(x: Any = None, y: Any = None, *_: Any, **__: Any) -> None:  # noqa: N802
    """Click twice."""
    click(x, y, clicks=2)


def tripleClick(x: Any = None, y: Any = None, *_: Any, **__: Any) -> None:  # noqa: N802
    """Click three times."""
    click(x, y, clicks=3)


def rightClick(x: Any = None, y: Any = None, *_: Any, **__: Any) -> None:  # noqa: N802
    """Click with the right button."""
    click(x, y, button="right")


def mouseDown(x: Any = None, y: Any = None, button: str = "left", *_: Any, **__: Any) -> None:  # noqa: N802
    """Press the left button; it is dragged to where it goes up."""
    if button not in ("left", "primary"):
        raise ActionError("mouseDown: only the left button is dragged")
    if x is not None or y is not None:
        moveTo(x, y)
    _pressed_at[:] = [position()]


def mouseUp(x: Any = None, y: Any = None, *_: Any, **__: Any) -> None:  # noqa: N802
    """Let the button go: drag from where it went down to here, or click if that is the same place."""
    end = _place(x, y)
    start, _pressed_at[:] = (_pressed_at or [end])[0], []
    call("move_abs", **_shares(*start))
    if start == end:
        click()
    else:
        call("drag", **_shares(*end))


def dragTo(x: Any = None, y: Any = None, *_: Any, **__: Any) -> None:  # noqa: N802
    """Press the button, move to a place, and let it go."""
    call("drag", **_shares(*_place(x, y)))


def dragRel(xOffset: float = 0, yOffset: float = 0, *_: Any, **__: Any) -> None:  # noqa: N802, N803
    """Drag by pixels."""
    x, y = position()
    dragTo(x + xOffset, y + yOffset)


def scroll(clicks: float, x: Any = None, y: Any = None, *_: Any, **__: Any) -> None:
    """Turn the wheel up, or down for a number below 0."""
    _turn("up" if clicks > 0 else "down", abs(round(clicks)), x, y)


def hscroll(clicks: float, x: Any = None, y: Any = None, *_: Any, **__: Any) -> None:
    """Turn the wheel to the right, or to the left for a number below 0."""
    _turn("right" if clicks > 0 else "left", abs(round(clicks)), x, y)


def write(message: str | Iterable[str], interval: float = 0.0, *_: Any, **__: Any) -> None:
    """Type a text, or press keys one after another if a list of them is given."""
    if not isinstance(message, str):
        press(list(message), interval=interval)
    elif interval:
        for character in message:
            call("write", character)
            time.sleep(interval)
    elif message:
        call("write", message)


def press(keys: str | Iterable[str], presses: int = 1, interval: float = 0.0, *_: Any, **__: Any) -> None:
    """Press a key, or several one after another."""
    listed = [keys] if isinstance(keys, str) else list(keys)
    for key in listed * presses:
        call("press", "+".join([*_held, _key(key)]))
        time.sleep(interval)


def hotkey(*keys: Any, **_: Any) -> None:
    """Press keys together."""
    together = keys[0] if len(keys) == 1 and not isinstance(keys[0], str) else keys
    call("press", "+".join([*_held, *map(_key, together)]))


def keyDown(key: str, *_: Any, **__: Any) -> None:  # noqa: N802
    """Hold a key at what is clicked and pressed from now on."""
    if key not in _held:
        _held.append(key)


def keyUp(key: str, *_: Any, **__: Any) -> None:  # noqa: N802
    """Let a key go."""
    if key in _held:
        _held.remove(key)


def sleep(seconds: float) -> None:
    """Wait."""
    time.sleep(seconds)


move, drag, typewrite = moveRel, dragRel, write


def __getattr__(name: str) -> Any:
    raise AttributeError(f"this machine's pyautogui has no '{name}'; it has functions for mouse and keyboard")


def _place(x: Any, y: Any) -> tuple[int, int]:
    """Return a place; what is not given is that of the pointer."""
    if isinstance(x, list | tuple):
        x, y = x
    if isinstance(x, str):
        raise ActionError("a place is given in pixels: this machine does not look for pictures on the screen")
    here = position() if x is None or y is None else (0, 0)
    return round(here[0] if x is None else x), round(here[1] if y is None else y)


def _shares(x: int, y: int) -> dict[str, float]:
    """Return a place as shares of the screen, as actions take it. Places beside the screen are at its edge, as in pyautogui."""
    width, height = size()
    return {"x": min(max(x, 0), width - 1) / (width - 1), "y": min(max(y, 0), height - 1) / (height - 1)}


def _key(name: Any) -> str:
    """Return a key as actions name it: of a capital letter with shift, and of white space by its name."""
    key = str(name)
    if len(key) == 1 and key.isupper():
        return f"shift+{key.lower()}"
    return {" ": "space", "\n": "enter", "\r": "enter", "\t": "tab"}.get(key, key)


def _turn(direction: str, notches: int, x: Any, y: Any) -> None:
    if x is not None or y is not None:
        moveTo(x, y)
    keys = {"keys": "+".join(_held)} if _held else {}
    while notches > 0:
        call("scroll", direction=direction, amount=min(notches, _MOST_NOTCHES), **keys)
        notches -= _MOST_NOTCHES
