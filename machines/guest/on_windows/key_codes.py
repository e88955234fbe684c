"""The virtual key codes of Windows, for the symbols in `machines.guest.keys`."""

from collections.abc import Mapping

_EXTENDED = {
    "Control_R": 0xA3, "Alt_R": 0xA5, "Super_L": 0x5B, "Super_R": 0x5C, "Delete": 0x2E, "Insert": 0x2D, "Home": 0x24, "End": 0x23,
    "Page_Up": 0x21, "Page_Down": 0x22, "Up": 0x26, "Down": 0x28, "Left": 0x25, "Right": 0x27, "Menu": 0x5D, "Print": 0x2C, "Num_Lock": 0x90,
}  # fmt: skip
_OTHER = {
    "Control_L": 0xA2, "Shift_L": 0xA0, "Shift_R": 0xA1, "Alt_L": 0xA4, "Return": 0x0D, "Escape": 0x1B, "Tab": 0x09, "space": 0x20,
    "BackSpace": 0x08, "Pause": 0x13, "Caps_Lock": 0x14, "Scroll_Lock": 0x91, **{f"F{number}": 0x6F + number for number in range(1, 13)},
}  # fmt: skip
CODES: Mapping[str, int] = {**_EXTENDED, **_OTHER}
EXTENDED: frozenset[int] = frozenset(_EXTENDED.values())  # keys that a full keyboard has twice, and a few more: Windows wants a mark for them
