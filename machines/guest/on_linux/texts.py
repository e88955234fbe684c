"""What is to be known of texts beyond their characters: what is selected, what is scrolled out of sight, and where the caret is."""

from collections.abc import Callable, Sequence
from typing import Any

from machines.guest.on_linux.dbus_calls import Calls, Question
from machines.guest.on_linux.node import Box, Node

LONGEST = 20_000  # characters of a text that are told; of a longer one also what is in view beyond them
_LEFT_OUT = "\n…\n"  # stands in such a text between both
_TEXT = "org.a11y.atspi.Text"
_PROPERTIES = "org.freedesktop.DBus.Properties"
_LONG = 600  # characters from which a text is told in part, if it has not the focus
_INSIDE = 3  # pixels from the corners of a text, where its characters are
_FARTHEST = 2**15  # pixels: X counts places on a screen with 16 bits, and programs tell any number of what they do not show
_MOST = 2**31 - 1  # the largest number in a question
_SCREEN = 0  # AT-SPI's number for places on the screen


def ask_about_texts(call: Calls, nodes: Sequence[Node], in_units: Callable[[Node], Box]) -> None:
    """Fill in what is selected in each text; of the one with the focus and of long ones also what is in view, and the caret.

    `in_units` returns the box of a node as its program counts.
    """
    for node, answer in zip(nodes, call.all([(node.reference, _TEXT, "GetSelection", "i", (0,)) for node in nodes]), strict=True):
        start, end = _number(answer), _number(answer, 1)
        node.selection = "" if start is None or end is None else node.text[max(start, 0) : max(end, 0)]
    partly = [node for node in nodes if _may_be_in_part(node)]
    answers = iter(call.all([question for node in partly for question in _questions(node, in_units(node))]))
    for node in partly:
        first, last, caret = next(answers), next(answers), next(answers)
        node.in_view = _view(_number(first), _number(last), node.text)
        node.caret = _number(caret[0], 1) if caret and "focused" in node.states else None
    _add_what_is_in_view(call, partly)


def _may_be_in_part(node: Node) -> bool:
    is_told_in_part = "focused" in node.states or len(node.text) > _LONG
    is_on_screen = min(node.box[2:]) > 2 * _INSIDE and max(map(abs, node.box)) < _FARTHEST
    return is_told_in_part and is_on_screen and node.role != "terminal"


def _questions(node: Node, box: Box) -> list[Question]:
    x, y, width, height = box
    corners = ((x + _INSIDE, y + _INSIDE), (x + width - _INSIDE, y + height - _INSIDE))
    return [
        *((node.reference, _TEXT, "GetOffsetAtPoint", "iiu", (*corner, _SCREEN)) for corner in corners),
        (node.reference, _PROPERTIES, "Get", "ss", (_TEXT, "CaretOffset")),
    ]


def _number(values: Any, place: int = 0) -> int | None:
    """Return the whole number at a place of an answer or of a value in it; None if none is there: a program may answer anything."""
    is_there = isinstance(values, tuple) and len(values) > place and isinstance(values[place], int)
    return values[place] if is_there else None


def _view(first: int | None, last: int | None, text: str) -> tuple[int, int] | None:
    """Return the first character in view and the one after the last; None where the program does not know.

    Some answer 0 to whatever they are asked.
    """
    if first is None or last is None or not 0 <= first < last < _MOST:
        return None
    return first, last + 1 if len(text) >= LONGEST else min(last + 1, len(text))


def _add_what_is_in_view(call: Calls, nodes: Sequence[Node]) -> None:
    """Add to the beginnings of long texts what is in view beyond them; the view then counts in what is told."""
    beyond = [(node, node.in_view) for node in nodes if node.in_view is not None and node.in_view[1] > len(node.text)]
    answers = call.all([(node.reference, _TEXT, "GetText", "ii", view) for node, view in beyond])
    for (node, (first, _)), answer in zip(beyond, answers, strict=True):
        if not answer:
            continue
        before = node.text[:first]
        if first > len(before):
            node.caret = node.caret if node.caret is not None and node.caret <= len(before) else None  # its line is not known
            before += _LEFT_OUT
        node.text = before + str(answer[0])[:LONGEST]
        node.in_view = (len(before), len(node.text))
