"""Mouse and keyboard by SendInput. An action becomes a list of events first, and the events become the structures of Windows."""

import ctypes
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from machines.guest.keys import combination as read_combination
from machines.guest.keys import held, key_of
from machines.guest.on_windows.api import Api, KeyInput, MouseInput, Point
from machines.guest.on_windows.api import Input as Packed
from machines.guest.on_windows.key_codes import CODES, EXTENDED
from machines.guest.paths import in_steps
from machines.guest.platform import ActionError, Screen

MOVE, LEFT_DOWN, LEFT_UP, RIGHT_DOWN, RIGHT_UP, MIDDLE_DOWN, MIDDLE_UP = 0x1, 0x2, 0x4, 0x8, 0x10, 0x20, 0x40
WHEEL, SIDE_WHEEL, ABSOLUTE = 0x800, 0x1000, 0x8000
_BUTTONS = {"left": (LEFT_DOWN, LEFT_UP), "middle": (MIDDLE_DOWN, MIDDLE_UP), "right": (RIGHT_DOWN, RIGHT_UP)}
EXTENDED_KEY, KEY_UP, UNICODE = 0x1, 0x2, 0x4
_OF_MOUSE, _OF_KEYS = 0, 1
_NOTCH = 120  # one step of the wheel
_UNIT = 65536  # Windows places the pointer in shares of the screen of this size
_BETWEEN = 0.01  # seconds between the events of a drag or a double click: programs drop those that come at once
_AT_ONCE = 64  # characters that are sent before others get a turn


@dataclass(frozen=True)
class Mouse:
    """An event of the mouse: a button, the wheel, or a place in shares of the screen."""

    flags: int
    x: int = 0
    y: int = 0
    data: int = 0


@dataclass(frozen=True)
class Key:
    """A key that goes down or up: by its code, or as a unit of UTF-16 in `scan`."""

    code: int
    flags: int = 0
    scan: int = 0


Event = Mouse | Key


