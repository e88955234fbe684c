"""Trees of UI Automation, as Windows Agent Arena, OSWorld under Windows and our own guest server write them: the root holds windows.

The tag is the class of the window or control, written in small letters. What kind of control it is stands elsewhere: our guest server writes
`control_type`, OSWorld `friendly_class_name`, and Windows Agent Arena only the class of pywinauto that wraps the control.
"""

import contextlib
import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element as Node

from machines.trees.elements import Element, Pair, pair, shared
from machines.trees.roles import CUSTOM, declared, is_plain, of_uia, windows

_WRAPPER = re.compile(r"(\w+)Wrapper\b")
_GENERAL = frozenset({"uia", "hwnd", "base"})  # pywinauto's wrappers of controls that it does not know


def elements_of(root: Node, screen: Pair) -> list[Element]:
    """Return the elements that lie on the screen; `ValueError` for a place or size that cannot be read. Minimized windows have none."""
    found: list[Element] = []
    for window in root:
        if "iconified" not in _states(window):
            _collect(window, _name(window), _attribute(window, "process") or window.tag, screen, found, is_top=True)
    return found


def _collect(node: Node, window: str, application: str, screen: Pair, found: list[Element], is_top: bool = False) -> None:
    role, name, states = _role(node, is_top), _name(node), _states(node)
    if role in windows():
        window = name
    place, size = (pair(_attribute(node, part) or "(0, 0)") for part in ("screencoord", "size"))
    seen = shared((*place, *size), (0, 0, *screen))
    if "showing" in states and seen is not None:
        text, value = _content(node, name)
        found.append(Element(len(found) + 1, role, name, text, value, states, seen, window, application))
    for child in node:
        _collect(child, window, application, screen, found)


def _role(node: Node, is_top: bool) -> str:
    known = next((of_uia()[name] for name in _kinds(node) if name in of_uia()), CUSTOM)
    return "frame" if is_top and (known == CUSTOM or is_plain(known)) else known


def _kinds(node: Node) -> Iterator[str]:
    """Yield what is said of the kind of a control, the most exact word first, in small letters."""
    for part in ("control_type", "friendly_class_name"):
        yield (_attribute(node, part) or "").lower()
    yield node.tag.rpartition("}")[2].lower()
    wrapper = _WRAPPER.search(_attribute(node, "class") or "")
    if wrapper is not None and wrapper[1].lower() not in _GENERAL:
        yield wrapper[1].lower()


def _states(node: Node) -> frozenset[str]:
    """Return the states in the words of AT-SPI. What does not say that it is hidden shows: the win32 trees of some controls say nothing."""
    known = declared().uia_states
    said = {key.rpartition("}")[2]: text for key, text in node.attrib.items() if "}" in key}
    shows = [] if "visible" in said else known["visible"]
    return frozenset([*shows, *(state for name, text in said.items() if text == "true" for state in known.get(name, ()))])


def _content(node: Node, name: str) -> tuple[str, float | None]:
    """Return the text and the value. The value of a text field is its text."""
    text, value = (node.text or "").strip("\n"), _attribute(node, "value")
    with contextlib.suppress(ValueError):
        return text, float(value) if value is not None else None
    return text or (value or "" if value != name else ""), None


def _name(node: Node) -> str:
    return node.get("name", "").strip()


def _attribute(node: Node, name: str) -> str | None:
    """Return an attribute by its name without the namespace, which differs between systems."""
    return next((text for key, text in node.attrib.items() if key.endswith(f"}}{name}")), None)
