"""Protects clicks and typing in real applications: one action clicks, holds keys or scrolls at its element, and a calculator gets every digit."""

import re
from collections.abc import Iterator
from itertools import accumulate, pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_flows.episodes.environment.desktop import Desktop, runs, up_to_lone_tabs
from eval_flows.episodes.environment.observation import Observation
from machines.actions import Action, read_actions
from machines.image import Image
from machines.observation import Element
from machines.sandbox import Sandbox

NUMBERS = 25


@pytest.fixture(scope="module")
def machine(image: Image) -> Iterator[Sandbox]:
    with Sandbox(image) as found:
        yield found


@pytest.fixture
def desktop(machine: Sandbox) -> Desktop:
    machine.reset()
    return Desktop(machine.client, machine.offers)


def do(desktop: Desktop, code: str) -> Observation:
    seen = desktop.look()
    for action in read_actions(code):
        desktop.do(action, seen.elements)
    return desktop.look()


def one(seen: Observation, role: str, name: str | None = None) -> Element:
    return next(element for element in seen.elements if element.role == role and name in (None, element.name))


def test_a_triple_click_takes_the_line_and_a_click_with_shift_takes_all_up_to_it(desktop: Desktop) -> None:
    desktop.client.upload(desktop.place("Documents/lines.txt"), b"first line\nsecond line\nthird line\n")
    desktop.open("mousepad", [desktop.place("Documents/lines.txt")])
    text = one(desktop.look(), "text")
    x, y = (text.box[0] + 30) / 1279, (text.box[1] + 5) / 799
    do(desktop, f"triple_click(x={x}, y={y})\nwrite('1')")
    assert one(desktop.look(), "text").text.startswith("1\nsecond line")
    do(desktop, f"press('ctrl+home')\nsingle_click(id={text.number}, keys='shift')\nwrite('all')")
    assert one(desktop.look(), "text").text.strip() == "all", "the middle of the text lies below its last line"


def test_a_click_with_ctrl_adds_to_what_is_selected(desktop: Desktop) -> None:
    for name in ("a", "b", "c"):
        desktop.client.upload(desktop.place(f"Pick/{name}.txt"), b"x")
    desktop.open("thunar", [desktop.place("Pick")])
    seen = desktop.look()
    first, last = (next(element for element in seen.elements if element.name == f"{name}.txt") for name in "ac")
    seen = do(desktop, f"single_click(id={first.number})\nsingle_click(id={last.number}, keys='ctrl')")
    assert {element.name for element in seen.elements if "selected" in element.states and element.name.endswith(".txt")} == {"a.txt", "c.txt"}
    seen = do(desktop, f"single_click(id={first.number})")
    assert {element.name for element in seen.elements if "selected" in element.states and element.name.endswith(".txt")} == {"a.txt"}, (
        "ctrl is up again"
    )


def test_the_wheel_turns_over_the_element_that_is_named(desktop: Desktop) -> None:
    desktop.client.upload(desktop.place("Documents/long.txt"), "".join(f"{number}\n" for number in range(500)).encode())
    desktop.open("mousepad", [desktop.place("Documents/long.txt")])
    do(desktop, "move_abs(x=0.99, y=0.99)")

    def first_seen(code: str) -> int:
        """The number of the line that a click at the top of the text selects after the wheel has turned."""
        text = one(do(desktop, code), "text")
        do(desktop, f"triple_click(x={(text.box[0] + 10) / 1279}, y={max(text.box[1], 60) / 799 + 0.15})\npress('ctrl+c')\nmove_abs(x=0.99, y=0.99)")
        return int((desktop.look("clipboard").clipboard or "").strip())

    number = one(desktop.look(), "text").number
    start = first_seen("move_abs(x=0.99, y=0.99)")
    few = first_seen(f"scroll('down', 2, id={number})")
    many = first_seen(f"scroll('down', id={number}, amount=20)")
    assert start < few < many and many - few > 3 * (few - start)
    assert first_seen(f"scroll('up', amount=50, id={number})") == start


@given(st.text(st.sampled_from("0123\n=+"), max_size=30))
def test_a_run_holds_no_character_twice_and_runs_are_the_whole_text(text: str) -> None:
    found = list(runs(text))
    assert "".join(found) == text and all(found) and all(len(set(run)) == len(run) and "\n" not in run[1:] for run in found)
    assert all(after[0] == "\n" or after[0] in before for before, after in pairwise(found)), "no run ends early"


@given(st.text(st.sampled_from("ab\t\n"), max_size=30))
def test_a_text_is_cut_after_each_tab_that_only_moves_on(text: str) -> None:
    found = up_to_lone_tabs(text)
    assert "".join(found) == text and all(found)
    lone = {place for place, character in enumerate(text) if character == "\t" and (place == 0 or text[place - 1] in "\t\n")}
    assert set(accumulate(map(len, found))) - {len(text)} == {place + 1 for place in lone} - {len(text)}


def test_a_calculator_gets_a_digit_that_comes_again_and_again(desktop: Desktop) -> None:
    desktop.open("galculator")
    assert [displayed(desktop, text) for text in ("11111111111", "62187499831")] == ["11111111111", "62187499831"]
    assert float(displayed(desktop, "12*(3+4)-5*6=")) == 54 and float(displayed(desktop, "7+7\n")) == 14


@pytest.mark.slow(minutes=0.4)
@pytest.mark.rotates
@pytest.mark.parametrize("third", range(3))
def test_a_calculator_gets_every_digit_of_many_long_numbers(desktop: Desktop, third: int) -> None:
    desktop.open("galculator")
    random = Random(7)
    for number in range(NUMBERS):
        digits = str(random.randrange(1, 10))
        while len(digits) < 11:
            digits += random.choice((digits[-1], *random.choices("0123456789", k=2)))
        assert number % 3 != third or displayed(desktop, digits) == digits


def displayed(desktop: Desktop, text: str) -> str:
    """Type a text into the empty calculator, and tell what it displays then."""
    desktop.do(Action("press", {"key": "escape"}), ())
    desktop.do(Action("write", {"text": text}), ())
    return next(element.text for element in desktop.look().elements if re.fullmatch(r"[\d.]+", element.text))
