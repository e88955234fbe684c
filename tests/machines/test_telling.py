"""Protects what agents are told of the screen: all that can be used and seen, in few lines, and a count of what is left out."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from machines.client import Window
from machines.telling import told, worth_telling
from machines.trees.elements import Element

SCREEN = (1000, 500)
ENABLED = frozenset({"enabled", "sensitive"})


def element(number: int, role: str, name: str = "", text: str = "", box: tuple[int, int, int, int] = (0, 0, 50, 20), *states: str, window: str = "w", description: str = "") -> Element:  # fmt: skip
    return Element(number, role, name, text, None, ENABLED | set(states), box, window, "a", description)


def row(role: str, *names: str, top: int = 0) -> list[Element]:
    return [element(number, role, name, "", (50 * number, top, 50, 20)) for number, name in enumerate(names, 1)]


def window(title: str, x: int, y: int, width: int, height: int) -> Window:
    return Window(title, "class", None, x, y, width, height, False)


def test_elements_of_one_role_side_by_side_share_a_line_with_their_ids_and_the_place_of_all() -> None:
    buttons = [*row("push button", "New", "Open", "Save"), element(4, "push button", "Far", "", (0, 300, 50, 20)), element(5, "check box", "Wrap", "", (0, 330, 50, 20), "checked")]  # fmt: skip
    assert told(buttons, (), SCREEN).text.split("\n") == [
        'push button: 1 "New", 2 "Open", 3 "Save" at .050 .000 .200 .040',
        'push button: 4 "Far" at .000 .600 .050 .640',
        'check box (checked): 5 "Wrap" at .000 .660 .050 .700',
    ]


def test_a_column_shares_a_line_and_does_not_go_on_as_a_row() -> None:
    boxes = [(0, 0, 50, 20), (0, 20, 50, 20), (0, 40, 50, 20), (50, 40, 50, 20)]
    items = [element(number, "list item", f"i{number}", "", box) for number, box in enumerate(boxes, 1)]
    assert [line.split(" at ")[0] for line in told(items, (), SCREEN).text.split("\n")] == ['list item: 1 "i1", 2 "i2", 3 "i3"', 'list item: 4 "i4"']


def test_cells_are_told_with_their_texts_and_empty_ones_are_counted() -> None:
    cells = [element(1, "table cell", "A1", "Pears", (0, 0, 50, 20), "editable"), element(2, "table cell", "B1", "", (50, 0, 50, 20), "editable"),
             element(3, "table cell", "C1", "", (100, 0, 50, 20), "editable", "focused"), element(4, "table cell", box=(150, 0, 50, 20))]  # fmt: skip
    lines = told(cells, (), SCREEN).text.split("\n")
    assert lines == ['table cell: 1 "A1" = "Pears", 3 "C1" (focused) at .000 .000 .150 .040', "Not listed: 2 empty cells."]


def test_what_lies_behind_another_window_is_counted_and_what_its_window_holds_in_front_is_told() -> None:
    elements = [element(1, "push button", "Hidden", "", (10, 110, 20, 20), window="below"), element(2, "push button", "Beside", "", (600, 10, 20, 20), window="below"), element(4, "menu", "Behind its title", "", (40, 85, 20, 9), window="below"),
                element(3, "push button", "OK", "", (40, 10, 20, 20), window="above")]  # fmt: skip
    shown = [window("below", 0, 0, 1000, 500), window("above", 0, 100, 300, 300)]
    kept, left_out = worth_telling(elements, shown)
    assert [one.name for one in kept] == ["Beside", "OK"] and left_out == {"elements behind other windows": 2}


def test_the_last_line_break_of_a_text_to_be_edited_is_told() -> None:
    """Found by playing: it decides whether Enter comes before a new line."""
    texts = [element(1, "text", "", "pears\n", (0, 0, 50, 20), "editable"), element(2, "label", "", " pears\n", (0, 40, 50, 20))]
    assert [line.split(" at ")[0] for line in told(texts, (), SCREEN).text.split("\n")] == ['text: 1 = "pears\\n"', 'label: 2 = " pears"']


def test_the_window_in_front_comes_first() -> None:
    elements = [
        element(1, "push button", "Beside", "", (600, 10, 20, 20), window="below"),
        element(2, "push button", "OK", "", (40, 10, 20, 20), window="above"),
    ]
    shown = [window("below", 0, 0, 1000, 500), replace(window("above", 0, 0, 300, 300), is_active=True)]
    assert [one.name for one in told(elements, shown, SCREEN).elements] == ["OK", "Beside"]


def test_states_and_names_from_tooltips_are_told() -> None:
    one = Element(1, "text", "", "7", None, frozenset({"enabled", "focused"}), (0, 0, 9, 9), "w", "a", "Display\nA long tooltip")
    off = Element(2, "push button", "Undo", "", None, frozenset({"visible"}), (0, 30, 9, 9), "w", "a")
    assert told([one, off], (), SCREEN).text.split("\n") == [
        'text (focused, read-only): 1 "Display" = "7" at .000 .000 .009 .018',
        'push button (disabled): 2 "Undo" at .000 .060 .009 .078',
    ]


def test_elements_that_a_toolkit_lists_backwards_are_told_as_they_stand() -> None:
    keys = [element(number, "toggle button", name, "", box) for number, (name, box) in enumerate({
        "3": (100, 40, 50, 20), "2": (50, 40, 50, 20), "1": (0, 40, 50, 20), "8": (50, 0, 50, 20), "7": (0, 0, 50, 20)}.items(), 1)]  # fmt: skip
    assert [line.split(" at ")[0] for line in told(keys, (), SCREEN).text.split("\n")] == [
        'toggle button: 5 "7", 4 "8"',
        'toggle button: 3 "1", 2 "2", 1 "3"',
    ]


def test_a_selected_text_is_told_and_the_name_of_a_symbol_is_not() -> None:
    one = Element(1, "text", "", "a new chain", None, ENABLED | {"editable"}, (0, 0, 9, 9), "w", "a", "", "new")
    symbol = element(2, "icon", "dialog-error-symbolic", "", (0, 30, 9, 9))
    assert told([one, symbol], (), SCREEN).text.split("\n") == [
        'text: 1 = "a new chain" selected "new" at .000 .000 .009 .018', "icon: 2 at .000 .060 .009 .078",
    ]  # fmt: skip


def test_the_field_with_the_focus_is_told_whole_others_with_both_ends_and_a_terminal_with_its_end() -> None:
    text = "".join(f"{number:04} " for number in range(400))
    focused, other, terminal = (
        told([element(1, role, "", text, (0, 0, 9, 9), *states)], (), SCREEN).text
        for role, *states in (("text", "focused", "editable"), ("text", "editable"), ("terminal", "focused"))
    )
    assert text.strip() in focused
    assert "0000 0001" in other and "0398 0399" in other and "0200" not in other and len(other) < 700
    assert "0399" in terminal and len(told([element(1, "terminal", "", text * 4)], (), SCREEN).text) < 700


def test_what_only_holds_others_or_repeats_them_is_not_told_and_what_takes_keys_is() -> None:
    page = [element(1, "tool bar", "Standard"), element(2, "paragraph", "", "\ufffc"), element(3, "link", "Stalls", "", (0, 0, 50, 20)),
            element(4, "static", "Stalls", "", (0, 0, 50, 20)), element(5, "scroll pane", "Input line", "", (0, 100, 300, 20), "focusable"),
            element(6, "scroll pane", "", "", (0, 200, 300, 90), "focusable"), element(7, "label", "inside", "", (10, 210, 40, 20))]  # fmt: skip
    assert [one.number for one in worth_telling(page)[0]] == [3, 5, 7]


@given(st.text(max_size=400), st.text(max_size=400), st.sampled_from(["text", "table cell", "terminal", "push button"]))
def test_no_name_and_no_text_breaks_a_line_and_every_told_id_stands_in_it(name: str, text: str, role: str) -> None:
    found = told([element(41, role, name, text, (0, 0, 50, 20), "focused", "editable")], (), SCREEN)
    lines = found.text.split("\n")
    assert len(lines) == 1 and (": 41" in lines[0]) and [one.number for one in found.elements] == [41]


@pytest.mark.parametrize("role", ["frame", "dialog"])
def test_a_window_without_a_title_is_no_line(role: str) -> None:
    assert told([element(1, role)], (), SCREEN).text == ""
