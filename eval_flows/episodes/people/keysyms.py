"""The numbers that X gives to keys (keysyms), as a browser's viewer sends them, and the names of `machines.guest.keys`."""

MODIFIERS = {
    **dict.fromkeys((0xFFE3, 0xFFE4), "ctrl"),
    **dict.fromkeys((0xFFE1, 0xFFE2), "shift"),
    **dict.fromkeys((0xFFE9, 0xFFEA), "alt"),
    **dict.fromkeys((0xFFE7, 0xFFE8, 0xFFEB, 0xFFEC), "super"),
}
LEVEL_KEYS = frozenset({0xFE03, 0xFF7E})  # they only choose the character that comes next
_LOCKS = frozenset({0xFFE5, 0xFF7F, 0xFF14})
BACK_TAB = 0xFE20  # what shift makes of Tab
_NAMED = {
    0xFF08: "backspace", 0xFF09: "tab", 0xFF0D: "enter", 0xFF8D: "enter", 0xFF13: "pause", 0xFF14: "scrolllock", 0xFF1B: "escape",
    0xFF50: "home", 0xFF51: "left", 0xFF52: "up", 0xFF53: "right", 0xFF54: "down", 0xFF55: "pageup", 0xFF56: "pagedown", 0xFF57: "end",
    0xFF61: "printscreen", 0xFF63: "insert", 0xFF67: "menu", 0xFF7F: "numlock", 0xFFE5: "capslock", 0xFFFF: "delete",
    0xFF95: "home", 0xFF96: "left", 0xFF97: "up", 0xFF98: "right", 0xFF99: "down", 0xFF9A: "pageup", 0xFF9B: "pagedown", 0xFF9C: "end",
    0xFF9E: "insert", 0xFF9F: "delete",
    **{0xFFBE + number: f"f{number + 1}" for number in range(12)},
}  # fmt: skip
_KEYPAD = {0xFF80: " ", **{0xFFAA + number: sign for number, sign in enumerate("*+,-./")}, **{0xFFB0 + number: str(number) for number in range(10)}}
_OF_UNICODE = 0x01000000
_SIGNS = {0x20AC: "\u20ac", 0x13BC: "\u0152", 0x13BD: "\u0153"}


def name_of(symbol: int) -> str | None:
    """Return the name of a key that writes nothing; None if it is another."""
    return _NAMED.get(symbol)


def character_of(symbol: int) -> str | None:
    """Return the character that a key writes; None if it writes none that is known."""
    if 0x20 <= symbol <= 0x7E or 0xA0 <= symbol <= 0xFF:
        return chr(symbol)
    if _OF_UNICODE < symbol <= _OF_UNICODE + 0x10FFFF:
        return chr(symbol - _OF_UNICODE)
    return _KEYPAD.get(symbol) or _SIGNS.get(symbol)


def repeats(symbol: int) -> bool:
    """Tell whether a key that is held acts again and again: one that changes others, or locks, does not."""
    return symbol not in MODIFIERS and symbol not in LEVEL_KEYS and symbol not in _LOCKS


def is_known(symbol: int) -> bool:
    """Tell whether a key can be recorded: another does not reach the machine."""
    return symbol in MODIFIERS or symbol in LEVEL_KEYS or symbol == BACK_TAB or name_of(symbol) is not None or character_of(symbol) is not None
