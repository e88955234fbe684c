"""Protects that places of a program that draws larger than asked are told in pixels, and that those of all others stay as they are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from machines.guest.on_linux.node import Box, Node
from machines.guest.on_linux.scaling import factors, in_pixels

BUS = ":1.9"
TRUE = (0, 22, 1280, 754)


def program(title: str, told: Box) -> list[Node]:
    frame = Node((BUS, "/frame"), "frame", title, frozenset({"showing"}), told)
    return [Node((BUS, "/root"), "application", "freecad", frozenset(), (0, 0, 0, 0), children=[frame])]


def test_the_factor_of_a_scaled_program_is_found_from_its_window() -> None:
    found = factors(program("FreeCAD", (0, 21, 1229, 724)), [("Other", (0, 0, 9, 9)), ("FreeCAD", TRUE)])
    assert found[BUS] == pytest.approx(1280 / 1229)


@pytest.mark.parametrize(
    ("told", "true"),
    [
        (TRUE, TRUE),
        ((340, 100, 600, 600), (314, 74, 652, 652)),  # GTK draws a shadow around, which belongs to the window
        ((0, 22, 1280, 400), TRUE),  # another window of the same title
        ((0, 22, 60, 35), TRUE),  # too small to tell
    ],
)
def test_a_program_that_tells_pixels_is_left_alone(told: Box, true: Box) -> None:
    assert factors(program("Window", told), [("Window", true)]) == {}


def test_a_window_without_a_title_tells_nothing() -> None:
    assert factors(program("", (0, 21, 1229, 724)), [("", TRUE)]) == {}


@given(st.floats(1.01, 4), st.integers(0, 900), st.integers(1, 300), st.integers(1, 300))
def test_neighbours_stay_neighbours(factor: float, x: int, width: int, its_width: int) -> None:
    left, right = in_pixels((x, 0, width, 10), factor), in_pixels((x + width, 0, its_width, 10), factor)
    assert left[0] + left[2] == right[0]
