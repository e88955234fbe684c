"""Protects that what a calculator shows is read in each of its modes: on a display, with a line of modes below it, and on paper."""

from collections.abc import Sequence
from typing import Any

import pytest

from eval_flows.episodes.checkers.getters import get
from machines.observation import Element
from tests.eval_flows.episodes.desktops import desktop


def element(role: str, name: str = "", text: str = "", window: str = "galculator") -> Element:
    return Element(1, role, name, text, None, frozenset(), (0, 0, 9, 9), window, "galculator")


def paper(*lines: str, typed: str = "") -> list[Element]:
    """As galculator shows it: each expression with its result below it, then the line for the next one."""
    return [element("table"), *(element("table cell", line) for line in lines), element("text", text=typed), element("push button", "Enter")]


@pytest.mark.parametrize(
    ("shown", "wanted"),
    [
        ([element("text", text="15")], "15"),
        ([element("text", text="91\n DEC  HEX  OCT  BIN     DEG  RAD  GRAD     ALG  RPN  FORM     =      ")], "91"),
        (paper("118 XOR 45", "91"), "91"),
        (paper("2+3", "5", "118 XOR 45", "91", typed="7"), "91"),
        (paper(), None),
        (paper(typed="91"), None),
        ([element("table", window="Documents"), element("table cell", "12", window="Documents"), element("text", text="15")], "15"),
        ([], None),
    ],
)
def test_the_number_that_is_shown_is_read_in_each_mode(shown: Sequence[Element], wanted: Any) -> None:
    assert get(desktop(elements=shown), "display", {"within": "galculator"}) == wanted
