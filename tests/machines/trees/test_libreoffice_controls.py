"""Protects that the arrows of LibreOffice's split buttons, its zoom slider and Writer's views are listed: AT-SPI tells of none of them."""

from dataclasses import replace

from machines.trees.elements import Element
from machines.trees.libreoffice_controls import with_controls


def bar(*widths: int, height: int = 35, application: str = "soffice", top: int = 44) -> list[Element]:
    found, x = [element("tool bar", "Standard", (0, top, 1200, 40), application)], 4
    for number, width in enumerate(widths, 1):
        found.append(element("push button", f"b{number}", (x, top + 2, width, height), application))
        x += width
    return found


def element(role: str, name: str, box: tuple[int, int, int, int], application: str = "soffice") -> Element:
    return Element(0, role, name, "", None, frozenset({"enabled", "checked"}), box, "w", application)


def arrows(elements: list[Element]) -> list[tuple[str, tuple[int, int, int, int]]]:
    return [(one.description, one.box) for one in with_controls(elements) if one.role == "push button menu"]


def test_what_is_wider_by_an_arrow_has_one_at_its_right_end() -> None:
    """The widths are those of the tool bar Standard of Calc 7.4: New, Open and Save are split, Export and Print are not."""
    assert arrows(bar(44, 44, 44, 33, 33)) == [("b1", (37, 46, 11, 35)), ("b2", (81, 46, 11, 35)), ("b3", (125, 46, 11, 35))]


def test_the_arrows_stand_together_behind_the_buttons_and_have_no_mark() -> None:
    found = with_controls([*bar(44, 33, 44), element("push button", "far", (4, 300, 44, 35))])
    assert [one.name or f"of {one.description}" for one in found] == ["Standard", "b1", "b2", "b3", "of b1", "of b3", "far"]
    assert [one.number for one in found] == list(range(1, 8)) and "checked" not in found[4].states


def test_a_button_that_the_edge_of_the_screen_cuts_is_no_measure() -> None:
    """Found by review: next to the rest of one, all others were wider by an arrow."""
    cut = bar(33, 33, 22)
    assert arrows([replace(cut[0], box=(0, 44, 92, 40)), *cut[1:]]) == []
    upright = [element("tool bar", "Drawing", (0, 44, 44, 200)), *(element("push button", f"b{width}", (44 - width, 44 + width, width, 35)) for width in (33, 44))]  # fmt: skip
    assert arrows(upright) == [("b44", (33, 88, 11, 35))], "all buttons end at the edge of an upright bar"


def test_buttons_of_other_heights_and_other_programs_are_no_measure() -> None:
    """The formula bar has a button of 16 pixels, lower than the others: next to it all others are wider."""
    formula = [*bar(25, 36, 25, height=27), element("push button", "Expand", (900, 50, 16, 22))]
    assert arrows(formula) == [("b2", (54, 46, 11, 27))]
    assert arrows(bar(44, 33, application="gimp")) == [] and arrows(bar(33, 33)) == [] and arrows(bar(33, 90)) == []


def status_bar(per_cent: str = "100%", width: int = 137, application: str = "soffice") -> list[Element]:
    """The end of the status bar of Calc 7.4."""
    function = replace(element("label", "", (868, 780, 215, 19), application), text="Average: ; Sum: 0")
    return [
        function,
        element("label", "", (1226 - width, 780, width, 19), application),
        replace(element("label", "", (1232, 780, 42, 19), application), text=per_cent),
    ]


def test_the_zoom_slider_has_its_two_signs_and_what_lies_between_them() -> None:
    found = with_controls(status_bar())
    assert [(one.role, one.label, one.box) for one in found[1:4]] == [
        ("push button", "Zoom Out", (1089, 780, 20, 19)), ("slider", "Zoom", (1109, 780, 97, 19)), ("push button", "Zoom In", (1206, 780, 20, 19)),
    ]  # fmt: skip
    assert [one.number for one in found] == [1, 2, 3, 4, 5] and found[4].text == "100%"


def test_another_empty_label_is_no_slider() -> None:
    for other in (status_bar("Default"), status_bar(width=40), status_bar(application="gimp")):
        assert "slider" not in [one.role for one in with_controls(other)]


def test_a_slider_that_is_covered_in_part_has_no_parts() -> None:
    """Found by review: with a menu over its left, "Zoom Out" was told in its middle."""
    function, slider, per_cent = status_bar()
    covered = replace(slider, box=(1120, 780, 106, 19), whole=slider.box)
    assert [one.role for one in with_controls([function, covered, per_cent])] == ["label"] * 3


def test_the_three_views_of_writer_stand_left_of_the_slider() -> None:
    label = element("label", "", (1015, 780, 68, 19))
    found = with_controls([label, *status_bar()[1:]])
    assert [(one.label, one.box) for one in found[:3]] == [
        ("Single-page view", (1015, 780, 22, 19)), ("Multiple-page view", (1037, 780, 22, 19)), ("Book view", (1059, 780, 22, 19)),
    ]  # fmt: skip
    assert [one.label or one.text for one in found[3:]] == ["Zoom Out", "Zoom", "Zoom In", "100%"]
    assert with_controls([replace(label, text="Sum: 0"), *status_bar()[1:]])[0].role == "label", "what says something is that"


def signs(*widths: int) -> list[tuple[str, int]]:
    """The signs that are found in the labels of a status bar, each with its place; the zoom comes behind them."""
    found, x = list[Element](), 6
    for width in widths:
        text = "" if width < 100 else "words"
        found.append(replace(element("label", "", (x, 780, width, 19)), text=text))
        x += width + 6
    found += [element("label", "", (x, 780, 137, 19)), replace(element("label", "", (x + 143, 780, 42, 19)), text="100%")]
    return [(one.description, place) for place, one in enumerate(with_controls(found)) if one.description in ("Saved or not", "Selection mode")]


def test_the_signs_of_the_status_bar_are_told_by_their_order() -> None:
    """Widths of Writer and Calc 7.4; Impress has fewer signs, and their order is not known here."""
    assert signs(23, 152, 216, 194, 167, 62, 23, 23, 93) == [("Saved or not", 0), ("Selection mode", 6)]
    assert signs(176, 152, 190, 177, 62, 23, 23, 23, 203) == [("Selection mode", 5), ("Saved or not", 6)]
    assert signs(176, 152, 23, 23, 203) == []
