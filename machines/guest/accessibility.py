"""The accessibility tree of what is on the screen, over AT-SPI: calls are sent together, a level of the tree at a time.

What does not show is left out with all below it: closed menus and other pages of a notebook. Applications that do not answer in time are
left out too and named, so that one that hangs does not hide the others.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from jeepney import DBusAddress, MessageType, new_method_call
from jeepney.io.blocking import DBusConnection, open_dbus_connection

from machines.guest.desktop import wake_accessibility

STATES = (
    "invalid", "active", "armed", "busy", "checked", "collapsed", "defunct", "editable", "enabled", "expandable", "expanded", "focusable",
    "focused", "has-tooltip", "horizontal", "iconified", "modal", "multi-line", "multiselectable", "opaque", "pressed", "resizable",
    "selectable", "selected", "sensitive", "showing", "single-line", "stale", "transient", "vertical", "visible", "manages-descendants",
    "indeterminate", "required", "truncated", "animated", "invalid-entry", "supports-autocompletion", "selectable-text", "is-default", "visited",
    "checkable", "has-popup", "read-only",
)  # fmt: skip
_ACCESSIBLE, _COMPONENT, _TEXT, _VALUE, _TABLE = (f"org.a11y.atspi.{name}" for name in ("Accessible", "Component", "Text", "Value", "Table"))
_PROPERTIES = "org.freedesktop.DBus.Properties"
_MANY = 1000  # children beyond which a node is a table without end
_CELLS = (50, 26)  # at most that many rows and columns of such a table
_LONGEST = 20_000  # characters of a text
_MENU_ROLES = frozenset({"menu", "menu item", "check menu item", "radio menu item"})
_MENU_BORDER = 6  # pixels at most between the edge of an open menu and its items
Reference = tuple[str, str]
Question = tuple[Reference, str, str, str | None, tuple[Any, ...]]
Box = tuple[int, int, int, int]


@dataclass
class Node:
    """An accessible object that shows; `box` is x, y, width, height in pixels."""

    reference: Reference
    role: str
    name: str
    states: frozenset[str]
    box: tuple[int, int, int, int]
    text: str = ""
    value: float | None = None
    children: list["Node"] = field(default_factory=list)
    interfaces: frozenset[str] = frozenset()
    child_count: int = 0


class Accessibility:
    """Reads the tree of the whole desktop."""

    def __init__(self, session_bus: str, popups: Callable[[], Sequence[Box]] = tuple) -> None:
        self._popups = popups
        self._open_menus: Sequence[Box] | None = None
        self._bus = open_dbus_connection(wake_accessibility(session_bus))

    def close(self) -> None:
        """Close the connection."""
        self._bus.close()

    def tree(self, seconds: float) -> tuple[list[Node], list[str]]:
        """The applications with what they show, and the names of those that did not answer within the time."""
        call = _Calls(self._bus, time.monotonic() + seconds)
        self._open_menus = None
        root = ("org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root")
        found = call.all([(root, _ACCESSIBLE, "GetChildren", None, ())])[0]
        applications = [node for node in self._nodes(call, [tuple(child) for child in (found or ([],))[0]], hidden=True) if node is not None]
        level = applications
        while level:
            level = self._below(call, level)
        return [node for node in applications if node.children], sorted(call.silent)

    def _below(self, call: "_Calls", level: Sequence[Node]) -> list[Node]:
        """Fill in texts, values and children of the nodes; all of the children."""
        asked = [(node, what, question) for node in level for what, question in _questions(node)]
        parents: list[tuple[Node, Reference]] = []
        for (node, what, _), answer in zip(asked, call.all([question for _, _, question in asked]), strict=True):
            if answer is not None and what == "text":
                node.text = str(answer[0])[:_LONGEST]
            elif answer is not None and what == "value":
                node.value = float(answer[0][1])
            elif answer is not None:
                parents += [(node, tuple(child)) for child in answer[0]]
        for node in level:
            if _TABLE in node.interfaces and node.child_count >= _MANY:
                rows = self._cells(call, node)
                if not self._alike(call, node, rows):
                    parents += [(node, cell) for row in rows for cell in row]
        made = self._nodes(call, [reference for _, reference in parents])
        below = [(parent, child) for (parent, _), child in zip(parents, made, strict=True) if child is not None]
        for parent, child in below:
            parent.children.append(child)
        return [child for _, child in below]

    def _nodes(self, call: "_Calls", references: Sequence[Reference], hidden: bool = False) -> list[Node | None]:
        """A node for each reference; None for one that is gone or, unless `hidden`, does not show."""
        questions = []
        for reference in references:
            questions += [
                (reference, _ACCESSIBLE, "GetState", None, ()),
                (reference, _ACCESSIBLE, "GetRoleName", None, ()),
                (reference, _PROPERTIES, "Get", "ss", (_ACCESSIBLE, "Name")),
                (reference, _PROPERTIES, "Get", "ss", (_ACCESSIBLE, "ChildCount")),
                (reference, _ACCESSIBLE, "GetInterfaces", None, ()),
                (reference, _COMPONENT, "GetExtents", "u", (0,)),
            ]
        answers = call.all(questions)
        made: list[Node | None] = []
        for place, reference in enumerate(references):
            states, role, name, count, interfaces, box = answers[6 * place : 6 * place + 6]
            known = _states(states[0]) if states else frozenset()
            if role is None or not (hidden or "showing" in known or self._is_in_menu(str(role[0]), known, box)):
                made.append(None)
                continue
            made.append(
                Node(
                    reference,
                    str(role[0]),
                    str(name[0][1]) if name else "",
                    known,
                    tuple(box[0]) if box else (0, 0, 0, 0),
                    interfaces=frozenset(interfaces[0]) if interfaces else frozenset(),
                    child_count=int(count[0][1]) if count else 0,
                )
            )
        return made

    def _is_in_menu(self, role: str, states: frozenset[str], box: Any) -> bool:
        """Whether it is an item of an open menu: those of GTK 2 never say that they show, and stay where they were when it closes."""
        if role not in _MENU_ROLES or "visible" not in states or not box or box[0][2] <= 1 or box[0][0] < 0:
            return False
        if self._open_menus is None:
            self._open_menus = self._popups()
        x, y, width, height = box[0]
        return any(
            0 <= x - left <= _MENU_BORDER and 0 <= left + wide - x - width <= _MENU_BORDER and top <= y and y + height <= top + high
            for left, top, wide, high in self._open_menus
        )

    def _alike(self, call: "_Calls", table: Node, rows: Sequence[Sequence[Reference]]) -> bool:
        """Fill in the cells of a table whose columns each hold cells of one kind, with fewer questions: what the first row and the first column
        tell holds for the others. Not so where a cell is gone, or has something in it.
        """
        edge = self._nodes(call, [*rows[0], *(row[0] for row in rows)]) if rows else []
        known = [node for node in edge if node is not None and not node.child_count]
        if not known or len(known) < len(edge):
            return False
        heads, lefts = known[: len(rows[0])], known[len(rows[0]) :]
        questions: list[tuple[Reference, str, str, str | None, tuple[Any, ...]]] = []
        for cell in (cell for row in rows for cell in row):
            questions += [
                (cell, _ACCESSIBLE, "GetState", None, ()),
                (cell, _PROPERTIES, "Get", "ss", (_ACCESSIBLE, "Name")),
                (cell, _TEXT, "GetText", "ii", (0, -1)),
            ]
        answers = iter(call.all(questions))
        for left, row in zip(lefts, rows, strict=True):
            for head, cell in zip(heads, row, strict=True):
                states, name, text = next(answers), next(answers), next(answers)
                box = (head.box[0], left.box[1], head.box[2], left.box[3])
                node = Node(
                    cell, head.role, str(name[0][1]) if name else "", _states(states[0]) if states else frozenset(), box, interfaces=head.interfaces
                )
                node.text = str(text[0])[:_LONGEST] if text else ""
                table.children.append(node)
        return True

    def _cells(self, call: "_Calls", table: Node) -> list[list[Reference]]:
        """The rows of cells of an endless table that are in view: those between the ones in its corners."""
        x, y, width, height = table.box
        corners = ((x + 4, y + 4), (x + width - 4, y + height - 4))
        found = call.all([(table.reference, _COMPONENT, "GetAccessibleAtPoint", "iiu", (*corner, 0)) for corner in corners])
        if any(answer is None or answer[0][1].endswith("/null") for answer in found):
            return []
        indexes = call.all([(tuple(answer[0]), _ACCESSIBLE, "GetIndexInParent", None, ()) for answer in found if answer])
        numbers = [index[0] for index in indexes if index]
        if len(numbers) < 2:
            return []
        places = call.all([(table.reference, _TABLE, name, "i", (number,)) for number in numbers for name in ("GetRowAtIndex", "GetColumnAtIndex")])
        if any(place is None for place in places):
            return []
        top, left, bottom, right = (place[0] for place in places if place)
        rows, columns = range(top, min(bottom, top + _CELLS[0] - 1) + 1), range(left, min(right, left + _CELLS[1] - 1) + 1)
        cells = call.all([(table.reference, _TABLE, "GetAccessibleAt", "ii", (row, column)) for row in rows for column in columns])
        if not all(cells):
            return []
        found_cells = [tuple(cell[0]) for cell in cells if cell]
        return [found_cells[start : start + len(columns)] for start in range(0, len(found_cells), len(columns))]


def _questions(node: Node) -> Iterator[tuple[str, Question]]:
    """What is asked of a node beyond what every node is asked."""
    if _TEXT in node.interfaces:
        yield "text", (node.reference, _TEXT, "GetText", "ii", (0, -1))
    if _VALUE in node.interfaces:
        yield "value", (node.reference, _PROPERTIES, "Get", "ss", (_VALUE, "CurrentValue"))
    is_closed = "manages-descendants" in node.states and node.box[2] <= 0  # Qt says of the items of closed lists that they show
    if 0 < node.child_count < _MANY and not is_closed:
        yield "children", (node.reference, _ACCESSIBLE, "GetChildren", None, ())


class _Calls:
    """Sends questions together and collects the answers until a time; who is silent then is not asked again."""

    def __init__(self, bus: DBusConnection, until: float) -> None:
        self._bus = bus
        self._until = until
        self.silent: set[str] = set()

    def all(self, questions: Iterable[tuple[Reference, str, str, str | None, tuple[Any, ...]]]) -> list[tuple[Any, ...] | None]:
        """The bodies of the answers; None for an error, or for silence."""
        waiting: dict[int, tuple[int, str]] = {}
        answers: list[tuple[Any, ...] | None] = []
        for place, ((name, path), interface, method, signature, body) in enumerate(questions):
            answers.append(None)
            if name in self.silent:
                continue
            serial = next(self._bus.outgoing_serial)
            self._bus.send(new_method_call(DBusAddress(path, name, interface), method, signature, body), serial=serial)
            waiting[serial] = (place, name)
            if len(waiting) >= 256:
                self._collect(waiting, answers, 128)
        self._collect(waiting, answers, 0)
        return answers

    def _collect(self, waiting: dict[int, tuple[int, str]], answers: list[tuple[Any, ...] | None], until_left: int) -> None:
        while len(waiting) > until_left:
            try:
                message = self._bus.receive(timeout=max(0.001, self._until - time.monotonic()))
            except TimeoutError:
                self.silent |= {name for _, name in waiting.values()}
                waiting.clear()
                return
            kind = message.header.message_type
            if kind not in (MessageType.method_return, MessageType.error):
                continue
            place, _ = waiting.pop(_replied(message), (None, ""))
            if place is not None and kind is MessageType.method_return:
                answers[place] = message.body


def _replied(message: Any) -> int:
    from jeepney import HeaderFields

    return int(message.header.fields.get(HeaderFields.reply_serial, -1))


def _states(words: Sequence[int]) -> frozenset[str]:
    bits = words[0] | (words[1] << 32 if len(words) > 1 else 0)
    return frozenset(name for place, name in enumerate(STATES) if bits >> place & 1)
