"""The accessibility tree of the screen, over AT-SPI: calls are sent together, one level of the tree at a time.

A hidden node is left out with everything below it, such as a closed menu or another page of a notebook. Applications that do not answer in
time are left out and named, so that one that hangs does not hide the others.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence

from jeepney.io.blocking import open_dbus_connection

from machines.guest.on_linux.activated_windows import ActivatedWindows
from machines.guest.on_linux.dbus_calls import Calls, Question, Reference
from machines.guest.on_linux.dbus_lines import Lines
from machines.guest.on_linux.desktop import wake_accessibility
from machines.guest.on_linux.node import Box, Node, states_of
from machines.guest.on_linux.open_menus import add_open_menus
from machines.guest.on_linux.processes import is_anyone_busy
from machines.guest.on_linux.scaling import TitledBox, factors, in_pixels
from machines.guest.on_linux.texts import LONGEST, ask_about_texts

_ACCESSIBLE, _APPLICATION, _COMPONENT, _TEXT, _VALUE, _TABLE = (
    f"org.a11y.atspi.{name}" for name in ("Accessible", "Application", "Component", "Text", "Value", "Table")
)
_PROPERTIES = "org.freedesktop.DBus.Properties"
_MANY = 1000  # a node with more children is a table without end
_CELLS = (50, 26)  # the most rows and columns that are read of such a table
_MENU_ROLES = frozenset({"menu", "menu item", "check menu item", "radio menu item"})
_LABELLED_BY = 2  # AT-SPI's number of that relation
_DESCRIBED_ROLES = frozenset({
    "push button", "button", "toggle button", "check box", "radio button", "switch", "slider", "spin button", "combo box", "text", "entry",
    "password text", "page tab", "icon", "image", "drawing area", "canvas", "link",
})  # fmt: skip
_OPEN_WITHIN = 1.0  # seconds for all new lines; who is left out is asked over the bus
_KNOWN = 20_000  # the most objects whose interfaces are kept
_MENU_BORDER = 6  # pixels at most between the edge of an open menu and its items


class Accessibility:
    """Reads the tree of the whole desktop."""

    def __init__(
        self,
        session_bus: str,
        popups: Callable[[], Sequence[Box]],
        is_anyone_busy: Callable[[], bool] = is_anyone_busy,
    ) -> None:
        self._popups = popups
        self._is_anyone_busy = is_anyone_busy
        self._factors: dict[str, float] = {}  # of programs that do not tell places in pixels
        self._silent: set[str] = set()  # programs that did not answer last time
        self._interfaces: dict[Reference, frozenset[str]] = {}  # of all objects that were seen
        self._open_menus: Sequence[Box] | None = None
        address = wake_accessibility(session_bus)
        self._lines = Lines(open_dbus_connection(address))
        self._activated = ActivatedWindows(open_dbus_connection(address))

    def close(self) -> None:
        """Close the connections."""
        self._activated.close()
        self._lines.close()

    def tree(self, seconds: float, windows: Sequence[TitledBox]) -> tuple[list[Node], list[str], Sequence[Box]]:
        """Return the applications with their visible nodes, the names of those that did not answer in time, and where menus and lists are open.

        `windows` are the present ones: title and place of each.
        """
        call = Calls(self._lines, time.monotonic() + seconds, self._is_anyone_busy)
        if self._silent:
            call.leave_out_silent(self._silent)
        self._open_menus, self._factors = None, {}
        if len(self._interfaces) > _KNOWN:
            self._interfaces.clear()
        root = ("org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root")
        found = call.all([(root, _ACCESSIBLE, "GetChildren", "", ())])[0]
        applications = [node for node in self._nodes(call, [tuple(child) for child in (found or ([],))[0]], hidden=True) if node is not None]
        self._open_lines(call, {node.reference[0]: node.reference for node in applications})
        tops = self._below(call, applications)
        tops += self._unlisted(call, applications, tops)
        self._factors = factors(applications, windows)
        for top in tops:
            top.box = self._in_pixels(top.reference, top.box)
        self._fill(call, tops)
        listed = [node for node in applications if node.children]
        whole = add_open_menus(call, listed, self._menus(), lambda menus: self._read(call, menus))
        self._silent = call.silent
        return whole, sorted(call.silent), self._menus()

    def _open_lines(self, call: Calls, applications: Mapping[str, Reference]) -> None:
        """Open the lines of programs that have come since the last tree; `applications` is the object of each by its name on the bus."""
        new = self._lines.unknown(applications)
        answers = call.all([(applications[name], _APPLICATION, "GetApplicationBusAddress", "", ()) for name in new])
        until = time.monotonic() + _OPEN_WITHIN
        for name, answer in zip(new, answers, strict=True):
            self._lines.add(name, str(answer[0]) if answer and time.monotonic() < until else "")

    def _unlisted(self, call: Calls, applications: Sequence[Node], tops: Sequence[Node]) -> list[Node]:
        """Add to the applications the windows that they do not list, and return these."""
        owners, listed = {node.reference[0]: node for node in applications}, {node.reference for node in tops}
        unlisted = [one for one in self._activated.heard() if one[0] in owners and one not in listed]
        found = [node for node in self._nodes(call, unlisted) if node is not None]
        for node in found:
            owners[node.reference[0]].children.append(node)
        return found

    def _read(self, call: Calls, references: Sequence[Reference]) -> list[Node]:
        """Return the visible ones of these objects, with all that can be seen in them."""
        nodes = [node for node in self._nodes(call, references) if node is not None]
        self._fill(call, nodes)
        return nodes

    def _fill(self, call: Calls, nodes: Sequence[Node]) -> None:
        """Fill in all that can be seen below the nodes."""
        level, nameless, texts = list(nodes), list[Node](), list[Node]()
        while level:
            level = self._below(call, level)
            texts += [node for node in level if _TEXT in node.interfaces and node.states & {"focusable", "selectable-text"}]
            nameless += [node for node in level if not node.name and node.role in _DESCRIBED_ROLES]
        self._describe(call, nameless)
        ask_about_texts(call, texts, self._in_units)

    def _below(self, call: Calls, level: Sequence[Node]) -> list[Node]:
        """Fill in the texts, values and children of the nodes, and return all the children."""
        asked = [(node, what, question) for node in level for what, question in _questions(node)]
        parents: list[tuple[Node, Reference]] = []
        for (node, what, _), answer in zip(asked, call.all([question for _, _, question in asked]), strict=True):
            if answer is not None and what == "text":
                text = str(answer[0])
                node.text = text[-LONGEST:] if node.role == "terminal" else text[:LONGEST]
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

    def _describe(self, call: Calls, nameless: Sequence[Node]) -> None:
        """Fill in what the nodes without a name are: the name of their label, and the words of their tooltip."""
        questions: list[Question] = []
        for node in nameless:
            questions += [
                (node.reference, _PROPERTIES, "Get", "ss", (_ACCESSIBLE, "Description")),
                (node.reference, _ACCESSIBLE, "GetRelationSet", "", ()),
            ]
        answers = iter(call.all(questions))
        labelled: list[tuple[Node, Reference]] = []
        for node in nameless:
            description, relations = next(answers), next(answers)
            node.description = str(description[0][1]).strip() if description else ""
            labels = [tuple(one) for kind, targets in (relations[0] if relations else ()) if kind == _LABELLED_BY for one in targets]
            if labels:
                labelled.append((node, labels[0]))
        named = call.all([(label, _PROPERTIES, "Get", "ss", (_ACCESSIBLE, "Name")) for _, label in labelled])
        for (node, _), name in zip(labelled, named, strict=True):
            node.description = f"{str(name[0][1]).strip()} {node.description}".strip() if name else node.description

    def _nodes(self, call: Calls, references: Sequence[Reference], hidden: bool = False) -> list[Node | None]:
        """Return a node for each reference; None if it is gone or, unless `hidden`, not visible. Visibility is asked first: most are hidden."""
        known = [states_of(states[0]) if states else None for states in call.all([(one, _ACCESSIBLE, "GetState", "", ()) for one in references])]
        asked = [place for place, states in enumerate(known) if states is not None and (hidden or self._may_show(states))]
        questions: list[Question] = []
        for place in asked:
            questions += [
                (references[place], _ACCESSIBLE, "GetRoleName", "", ()),
                (references[place], _PROPERTIES, "Get", "ss", (_ACCESSIBLE, "Name")),
                (references[place], _PROPERTIES, "Get", "ss", (_ACCESSIBLE, "ChildCount")),
                (references[place], _COMPONENT, "GetExtents", "u", (0,)),
            ]
        answers = iter(call.all(questions))
        made: list[Node | None] = [None] * len(references)
        for place, interfaces in zip(asked, self._interfaces_of(call, [references[place] for place in asked]), strict=True):
            role, name, count, told = (next(answers) for _ in range(4))
            states = known[place] or frozenset()
            box = self._in_pixels(references[place], told[0]) if told else (0, 0, 0, 0)
            if role is None or not (hidden or "showing" in states or self._is_in_menu(str(role[0]), box)):
                continue
            made[place] = Node(
                references[place],
                str(role[0]),
                str(name[0][1]) if name else "",
                states,
                box,
                interfaces=interfaces,
                child_count=int(count[0][1]) if count else 0,
            )
        return made

    def _interfaces_of(self, call: Calls, references: Sequence[Reference]) -> list[frozenset[str]]:
        """Return the interfaces of objects. They stay as long as the object, and a new object has a new reference, so each is asked once."""
        new = [one for one in references if one not in self._interfaces]
        for one, answer in zip(new, call.all([(one, _ACCESSIBLE, "GetInterfaces", "", ()) for one in new]), strict=True):
            if answer:
                self._interfaces[one] = frozenset(answer[0])
        return [self._interfaces.get(one, frozenset()) for one in references]

    def _may_show(self, states: frozenset[str]) -> bool:
        """Tell whether a node says that it shows, or may be an item of an open menu: items of GTK 2 never say so."""
        return "showing" in states or ("visible" in states and bool(self._menus()))

    def _menus(self) -> Sequence[Box]:
        """Return the places of open menus, looked up once for each tree."""
        if self._open_menus is None:
            self._open_menus = self._popups()
        return self._open_menus

    def _in_pixels(self, reference: Reference, told: Box) -> Box:
        factor = self._factors.get(reference[0])
        return in_pixels(told, factor) if factor else (told[0], told[1], told[2], told[3])

    def _in_units(self, node: Node) -> Box:
        """Return the place of a node as its program tells it."""
        factor = self._factors.get(node.reference[0], 1.0)
        x, y, width, height = (round(number / factor) for number in node.box)
        return x, y, width, height

    def _is_in_menu(self, role: str, box: Box) -> bool:
        """Tell whether it is an item of an open menu; the items of a closed menu keep their places."""
        x, y, width, height = box
        if role not in _MENU_ROLES or width <= 1 or x < 0:
            return False
        return any(
            0 <= x - left <= _MENU_BORDER and 0 <= left + wide - x - width <= _MENU_BORDER and top <= y and y + height <= top + high
            for left, top, wide, high in self._menus()
        )

    def _alike(self, call: Calls, table: Node, rows: Sequence[Sequence[Reference]]) -> bool:
        """Fill in the cells of a table whose columns each hold cells of one kind, with fewer questions: the answers of the first row and the first
        column hold for the other cells. Return False if a cell is gone or has something in it.
        """
        edge = self._nodes(call, [*rows[0], *(row[0] for row in rows)]) if rows else []
        known = [node for node in edge if node is not None and not node.child_count]
        if not known or len(known) < len(edge):
            return False
        heads, lefts = known[: len(rows[0])], known[len(rows[0]) :]
        questions: list[Question] = []
        for cell in (cell for row in rows for cell in row):
            questions += [
                (cell, _ACCESSIBLE, "GetState", "", ()),
                (cell, _PROPERTIES, "Get", "ss", (_ACCESSIBLE, "Name")),
                (cell, _TEXT, "GetText", "ii", (0, -1)),
            ]
        answers = iter(call.all(questions))
        for left, row in zip(lefts, rows, strict=True):
            for head, cell in zip(heads, row, strict=True):
                states, name, text = next(answers), next(answers), next(answers)
                box = (head.box[0], left.box[1], head.box[2], left.box[3])
                node = Node(
                    cell, head.role, str(name[0][1]) if name else "", states_of(states[0]) if states else frozenset(), box, interfaces=head.interfaces
                )
                node.text = str(text[0])[:LONGEST] if text else ""
                table.children.append(node)
        written = [cell for cell in table.children if cell.text]  # of merged ones the first, which is larger than its row and column
        extents = call.all([(cell.reference, _COMPONENT, "GetExtents", "u", (0,)) for cell in written])
        for merged, extent in zip(written, extents, strict=True):
            merged.box = self._in_pixels(merged.reference, extent[0]) if extent else merged.box
        return True

    def _cells(self, call: Calls, table: Node) -> list[list[Reference]]:
        """Return the visible rows of cells of an endless table: those between the cells in its corners."""
        x, y, width, height = self._in_units(table)
        corners = ((x + 4, y + 4), (x + width - 4, y + height - 4))
        found = call.all([(table.reference, _COMPONENT, "GetAccessibleAtPoint", "iiu", (*corner, 0)) for corner in corners])
        if any(answer is None or answer[0][1].endswith("/null") for answer in found):
            return []
        indexes = call.all([(tuple(answer[0]), _ACCESSIBLE, "GetIndexInParent", "", ()) for answer in found if answer])
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
    """Yield the questions to a node beyond those that every node gets."""
    if _TEXT in node.interfaces:
        yield "text", (node.reference, _TEXT, "GetText", "ii", (0, -1))
    if _VALUE in node.interfaces:
        yield "value", (node.reference, _PROPERTIES, "Get", "ss", (_VALUE, "CurrentValue"))
    is_closed = "manages-descendants" in node.states and node.box[2] <= 0  # Qt reports the items of closed lists as showing
    if 0 < node.child_count < _MANY and not is_closed:
        yield "children", (node.reference, _ACCESSIBLE, "GetChildren", "", ())
