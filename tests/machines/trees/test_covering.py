"""Protects that what lies partly behind a menu or a window is listed with the part that can be seen, where a click hits it."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from machines.actions import Action, for_guest
from machines.client import Window
from machines.telling import told
from machines.trees import covering
from machines.trees.covering import among_windows, visible_part
from machines.trees.elements import Box, Element
from machines.trees.numbering import Numbering
from machines.trees.titles import with_titles_of_tree

SCREEN = (1280, 800)
SIDES = st.tuples(st.integers(0, 300), st.integers(0, 300), st.integers(1, 300), st.integers(1, 300))


def window(title: str, *box: int) -> Window:
    return Window(title, "class", None, *box, is_active=False)  # type: ignore[misc, arg-type]


def text(box: Box, window: str = "w", role: str = "text") -> Element:
    return Element(1, role, "", "pears", None, frozenset({"enabled"}), box, window, "mousepad")


def is_free(one: Box, cover: Box) -> bool:
    (x, y, width, height), (left, top, wide, high) = one, cover
    return x + width <= left or left + wide <= x or y + height <= top or top + high <= y


@pytest.mark.parametrize(
    ("cover", "part"),
    [
        ((150, 0, 200, 400), (100, 100, 50, 60)),  # at its left
        ((0, 0, 200, 400), (200, 100, 200, 60)),  # at its right
        ((0, 120, 900, 300), (100, 100, 300, 20)),  # above
        ((0, 0, 900, 130), (100, 130, 300, 30)),  # below
        ((500, 0, 10, 10), (100, 100, 300, 60)),  # it does not lie there
        ((112, 0, 900, 400), None),  # 12 pixels are no place to click
        ((0, 0, 900, 400), None),
    ],
)
def test_of_what_is_covered_in_part_the_largest_visible_part_is_the_box(cover: Box, part: Box | None) -> None:
    assert visible_part((100, 100, 300, 60), [cover]) == part


def test_a_part_that_is_long_and_thin_does_not_hide_one_that_can_be_clicked() -> None:
    assert visible_part((0, 0, 300, 60), [(0, 4, 280, 56), (280, 0, 20, 40)]) == (280, 40, 20, 20), "1,120 pixels above are 4 pixels high"


def test_many_small_windows_do_not_multiply_the_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Found by review: one who opened 80 small windows held up every look at the screen, since thousands of parts were kept of each element."""
    cut, beside = list[Box](), covering._beside

    def counted(part: Box, cover: Box) -> list[Box]:
        cut.append(part)
        return beside(part, cover)

    monkeypatch.setattr(covering, "_beside", counted)
    covers = [(17 + 131 * number % 1200, 11 + 89 * number % 760, 20, 20) for number in range(80)]
    part = visible_part((0, 0, 1280, 800), covers)
    assert part is not None and part[2] * part[3] > 20_000
    assert len(cut) <= 24 * len(covers)


@given(SIDES, st.lists(SIDES, max_size=6))
def test_the_visible_part_lies_in_the_element_and_under_no_cover(box: Box, covers: list[Box]) -> None:
    part = visible_part(box, covers)
    if part is not None:
        x, y, width, height = part
        assert box[0] <= x and x + width <= box[0] + box[2] and box[1] <= y and y + height <= box[1] + box[3] and min(width, height) > 0
        assert all(is_free(part, cover) for cover in covers)


@given(SIDES, st.lists(SIDES, max_size=6))
def test_where_a_place_to_click_is_free_a_part_is_found(box: Box, covers: list[Box]) -> None:
    places = [sorted({edge for one in (box, *covers) for edge in (one[side], one[side] + one[side + 2])}) for side in (0, 1)]
    fields = [(x, y, right - x, low - y) for x, right in pairwise(places[0]) for y, low in pairwise(places[1])]
    free = [one for one in fields if not is_free(one, box) and all(is_free(one, cover) for cover in covers)]
    if any(width >= 16 and height >= 10 for _, _, width, height in free):
        assert visible_part(box, covers) is not None


def test_the_text_area_behind_a_dialog_is_clicked_where_it_can_be_seen_and_keeps_its_number() -> None:
    """Found by looking through screens: Mousepad's text behind its dialog to replace was not listed."""
    area, main, dialog = text((320, 190, 640, 450)), window("w", 320, 170, 640, 480), window("Find and Replace", 422, 290, 436, 302)
    numbering = Numbering()
    (before,) = numbering.numbered(among_windows([area], [main]))
    (after,) = numbering.numbered(among_windows([area], [main, dialog]))
    assert (before.box, before.whole) == (area.box, None) and after.number == before.number
    assert after.extent == area.box and after.box == (320, 190, 640, 80), "the largest part is above the dialog and its title bar"
    (asked,) = for_guest(Action("move_id", {"id": after.number}), [after], SCREEN)
    x, y = asked["x"], asked["y"]
    assert not (422 <= x < 422 + 436 and 270 <= y < 592)


def test_a_spin_button_that_is_covered_at_its_left_is_clicked_in_its_field() -> None:
    """Found by review: a quarter of what was left of it was nearer to its buttons."""
    whole = text((100, 100, 120, 30), role="spin button")
    assert [replace(whole, box=box, whole=whole.box).middle for box in ((120, 100, 100, 30), (150, 100, 70, 30), (100, 100, 20, 30))] == [
        (130, 115), (152, 115), (119, 115),
    ]  # fmt: skip
    assert whole.middle == (130, 115) and replace(whole, role="text").middle == (160, 115)


def test_a_window_in_front_covers_with_its_title_bar_and_not_its_own_elements() -> None:
    below, above = window("w", 0, 0, 800, 600), window("above", 0, 100, 300, 300)
    cell, own, frame = text((10, 85, 100, 12)), text((10, 120, 100, 20), "above"), text((0, 0, 800, 600), role="frame")
    assert among_windows([cell, own, frame], [below, above]) == [cell, own, frame], "one is covered whole, one lies in front, one is a window"
    wide = replace(cell, box=(10, 85, 500, 12))
    assert among_windows([wide], [below, above])[0].box == (300, 85, 210, 12)


def test_a_window_that_the_tree_calls_otherwise_is_covered_too() -> None:
    """Found by judges: Chromium called its window Print, and what lay behind the dialog to save a file was listed."""
    below, dialog = window("Village Fair - Chromium", 0, 0, 1280, 800), window("Save File", 77, 20, 1124, 780)
    frame, inner = text((0, 0, 1279, 799), "Print", role="frame"), text((132, 78, 1014, 674), "Print", role="frame")
    button, reload, own = text((966, 683, 75, 35), "Print"), text((82, 46, 34, 34), "Print"), text((1109, 755, 86, 34), "Save File")
    seen = [frame, inner, button, text((1000, 100, 250, 34), "Print"), own]
    assert among_windows(seen, [below, dialog])[3].box == (1201, 100, 49, 34)
    shown = told([replace(one, number=number, text=f"t{number}") for number, one in enumerate([*seen, reload], 1)], [below, dialog], SCREEN)
    assert "t5" in shown.text and "t3" not in shown.text and "t6" not in shown.text and "elements behind other windows" in shown.text
    apart = with_titles_of_tree([window("Untitled", 700, 0, 300, 300), dialog], seen)
    assert [one.title for one in apart] == ["Untitled", "Save File"], "another place is another window"
