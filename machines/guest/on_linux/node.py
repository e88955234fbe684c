"""An accessible object of the screen, as AT-SPI tells of it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from machines.guest.on_linux.dbus_calls import Reference

Box = tuple[int, int, int, int]
STATES = (
    "invalid", "active", "armed", "busy", "checked", "collapsed", "defunct", "editable", "enabled", "expandable", "expanded", "focusable",
    "focused", "has-tooltip", "horizontal", "iconified", "modal", "multi-line", "multiselectable", "opaque", "pressed", "resizable",
    "selectable", "selected", "sensitive", "showing", "single-line", "stale", "transient", "vertical", "visible", "manages-descendants",
    "indeterminate", "required", "truncated", "animated", "invalid-entry", "supports-autocompletion", "selectable-text", "is-default", "visited",
    "checkable", "has-popup", "read-only",
)  # fmt: skip


@dataclass
class Node:
    """A visible accessible object; `box` is x, y, width, height in pixels. `description` tells of one without a name what it is.

    `selection` is the part of its text that is selected. `in_view` are the first character that is in view and the one after the last, `caret`
    is the character after the caret; None where they are not asked for, or not known.
    """

    reference: Reference
    role: str
    name: str
    states: frozenset[str]
    box: Box
    text: str = ""
    value: float | None = None
    children: list["Node"] = field(default_factory=list)
    interfaces: frozenset[str] = frozenset()
    child_count: int = 0
    description: str = ""
    selection: str = ""
    in_view: tuple[int, int] | None = None
    caret: int | None = None


def states_of(words: Sequence[int]) -> frozenset[str]:
    """Return the names of the states in the two numbers of 32 bits that stand for them."""
    bits = words[0] | (words[1] << 32 if len(words) > 1 else 0)
    return frozenset(name for place, name in enumerate(STATES) if bits >> place & 1)
