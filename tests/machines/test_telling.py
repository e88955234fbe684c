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


def test_the_colours_of_a_palette_are_counted_and_a_few_areas_are_told() -> None:
    """Inkscape's palette took 200 lines."""
    areas = [element(number, "drawing area", f"#{number:06X}", "", (17 * number, 480, 17, 16)) for number in range(1, 71)]
    wrapped = [element(100 + one.number, "list item", box=one.box) for one in areas]
    canvas = element(200, "drawing area", "", "", (50, 50, 800, 400))
    assert told([canvas, *wrapped, *areas], (), SCREEN).text.split("\n") == [
        "drawing area: 200 at .050 .100 .850 .900",
        "Not listed: 70 colours of a palette.",
    ]
    assert [one.number for one in worth_telling(areas[:3])[0]] == [1, 2, 3]


def test_an_item_that_only_holds_a_button_is_not_told_and_one_that_says_something_is() -> None:
    box, below = (0, 0, 30, 30), (0, 30, 30, 30)
    listed = [element(1, "list item", box=box), element(2, "radio button", "Stars", "", box), element(3, "list item", "", "", below, "selected"), element(4, "label", "Home", "", below),
              element(5, "list item", box=(0, 60, 30, 30))]  # fmt: skip
    assert [one.number for one in worth_telling(listed)[0]] == [2, 3, 4, 5]


def test_what_a_program_draws_itself_is_told_once_with_the_hint_that_the_picture_shows_it_and_not_when_covered() -> None:
    """KiCad's tool bars and Thunar's view of icons tell of nothing in them."""
    fields = [element(1, "scroll pane", "", "", (0, 0, 300, 100), "focusable"), element(2, "panel", "Icon view", "", (0, 0, 300, 98), "focusable"),
              element(3, "panel", "", "", (400, 0, 300, 30), "focusable", window="below")]  # fmt: skip
    shown = [window("below", 300, 0, 500, 500), window("w", 300, 0, 500, 500)]
    assert told(fields, shown, SCREEN).text.split("\n") == ['panel (see the picture): 2 "Icon view" at .000 .000 .300 .196']
    assert [one.number for one in told(fields, shown[:1], SCREEN).elements] == [2, 3]


def test_that_nothing_is_told_of_the_window_in_front_is_said() -> None:
    """Its program has no tree, as those of Tk and Java, or hangs: an empty list alone does not tell which."""
    menu = element(1, "menu", "File", "", (600, 10, 20, 20), window="below")
    shown = [window("below", 0, 0, 1000, 500), replace(window("BKChem", 0, 0, 300, 300), is_active=True)]
    assert told([menu], shown, SCREEN).text.split("\n")[1:] == ['Nothing is told of the window in front, "BKChem": see the picture.']
    inside = element(2, "push button", "OK", "", (40, 10, 20, 20), window="BKChem")
    assert "Nothing is told" not in told([menu, inside], shown, SCREEN).text


SCROLLED = "".join(f"line {number}\n" for number in range(100))
VIEW = (SCROLLED.index("line 20"), SCROLLED.index("line 22"))


def seen(*states: str, **more: object) -> str:
    return told([replace(element(1, "text", "", SCROLLED, (0, 0, 500, 100), *states), **more)], (), SCREEN).text  # type: ignore[arg-type]


def test_what_is_scrolled_out_of_the_field_with_the_focus_is_told_as_that() -> None:
    """Found by looking through screens: the beginning of a text that was scrolled to its middle was told as if it could be seen."""
    text = seen("focused", "editable", in_view=VIEW, caret=VIEW[0] + 5)
    assert '= "line 20\\nline 21\\n" scrolled out "line 22' in text and text.index('scrolled out "line 0') < text.index("= ")
    assert "caret in line 21, column 6" in text and "line 99" in text


def test_of_a_long_text_without_the_focus_only_what_is_in_view_is_told() -> None:
    text = seen("editable", in_view=VIEW)
    assert '= "line 20\\nline 21\\n" scrolled out: 150 characters before it, ' in text and "line 99" not in text
    assert len(text) < 160


@pytest.mark.parametrize("view", [None, (0, len(SCROLLED)), (0, len(SCROLLED) - 1), (5, 5)])
def test_a_text_that_is_seen_whole_or_of_which_nothing_is_known_is_told_whole(view: tuple[int, int] | None) -> None:
    text = seen("focused", "editable", in_view=view)
    assert "scrolled out" not in text and "line 0" in text and "line 99" in text


def test_a_text_of_which_all_is_before_what_is_in_view_is_not_told_as_in_view() -> None:
    """Found by review: of a very long text only the beginning is read, and it was told as if it were in view."""
    view = (len(SCROLLED), len(SCROLLED) + 90)
    assert 'scrolled out "line 0' in seen("focused", "editable", in_view=view) and "= " not in seen("focused", "editable", in_view=view)
    assert seen("editable", in_view=view).startswith(f"text: 1 scrolled out: {len(SCROLLED)} characters before it at ")


