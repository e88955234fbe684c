"""Protects what a guest tells of texts: which part is in view, and where the caret is, of the one with the focus and of long ones alone."""

from typing import Any

import pytest

from machines.guest.on_linux.node import Box, Node
from machines.guest.on_linux.texts import LONGEST, ask_about_texts

BOX = (100, 50, 400, 300)


class Program:
    """A program that shows some characters of its texts; `always` is what one answers that cannot tell of places, or speaks otherwise."""

    def __init__(self, always: Any = None, shows: tuple[int, int] = (40, 90), whole: str = "", caret: int = 47) -> None:
        self.always = always
        self.shows, self.whole, self.caret = shows, whole, caret
        self.asked: list[tuple[str, tuple[Any, ...]]] = []

    def all(self, questions: list[Any]) -> list[Any]:
        self.asked += [(method, arguments) for _, _, method, _, arguments in questions]
        return [self._answer(method, arguments) for _, _, method, _, arguments in questions]

    def _answer(self, method: str, arguments: tuple[Any, ...]) -> Any:
        if method == "GetOffsetAtPoint":
            return self.always if self.always is not None else (self.shows[0] if arguments[:2] == (103, 53) else self.shows[1],)
        if method == "GetText":
            return (self.whole[arguments[0] : arguments[1]],) if self.whole else None
        return (45, 50) if method == "GetSelection" else (("i", self.caret),)


def asked(text: str, *states: str, program: Program | None = None, role: str = "text", box: Box = BOX) -> Node:
    node = Node((":1.7", "/1"), role, "", frozenset(states), box, text)
    ask_about_texts(program or Program(), [node], lambda one: one.box)  # type: ignore[arg-type]
    return node


def test_the_text_with_the_focus_is_told_with_its_view_and_its_caret() -> None:
    node = asked("x" * 200, "focused")
    assert (node.in_view, node.caret, node.selection) == ((40, 91), 47, "xxxxx")


def test_the_view_ends_with_the_text() -> None:
    assert asked("x" * 80, "focused").in_view == (40, 80)


def test_a_long_text_without_the_focus_has_a_view_and_no_caret() -> None:
    node = asked("x" * 700)
    assert (node.in_view, node.caret) == ((40, 91), None)


def test_others_are_not_asked() -> None:
    for node, program in ((("x" * 200,), Program()), (("x" * 900,), Program())):
        asked(*node, program=program, role="terminal" if len(node[0]) > 600 else "text")
        assert [method for method, _ in program.asked] == ["GetSelection"]


@pytest.mark.parametrize("always", [(-1,), (0,), (), ("40",), (None,), ([40],), (2**31 - 1,)])
def test_a_program_that_does_not_know_places_leaves_the_view_open(always: Any) -> None:
    """Found by review: an answer of another type, or with nothing in it, ended the whole tree."""
    assert asked("x" * 200, "focused", program=Program(always)).in_view is None


@pytest.mark.parametrize("box", [(-(2**31), -(2**31), 400, 300), (100, 2**31 - 9, 400, 300), (100, 50, 2**31 - 1, 300)])
def test_of_what_lies_on_no_screen_no_places_are_asked(box: Box) -> None:
    """Found by review: places that fit into no question ended the whole tree."""
    program = Program()
    assert asked("x" * 200, "focused", program=program, box=box).in_view is None
    assert [method for method, _ in program.asked] == ["GetSelection"]


WHOLE = "".join(f"line {number}\n" for number in range(9_000))


def test_of_a_very_long_text_what_is_in_view_is_told_too() -> None:
    """Found by review: a text was cut after its beginning, which was told as if it were in view when the text was scrolled to its end."""
    first = WHOLE.index("line 5000")
    program = Program(shows=(first, first + 19), whole=WHOLE, caret=first + 3)
    node = asked(WHOLE[:LONGEST], "focused", program=program)
    assert node.in_view is not None and node.text[slice(*node.in_view)] == "line 5000\nline 5001\n"
    assert node.text.startswith(WHOLE[:LONGEST]) and node.caret is None, "the line of the caret cannot be counted"


def test_what_is_in_view_at_the_cut_of_a_very_long_text_goes_on() -> None:
    program = Program(shows=(LONGEST - 30, LONGEST + 29), whole=WHOLE, caret=LONGEST + 5)
    node = asked(WHOLE[:LONGEST], "focused", program=program)
    assert (node.text, node.in_view, node.caret) == (WHOLE[: LONGEST + 30], (LONGEST - 30, LONGEST + 30), LONGEST + 5)


def test_a_very_long_text_whose_view_cannot_be_read_keeps_the_place_of_its_view() -> None:
    node = asked(WHOLE[:LONGEST], "focused", program=Program(shows=(30_000, 30_090)))
    assert (node.text, node.in_view) == (WHOLE[:LONGEST], (30_000, 30_091))
