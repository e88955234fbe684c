"""Mouse and keyboard by the XTEST extension, over one connection that is opened again after a restart of the screen."""

import time
from collections.abc import Callable, Iterable, Sequence

from Xlib import XK, X, display
from Xlib.ext import xtest
from Xlib.protocol.event import MappingNotify

from machines.guest.keys import UnknownKey, held, key_of
from machines.guest.keys import combination as read_combination
from machines.guest.on_linux.x11 import Connection
from machines.guest.paths import in_steps

Event = tuple[int, dict[str, int]]

_BUTTONS = {"left": 1, "middle": 2, "right": 3}
_LEFT = _BUTTONS["left"]
_WHEEL = {"up": 4, "down": 5, "left": 6, "right": 7}
_AT_ONCE = 64  # characters that are sent before the X server confirms them
_BETWEEN = 0.01  # seconds between the events of a drag or a double click: toolkits drop those that come at once


class Input:
    """Mouse and keyboard actions, as a person's hands make them."""

    def __init__(self, before_keys: Callable[[Sequence[str]], None]) -> None:
        """Call `before_keys` with the keys that are about to be pressed together, of a text only with those that may press a button."""
        self._before_keys = before_keys
        self._connection = Connection()
        self._borrowed: list[int] = []  # keys that had no symbol until a text needed one

    def move(self, x: int, y: int) -> None:
        """Move the pointer to a place in pixels."""
        self._connection.use(lambda screen: _send(screen, [(X.MotionNotify, {"x": x, "y": y})]))

    def click(self, button: str = "left", times: int = 1, keys: str = "") -> None:
        """Click where the pointer is, with keys such as `ctrl+shift` held."""
        self._with_keys(keys, _clicks(_BUTTONS[button], times))

    def button_down(self, button: str = "left") -> None:
        """Press a button where the pointer is, and leave it down."""
        self._connection.use(lambda screen: _send(screen, [(X.ButtonPress, {"detail": _BUTTONS[button]})]))

    def button_up(self, button: str = "left") -> None:
        """Let a button go."""
        self._connection.use(lambda screen: _send(screen, [(X.ButtonRelease, {"detail": _BUTTONS[button]})]))

    def scroll(self, direction: str, clicks: int = 3, keys: str = "") -> None:
        """Turn the wheel up, down, left or right, with keys held."""
        self._with_keys(keys, _clicks(_WHEEL[direction], clicks))

    def drag_along(self, path: Sequence[tuple[int, int]], keys: str = "") -> None:
        """Press the left button at the first place, move to the others in steps, and release it at the last, with keys held."""
        button = {"detail": _LEFT}
        moves = [(X.MotionNotify, {"x": x, "y": y}) for x, y in in_steps(path)]
        self._with_keys(
            keys, [(X.MotionNotify, {"x": path[0][0], "y": path[0][1]}), (X.ButtonPress, button), *moves, (X.ButtonRelease, button)], _BETWEEN
        )

    def _with_keys(self, keys: str, events: Sequence[Event], between: float = 0.0) -> None:
        """Send events while keys such as `ctrl+shift` are held, with a pause of so many seconds before each."""
        symbols = [_symbol(key) for key in held(keys)] if keys else []

        def sent(screen: display.Display) -> None:
            codes = [code for symbol in symbols for code in self._codes(screen, symbol)]
            if not between:
                _send(screen, _together(codes, events))
                return
            _send(screen, _together(codes, [])[: len(codes)])
            for event in events:
                time.sleep(between)
                _send(screen, [event])
            _send(screen, _together(codes, [])[len(codes) :])

        self._connection.use(sent)

    def press(self, combination: str) -> None:
        """Press keys together, as in `ctrl+shift+s`; `UnknownKey` for a text that is no key. Hold shift too if a key needs it."""
        self.hold(combination, 0.0)

    def hold(self, combination: str, seconds: float) -> None:
        """Hold keys together for so many seconds."""
        keys = read_combination(combination)
        symbols = [_symbol(key) for key in keys]
        self._before_keys(keys)

        def pressed(screen: display.Display) -> None:
            codes = list(dict.fromkeys(code for symbol in symbols for code in self._codes(screen, symbol)))
            events = _together(codes)
            _send(screen, events[: len(codes)])
            time.sleep(seconds)
            _send(screen, events[len(codes) :])

        self._connection.use(pressed)

    def write(self, text: str) -> None:
        """Type a text; first put the characters that the keyboard lacks on free keys."""
        symbols = [_symbol(key_of(character)) for character in text]
        if "\n" in text:
            self._before_keys([key_of("\n")])

        def typed(screen: display.Display) -> None:
            missing = sorted({symbol for symbol in symbols if _place(screen, symbol)[0] == 0})
            if missing:
                self._put(screen, missing)
            for start in range(0, len(symbols), _AT_ONCE):
                some = [self._codes(screen, symbol) for symbol in symbols[start : start + _AT_ONCE]]
                _send(screen, [event for codes in some for event in _together(codes)])

        self._connection.use(typed)

    def position(self) -> tuple[int, int]:
        """Return the place of the pointer, in pixels."""

        def asked(screen: display.Display) -> tuple[int, int]:
            place = screen.screen().root.query_pointer()
            return place.root_x, place.root_y

        return self._connection.use(asked)

    def keys_down(self, combination: str) -> None:
        """Press keys and leave them down, also when this process ends."""
        self._on_keys(combination, X.KeyPress)

    def keys_up(self, combination: str) -> None:
        """Let keys go."""
        self._on_keys(combination, X.KeyRelease)

    def _on_keys(self, combination: str, kind: int) -> None:
        symbols = [_symbol(key) for key in read_combination(combination)]

        def sent(screen: display.Display) -> None:
            codes = [code for symbol in symbols for code in self._codes(screen, symbol)]
            _send(screen, [event for event in _together(codes) if event[0] == kind])

        self._connection.use(sent)

    def _codes(self, screen: display.Display, symbol: int) -> list[int]:
        """Return the keys that make a symbol, shift first if the symbol needs it."""
        code, level = _place(screen, symbol)
        if code == 0:
            code, level = self._put(screen, [symbol])[symbol], 0
        shift = screen.keysym_to_keycode(XK.XK_Shift_L)
        return [shift, code] if level else [code]

    def _put(self, screen: display.Display, symbols: Sequence[int]) -> dict[int, int]:
        """Put symbols on free keys, or on keys that an earlier text used."""
        low, high = screen.display.info.min_keycode, screen.display.info.max_keycode
        mapping = screen.get_keyboard_mapping(low, high - low + 1)
        free = [low + place for place, row in enumerate(mapping) if not any(row)]
        usable = [*free, *(code for code in self._borrowed if code not in free)]
        if len(usable) < len(symbols):
            raise UnknownKey(f"{len(symbols)} characters at once are on no key, and only {len(usable)} keys are free; write the text in parts")
        placed = dict(zip(symbols, usable, strict=False))
        self._borrowed = [*(code for code in self._borrowed if code not in placed.values()), *placed.values()]
        for symbol, code in placed.items():
            screen.change_keyboard_mapping(code, [[symbol] * 2])
        screen.sync()
        changed = MappingNotify(sequence_number=0, request=X.MappingKeyboard, first_keycode=low, count=high - low + 1)
        screen.refresh_keyboard_mapping(changed)
        while screen.pending_events():
            screen.next_event()
        return placed