def test_of_a_text_whose_beginning_is_covered_only_the_place_is_told() -> None:
    """Found by looking through screens: a path behind another window was told as if it could be read."""
    covered = replace(element(1, "text", "", "/home/agent", (400, 0, 100, 20), "editable"), whole=(0, 0, 500, 20))
    assert told([covered], (), SCREEN).text == "text (partly covered): 1 at .400 .000 .500 .040"
    cell = replace(covered, role="table cell", name="Archive", text="", states=ENABLED, box=(50, 0, 450, 20))
    assert told([cell], (), SCREEN).text == 'table cell (partly covered): 1 "Archive" at .050 .000 .500 .040', "the name may be what is covered"
    right = replace(covered, box=(0, 0, 400, 20))
    assert told([right], (), SCREEN).text == 'text: 1 = "/home/agent" at .000 .000 .400 .040'


def test_each_window_has_its_line_before_what_is_in_it() -> None:
    """Found by looking through screens: the menus of the window behind read as if they were the dialog's."""
    elements = [element(1, "frame", "main", "", (0, 0, 1000, 500), window="main"), element(2, "menu", "File", "", (0, 0, 50, 20), window="main"),
                element(3, "frame", "hidden", "", (300, 100, 400, 300), window="hidden"), element(4, "menu", "Edit", "", (310, 110, 50, 20), window="hidden"),
                element(5, "dialog", "Find", "", (250, 50, 500, 400), window="Find"), element(6, "push button", "OK", "", (400, 200, 50, 20), window="Find")]  # fmt: skip
    shown = [window("main", 0, 0, 1000, 500), window("hidden", 300, 100, 400, 300), replace(window("Find", 250, 50, 500, 400), is_active=True)]
    lines = told(elements, shown, SCREEN).text.split("\n")
    assert [line.split(" at ")[0] for line in lines] == [
        'dialog: 5 "Find"', 'push button: 6 "OK"', 'frame: 1 "main"', 'menu: 2 "File"', "Not listed: 2 elements behind other windows.",
    ]  # fmt: skip


def test_only_what_keys_go_to_has_the_focus() -> None:
    """Found by looking through screens: Qt says of tabs that are on top that they have the focus, and a window behind keeps its own."""
    elements = [element(1, "page tab", "SQL 1", "", (0, 0, 50, 20), "focused"), element(2, "text", "", "select", (0, 40, 50, 20), "focused", "editable"),
                element(3, "table cell", "x", "", (600, 0, 50, 20), "focused", window="behind")]  # fmt: skip
    shown = [window("behind", 0, 0, 1000, 500), replace(window("w", 0, 0, 300, 300), is_active=True)]
    lines = [line.split(" at ")[0] for line in told(elements, shown, SCREEN).text.split("\n")]
    assert lines == ['page tab (selected): 1 "SQL 1"', 'text (focused): 2 = "select"', 'table cell: 3 "x"']
    assert told(elements[:1], shown, SCREEN).text.startswith("page tab (focused)"), "keys go to the tab"


def test_markup_is_no_name() -> None:
    area = element(
        1, "text", "", "", (0, 0, 50, 20), description="<html><head/><body><p>Results of the last statements.</p><p>More</p></body></html>"
    )
    named = element(2, "push button", "<b>Save &amp; close</b>", "", (0, 40, 50, 20))
    compared = element(3, "label", "a<c and d>b", "", (0, 80, 50, 20))
    untitled = element(4, "label", "<untitled>", "", (0, 120, 50, 20))
    lines = [line.split(" at ")[0] for line in told([area, named, compared, untitled], (), SCREEN).text.split("\n")]
    assert lines == [
        'text (read-only): 1 "Results of the last statements. More"',
        'push button: 2 "Save & close"',
        'label: 3 "a<c and d>b", 4 "<untitled>"',
    ]


def test_the_beginning_of_a_long_description_is_told_also_where_no_space_is_in_it() -> None:
    """Found by review: of a tooltip that is a long path or address only "…" was told."""
    address = "https://example.org/" + "a" * 60
    assert f'"{address[:39]}…"' in told([element(1, "link", description=address)], (), SCREEN).text
    assert '"Save  all"' not in (text := told([element(1, "icon", description="\n Save  all\nCtrl+S")], (), SCREEN).text) and '"Save all"' in text


def test_what_says_nothing_or_the_same_again_is_not_told() -> None:
    listed = [element(1, "menu item", "", "", (900, 0, 20, 20), "visible"), element(2, "animation", "Spinner", "", (800, 0, 20, 20)),
              element(3, "menu item", "None", "", (0, 40, 50, 20)), element(4, "menu item", "None", "", (0, 40, 50, 20)),
              element(5, "custom", "park.png", "", (0, 480, 400, 20)), element(6, "combo box", "px", "", (0, 480, 50, 20)), element(7, "label", "park.png", "", (60, 480, 300, 20))]  # fmt: skip
    listed[0] = replace(listed[0], states=frozenset({"visible"}))
    assert [one.number for one in worth_telling(listed)[0]] == [3, 5, 6]


def test_a_spin_button_of_which_nothing_is_said_can_be_typed_into() -> None:
    """Found by looking through screens: Qt says of the field in it that it can be edited, and not of the spin button."""
    said = [
        told([element(1, role, "Stream", "2", (0, 0, 50, 20), *more)], (), SCREEN).text
        for role, *more in (("spin button",), ("spin button", "read-only"), ("text",))
    ]
    assert ["read-only" in one for one in said] == [False, True, True]
