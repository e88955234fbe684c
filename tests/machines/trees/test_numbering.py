"""Protects the numbers of elements: they stay as long as the element is there, and none is given twice."""

from hypothesis import given
from hypothesis import strategies as st

from machines.trees.elements import Element
from machines.trees.numbering import Numbering


def element(name: str, x: int) -> Element:
    return Element(0, "push button", name, "", None, frozenset(), (x, 0, 9, 9), "w", "a")


def test_an_element_keeps_its_number_when_others_come_and_go_and_when_it_moves() -> None:
    numbering = Numbering()
    first = numbering.numbered([element("Open", 0), element("Save", 10)])
    second = numbering.numbered([element("New", 0), element("Open", 10), element("Save", 20)])
    third = numbering.numbered([element("Save", 20), element("Open", 90)])
    assert [one.number for one in first] == [1, 2] and [one.number for one in second] == [3, 1, 2] and [one.number for one in third] == [2, 1]


def test_of_elements_with_one_name_those_at_their_place_keep_their_numbers() -> None:
    numbering = Numbering()
    numbering.numbered([element("", 0), element("", 10), element("", 20)])
    assert [one.number for one in numbering.numbered([element("", 10), element("", 20)])] == [2, 3]
    assert [one.number for one in numbering.numbered([element("", 0), element("", 10)])] == [3, 2], "the one that moved is the one that was left"
    assert [one.number for one in numbering.numbered([element("", 70), element("", 80), element("", 90)])] == [4, 5, 6], "which one moved where?"


def test_what_stays_at_its_place_and_changes_its_name_keeps_its_number() -> None:
    """Found by playing: the window of a file that was changed, and the list of choices that shows another one, had new numbers."""
    numbering = Numbering()
    numbering.numbered([element("Play", 0), element("Open", 10)])
    assert [one.number for one in numbering.numbered([element("Pause", 0), element("Open", 10)])] == [1, 2]


def paragraph(text: str, y: int) -> Element:
    return Element(0, "paragraph", "", text, None, frozenset(), (0, y, 90, 9), "w", "a")


def test_paragraphs_keep_their_numbers_when_the_page_scrolls_and_when_one_is_typed_into() -> None:
    """Found by playing: after scrolling, the numbers of paragraphs had passed to others."""
    numbering = Numbering()
    numbering.numbered([paragraph("pears", 0), paragraph("bread", 10), paragraph("milk", 20)])
    assert [one.number for one in numbering.numbered([paragraph("bread", 0), paragraph("milk", 10), paragraph("tea", 20)])] == [2, 3, 4]
    assert [one.number for one in numbering.numbered([paragraph("bread", 0), paragraph("milk!", 10), paragraph("tea", 20)])] == [2, 3, 4]


@given(st.lists(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 3)), max_size=8), max_size=6))
def test_numbers_are_different_within_an_observation_and_stay_with_role_and_program(screens: list[list[tuple[str, int]]]) -> None:
    numbering = Numbering()
    for screen in screens:
        found = numbering.numbered([element(name, x) for name, x in screen])
        assert len({one.number for one in found}) == len(found) == len(screen)
        again = numbering.numbered([element(name, x) for name, x in screen])
        assert [one.number for one in again] == [one.number for one in found], "what stays keeps its number"
