"""Mouse and keyboard by the XTEST extension, over one connection that is opened again after a restart of the screen."""

import time
from collections.abc import Iterable, Sequence

from Xlib import XK, X, display
from Xlib.ext import xtest
from Xlib.protocol.event import MappingNotify

from machines.guest.keys import UnknownKey, held, key_of
from machines.guest.keys import combination as read_combination
from machines.guest.on_linux.x11 import Connection

Event = tuple[int, dict[str, int]]

_LEFT, _RIGHT = 1, 3
_WHEEL = {"up": 4, "down": 5, "left": 6, "right": 7}
_DRAG_STEPS = 12
_AT_ONCE = 64  # characters that are sent before the X server confirms them
_BETWEEN = 0.01  # seconds between the events of a drag or a double click: toolkits drop those that come at once


class Input:
    """Mouse and keyboard actions, as a person's hands make them."""

    def __init__(self) -> None:
        self._connection = Connection()
        self._borrowed: list[int] = []  # keys that had no symbol until a text needed one

    def move(self, x: int, y: int) -> None:
        """Move the pointer to a place in pixels."""
        self._connection.use(lambda screen: _send(screen, [(X.MotionNotify, {"x": x, "y": y})]))

    def click(self, button: str = "left", times: int = 1, keys: str = "") -> None:
        """Click where the pointer is, with keys such as `ctrl+shift` held."""
        number = _LEFT if button == "left" else _RIGHT
        symbols = [_symbol(key) for key in held(keys)] if keys else []

        def clicked(screen: display.Display) -> None:
            codes = [code for symbol in symbols for code in self._codes(screen, symbol)]
            _send(screen, _together(codes, _clicks(number, times)))

        self._connection.use(clicked)

    def scroll(self, direction: str, clicks: int = 3) -> None:
        """Turn the wheel up, down, left or right."""
        number = _WHEEL[direction]
        self._connection.use(lambda screen: _send(screen, _clicks(number, clicks)))

    def drag(self, x: int, y: int) -> None:
        """Press the button at the pointer, move to a place in steps, and release."""

        def dragged(screen: display.Display) -> None:
            place = screen.screen().root.query_pointer()
            _send(screen, [(X.ButtonPress, {"detail": _LEFT})])
            for step in range(1, _DRAG_STEPS + 1):
                part = step / _DRAG_STEPS
                at = {"x": round(place.root_x + (x - place.root_x) * part), "y": round(place.root_y + (y - place.root_y) * part)}
                time.sleep(_BETWEEN)
                _send(screen, [(X.MotionNotify, at)])
            time.sleep(_BETWEEN)
            _send(screen, [(X.ButtonRelease, {"detail": _LEFT})])

        self._connection.use(dragged)

    def press(self, combination: str) -> None:
        """Press keys together, as in `ctrl+shift+s`; `UnknownKey` for a text that is no key. Hold shift too if a key needs it."""
        symbols = [_symbol(key) for key in read_combination(combination)]

        def pressed(screen: display.Display) -> None:
            codes = [code for symbol in symbols for code in self._codes(screen, symbol)]
            _send(screen, _together(list(dict.fromkeys(codes))))

        self._connection.use(pressed)

    def write(self, text: str) -> None:
        """Type a text; first put the characters that the keyboard lacks on free keys."""
        symbols = [_symbol(key_of(character)) for character in text]

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
