"""The names of keys, and how a combination such as `ctrl+shift+s` is read: one table for agents, oracles and the guest.

A single character is a key too. The names include those of pyautogui, which agents of other systems know.
"""

import unicodedata
from collections.abc import Mapping

# Symbol of X: its names; the first one is shown.
NAMES: Mapping[str, tuple[str, ...]] = {
    "Control_L": ("ctrl", "control", "ctrlleft"),
    "Control_R": ("ctrlright",),
    "Shift_L": ("shift", "shiftleft"),
    "Shift_R": ("shiftright",),
    "Alt_L": ("alt", "altleft", "option"),
    "Alt_R": ("altright",),
    "Super_L": ("super", "win", "winleft", "meta", "command", "cmd"),
    "Super_R": ("winright",),
    "Return": ("enter", "return"),
    "Escape": ("escape", "esc"),
    "Tab": ("tab",),
    "space": ("space",),
    "BackSpace": ("backspace",),
    "Delete": ("delete", "del"),
    "Insert": ("insert",),
    "Home": ("home",),
    "End": ("end",),
    "Page_Up": ("pageup", "page_up", "pgup"),
    "Page_Down": ("pagedown", "page_down", "pgdn"),
    "Up": ("up",),
    "Down": ("down",),
    "Left": ("left",),
    "Right": ("right",),
    "Menu": ("menu", "apps"),
    "Print": ("printscreen", "print", "prtsc"),
    "Pause": ("pause",),
    "Caps_Lock": ("capslock", "caps_lock"),
    "Num_Lock": ("numlock", "num_lock"),
    "Scroll_Lock": ("scrolllock", "scroll_lock"),
    **{f"F{number}": (f"f{number}",) for number in range(1, 13)},
    "+": ("plus", "add"),
    "-": ("minus", "subtract"),
    "*": ("asterisk", "multiply"),
    "/": ("slash", "divide"),
    "=": ("equal", "equals"),
    ",": ("comma",),
    ".": ("period", "dot"),
    ";": ("semicolon",),
    "'": ("apostrophe",),
    "`": ("grave", "backtick"),
    "\\": ("backslash",),
    "[": ("bracketleft",),
    "]": ("bracketright",),
}
HELD: Mapping[str, str] = {"Control_L": "ctrl", "Shift_L": "shift", "Alt_L": "alt"}  # what can be held at a click
_OF_NAME: Mapping[str, str] = {name: symbol for symbol, names in NAMES.items() for name in names}
_OF_CHARACTER = {"\n": "Return", "\t": "Tab", " ": "space"}


class UnknownKey(ValueError):
    """A key that no keyboard has; the text names it."""


def combination(written: str) -> list[str]:
    """Return the keys of a combination in order, each a symbol of X or a character; `UnknownKey` if a part is no key.

    `+` joins keys and is a key itself: `+`, `ctrl++` and `ctrl+plus` all hold it. Spaces beside other signs mean nothing, and letters are
    read in lower case: `ctrl + S` is `ctrl+s`.
    """
    joined = "".join(written.split()) or written
    if len(joined) == 1:
        return [_key(joined)]
    names = joined.removesuffix("++").split("+") + ["+"] * joined.endswith("++")
    if "" in names:
        raise UnknownKey(f"'{written:.40}' lacks a key beside a +; write for example ctrl+s, and ctrl++ or ctrl+plus for the key + itself")
    return [_key(name) for name in names]


def held(written: str) -> list[str]:
    """Return the keys that are held at a click, as in `ctrl+shift`, each a symbol of X; `UnknownKey` if one is none of ctrl, shift and alt."""
    found = []
    for name in written.lower().split("+"):
        symbol = _OF_NAME.get(name.strip(), "")
        if symbol not in HELD:
            raise UnknownKey(f"'{name:.40}' cannot be held at a click; there are {', '.join(HELD.values())}, joined by +")
        found.append(symbol)
    return list(dict.fromkeys(found))


def key_of(character: str) -> str:
    """Return the key that writes a character: a symbol of X, or the character itself; `UnknownKey` if it cannot be typed."""
    if character in _OF_CHARACTER:
        return _OF_CHARACTER[character]
    if unicodedata.category(character) == "Cc":
        raise UnknownKey(f"{character!r} is on no keyboard")
    return character


def _key(name: str) -> str:
    if len(name) == 1:
        return key_of(name.lower() if len(name.lower()) == 1 else name)  # a letter such as İ becomes two characters, which no single key has
    if name.lower() not in _OF_NAME:
        raise UnknownKey(f"'{name:.40}' is no key; write for example enter, tab, f5, ctrl+s or alt+f4")
    return _OF_NAME[name.lower()]