class Input:
    """Mouse and keyboard actions, as a person's hands make them."""

    def __init__(self, api: Api, screen: Screen) -> None:
        self._api = api
        self._screen = screen

    def move(self, x: int, y: int) -> None:
        """Move the pointer to a place in pixels."""
        self.send([moved(x, y, self._screen)])

    def click(self, button: str = "left", times: int = 1, keys: str = "") -> None:
        """Click where the pointer is, with keys such as `ctrl+shift` held."""
        with self._holding(keys):
            for number in range(times):
                time.sleep(_BETWEEN if number else 0)
                self.send(clicked(button))

    def button_down(self) -> None:
        """Press the left button where the pointer is, and leave it down."""
        self.send(clicked("left")[:1])

    def button_up(self) -> None:
        """Let the left button go."""
        self.send(clicked("left")[1:])

    def scroll(self, direction: str, clicks: int = 3, keys: str = "") -> None:
        """Turn the wheel up, down, left or right, with keys held."""
        with self._holding(keys):
            for _ in range(clicks):
                self.send([turned(direction)])

    def drag_along(self, path: Sequence[tuple[int, int]], keys: str = "") -> None:
        """Press the left button at the first place, move to the others in steps, and release it at the last, with keys held."""
        down, up = clicked("left")
        with self._holding(keys):
            self.send([moved(*path[0], self._screen), down])
            for x, y in in_steps(path):
                time.sleep(_BETWEEN)
                self.send([moved(x, y, self._screen)])
            time.sleep(_BETWEEN)
            self.send([up])

    @contextmanager
    def _holding(self, keys: str) -> Iterator[None]:
        """Hold keys such as `ctrl+shift` during a block."""
        codes = [CODES[key] for key in held(keys)] if keys else []
        if codes:
            self.send([_key(code) for code in codes])
        try:
            yield
        finally:
            if codes:
                self.send([_key(code, KEY_UP) for code in reversed(codes)])

    def hold(self, combination: str, seconds: float) -> None:
        """Hold keys together for so many seconds."""
        events = pressed(read_combination(combination), self._api.VkKeyScanW)
        down, up = events[: len(events) // 2], events[len(events) // 2 :]
        self.send(down)
        time.sleep(seconds)
        self.send(up)

    def press(self, combination: str) -> None:
        """Press keys together, as in `ctrl+shift+s`; `UnknownKey` for a text that is no key. Hold shift too if a key needs it."""
        self.send(pressed(read_combination(combination), self._api.VkKeyScanW))

    def write(self, text: str) -> None:
        """Type a text; `UnknownKey` for a character that no keyboard has."""
        events = [written(character) for character in text]
        for start in range(0, len(events), _AT_ONCE):
            time.sleep(_BETWEEN if start else 0)
            self.send([event for some in events[start : start + _AT_ONCE] for event in some])

    def position(self) -> tuple[int, int]:
        """Return the place of the pointer, in pixels."""
        place = Point()
        self._api.GetCursorPos(ctypes.byref(place))
        return place.x, place.y

    def send(self, events: Sequence[Event]) -> None:
        """Send events at once; `ActionError` if Windows takes none now."""
        asked = packed(events, self._api.MapVirtualKeyW)
        done = self._api.SendInput(len(asked), asked, ctypes.sizeof(Packed))
        if done != len(asked):
            raise ActionError("Windows refuses mouse and keyboard now: the screen is locked, or a window of an administrator is in front")


def moved(x: int, y: int, screen: Screen) -> Mouse:
    """Return the event that moves the pointer to the middle of a pixel."""
    wide, high = ((place * _UNIT + _UNIT // 2) // size for place, size in ((x, screen.width), (y, screen.height)))
    return Mouse(MOVE | ABSOLUTE, wide, high)


def clicked(button: str) -> list[Event]:
    """Return the events of a click: down, and up."""
    return [Mouse(flags) for flags in _BUTTONS[button]]


def turned(direction: str) -> Mouse:
    """Return the event of one step of the wheel."""
    flags, data = {"up": (WHEEL, _NOTCH), "down": (WHEEL, -_NOTCH), "left": (SIDE_WHEEL, -_NOTCH), "right": (SIDE_WHEEL, _NOTCH)}[direction]
    return Mouse(flags, data=data)


def pressed(keys: Sequence[str], of_layout: Callable[[int], int]) -> list[Event]:
    """Return the events of keys that are pressed together and released in reverse. `of_layout` is VkKeyScanW: the key of a character."""
    codes = list(dict.fromkeys(code for key in keys for code in _codes(key, of_layout)))
    return [*(_key(code) for code in codes), *(_key(code, KEY_UP) for code in reversed(codes))]


def _codes(key: str, of_layout: Callable[[int], int]) -> list[int]:
    """Return the keys that make a symbol or a character, shift first if it is needed."""
    if key in CODES:
        return [CODES[key]]
    found = of_layout(ord(key)) if ord(key) < 0x10000 else -1
    if found == -1:
        raise ActionError(f"'{key}' is on no key of this keyboard; write it as a text")
    held = [CODES[name] for bit, name in ((1, "Shift_L"), (2, "Control_L"), (4, "Alt_L")) if found >> 8 & bit]
    return [*held, found & 0xFF]


def written(character: str) -> list[Event]:
    """Return the events that type a character: its key if it has a name, such as the one for a new line, and units of UTF-16 otherwise."""
    key = key_of(character)
    if key in CODES:
        return [_key(CODES[key]), _key(CODES[key], KEY_UP)]
    units = memoryview(character.encode("utf-16-le")).cast("H")
    return [Key(0, UNICODE | flags, unit) for unit in units for flags in (0, KEY_UP)]


def _key(code: int, flags: int = 0) -> Key:
    return Key(code, flags | (EXTENDED_KEY if code in EXTENDED else 0))


def packed(events: Iterable[Event], scan_of: Callable[[int, int], int]) -> ctypes.Array[Packed]:
    """Return the events as an array of INPUT. `scan_of` is MapVirtualKeyW: programs that read the place of a key want that number too."""
    made = []
    for event in events:
        if isinstance(event, Mouse):
            one = Packed(_OF_MOUSE)
            one.of.mouse = MouseInput(event.x, event.y, event.data & 0xFFFFFFFF, event.flags, 0, None)
        else:
            one = Packed(_OF_KEYS)
            one.of.keys = KeyInput(event.code, event.scan or scan_of(event.code, 0), event.flags, 0, None)
        made.append(one)
    return (Packed * len(made))(*made)