def _send(screen: display.Display, events: Iterable[Event]) -> None:
    for kind, details in events:
        xtest.fake_input(screen, kind, **details)
    screen.sync()


def _clicks(button: int, times: int) -> list[Event]:
    return [(kind, {"detail": button}) for _ in range(times) for kind in (X.ButtonPress, X.ButtonRelease)]


def _together(codes: Sequence[int], meanwhile: Sequence[Event] = ()) -> list[Event]:
    """Return the events of keys that go down together, what is done while they are down, and the keys going up."""
    down, up = ([(kind, {"detail": code}) for code in some] for kind, some in ((X.KeyPress, codes), (X.KeyRelease, reversed(codes))))
    return [*down, *meanwhile, *up]


def _place(screen: display.Display, symbol: int) -> tuple[int, int]:
    """Return the key that has a symbol, and its level on the key (0 plain, 1 with shift); key 0 if no key has it."""
    for code, level in sorted(screen.keysym_to_keycodes(symbol), key=lambda found: found[1]):
        if level < 2:
            return code, level
    return 0, 0


def _symbol(key: str) -> int:
    """Return X's number of a key: by the name of its symbol, or by its character."""
    if len(key) == 1:
        return ord(key) if ord(key) < 0x100 else 0x01000000 + ord(key)
    return int(XK.string_to_keysym(key))
