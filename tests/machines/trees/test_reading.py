"""Protects the reading of trees: AT-SPI and UI Automation give the same elements, and no tree raises anything but a fault of the machine."""

from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atomic_tasks.catalog import Catalog
from machines.errors import MachineError
from machines.observation import marked
from machines.telling import worth_telling
from machines.trees.elements import Element, pair, shared
from machines.trees.reading import read_elements
from machines.trees.roles import declared

SCREEN = (1440, 900)
WAA = 'xmlns:st="uri:deskat:state.at-spi.gnome.org" xmlns:cp="uri:deskat:component.at-spi.gnome.org" xmlns:val="uri:deskat:value.at-spi.gnome.org" xmlns:win="uri:deskat:uia.windows.microsoft.org"'
OSWORLD = " ".join(
    f'xmlns:{short}="https://accessibility.windows.example.org/ns/{name}"'
    for short, name in (("st", "state"), ("cp", "component"), ("val", "value"), ("win", "class"))
)
UBUNTU = OSWORLD.replace("windows", "ubuntu")
_HIDDEN = 'st:visible="false"'


def control(tag: str, name: str, wrapper: str, box: tuple[int, int, int, int], more: str = "", inside: str = "") -> str:
    """A node as Windows Agent Arena writes it (its paper, figure 7)."""
    x, y, width, height = box
    states = "" if _HIDDEN in more else 'st:visible="true"'
    return (
        f'<{tag} name="{name}" st:enabled="true" {states} cp:screencoord="({x}, {y})" cp:size="({width}, {height})" selection="true" '
        f"win:class=\"&lt;class 'pywinauto.controls.{wrapper}'&gt;\" {more}>{inside}</{tag}>"
    )


NOTEPAD = control("notepad", "notes.txt - Notepad", "uiawrapper.UIAWrapper", (100, 100, 600, 400), inside="".join([
    control("richeditd2dpt", "Text editor", "uia_controls.EditWrapper", (110, 140, 580, 300), 'st:editable="true" st:keyboard_focused="true" val:value="pears"'),
    control("menubar", "", "uia_controls.MenuWrapper", (100, 120, 200, 20), inside=control("menuitem", "File", "uia_controls.MenuItemWrapper", (100, 120, 40, 20), 'st:expanded="true"')),
    control("togglebutton", "Bold", "uia_controls.ButtonWrapper", (300, 120, 20, 20), 'st:pressed="true"'),
    control("checkbox", "Match case", "uia_controls.ButtonWrapper", (320, 120, 20, 20), 'st:checked="true"'),
    control("slider", "Zoom", "uia_controls.SliderWrapper", (340, 120, 90, 20), 'val:value="1.5"'),
    control("button", "Hidden", "uia_controls.ButtonWrapper", (300, 120, 20, 20), _HIDDEN),
    control("someclass", "Odd one", "uiawrapper.UIAWrapper", (430, 120, 20, 20), 'st:selected="true"'),
]))  # fmt: skip
TASKBAR = control("shell_traywnd", "Taskbar", "uiawrapper.UIAWrapper", (0, 852, 1440, 48), 'st:active="false"')
OF_WAA = f"<desktop {WAA}>{TASKBAR}{NOTEPAD}</desktop>"


def by_name(xml: str) -> dict[str, Element]:
    return {one.name: one for one in read_elements(xml, SCREEN)}


def test_a_tree_of_windows_agent_arena_gives_roles_states_texts_windows_and_places() -> None:
    found = by_name(OF_WAA)
    assert {name: one.role for name, one in found.items()} == {
        "Taskbar": "frame", "notes.txt - Notepad": "frame", "Text editor": "text", "": "menu bar", "File": "menu item", "Bold": "toggle button",
        "Match case": "check box", "Zoom": "slider", "Odd one": "custom",
    }  # fmt: skip
    editor = found["Text editor"]
    assert (editor.text, editor.value, editor.box, editor.window, editor.application) == (
        "pears",
        None,
        (110, 140, 580, 300),
        "notes.txt - Notepad",
        "notepad",
    )
    assert {"enabled", "showing", "focused", "editable"} <= editor.states and "active" not in found["Taskbar"].states
    assert "checked" in found["Match case"].states and "expanded" in found["File"].states and "selected" in found["Odd one"].states
    assert found["Zoom"].value == 1.5
    assert {one.name for one in marked(read_elements(OF_WAA, SCREEN))} >= {"Text editor", "File", "Bold", "Match case", "Zoom", "Odd one"}


def test_what_is_hidden_or_minimized_is_not_listed() -> None:
    assert "Hidden" not in by_name(OF_WAA)
    assert set(by_name(OF_WAA.replace("<notepad ", '<notepad st:minimized="true" '))) == {"Taskbar"}


@pytest.mark.parametrize("word", ["control_type", "friendly_class_name"])
def test_the_most_exact_word_for_a_control_decides(word: str) -> None:
    """Windows Agent Arena wraps check boxes as buttons; other servers say what they are."""
    xml = f'<desktop {OSWORLD}><w name="W"><button name="Wrap" win:{word}="CheckBox" win:class="ButtonWrapper" cp:screencoord="(1, 1)" cp:size="(9, 9)"/></w></desktop>'
    assert by_name(xml)["Wrap"].role == "check box"


def test_the_same_dialog_reads_the_same_from_both_systems() -> None:
    """A button, a check box and a text field, as OSWorld writes them under Ubuntu and under Windows."""
    place = 'st:enabled="true" cp:screencoord="({}, 20)" cp:size="(40, 20)"'
    both = [
        f'<desktop-frame {UBUNTU}><application name="app"><frame name="Find" cp:screencoord="(0, 0)" cp:size="(400, 300)" st:showing="true" st:visible="true">'
        f'<push-button name="Next" {place.format(10)}/><check-box name="Whole word" st:checked="true" {place.format(60)}/><text name="What" st:editable="true" st:focused="true" {place.format(120)}>pears</text>'
        "</frame></application></desktop-frame>",
        f'<desktop {OSWORLD}><app name="Find" cp:screencoord="(0, 0)" cp:size="(400, 300)" st:visible="true">'
        f'<x name="Next" win:friendly_class_name="button" {place.format(10)}/><x name="Whole word" win:friendly_class_name="checkbox" st:checked="true" {place.format(60)}/>'
        f'<x name="What" win:friendly_class_name="edit" st:editable="true" st:has_keyboard_focus="true" {place.format(120)}>pears</x></app></desktop>',
    ]
    told = {"enabled", "focused", "checked", "selected", "expanded", "editable"}
    linux, windows = (
        [(one.role, one.name, one.text, one.states & told, one.box, one.window, one.application) for one in read_elements(xml, SCREEN)]
        for xml in both
    )
    assert linux == windows and len(linux) == 4


def test_a_popup_menu_is_a_window_of_windows_and_still_a_menu() -> None:
    xml = f"<desktop {WAA}>{control('tag-32768', 'Context', 'uiawrapper.UIAWrapper', (1, 1, 50, 50))}</desktop>"
    assert by_name(xml)["Context"].role == "menu"


def test_states_of_osworld_read_as_ours() -> None:
    xml = f'<desktop-frame {UBUNTU}><application name="a"><text name="t" st:multi_line="true" attr="true" cp:screencoord="(1, 1)" cp:size="(9, 9)"/></application></desktop-frame>'
    assert by_name(xml)["t"].states == {"multi-line"}


def test_every_role_of_an_oracle_is_on_the_list(catalog: Catalog) -> None:
    asked: set[str] = set()

    def collect(part: object) -> None:
        if isinstance(part, dict):
            if isinstance(part.get("role"), str):
                asked.add(part["role"])
            part = list(part.values())
        if isinstance(part, list):
            for inner in part:
                collect(inner)

    for task in catalog.tasks.values():
        collect([dict(step) for step in task.oracle or ()])
    assert len(asked) > 15 and asked <= set(declared().roles)


def test_a_role_that_no_list_names_is_told_if_it_has_a_name() -> None:
    xml = (
        f'<desktop-frame {UBUNTU}><application name="a"><gauge name="Speed" cp:screencoord="(1, 1)" cp:size="(9, 9)"/></application></desktop-frame>'
    )
    assert [(one.role, one.name) for one in worth_telling(read_elements(xml, SCREEN))[0]] == [("custom", "Speed")]


@pytest.mark.parametrize(
    "xml",
    [
        "\ud800", "\x00", '<?xml version="1.0" encoding="utf-7"?><desktop/>\ud800', OF_WAA.replace("(110, 140)", "(x, 1)"), OF_WAA.replace("(110, 140)", "(1, 1, 1)"),
        OF_WAA.replace("(110, 140)", "9" * 5000), OF_WAA[:700], f"<desktop {WAA}>" + "<a>" * 5000 + "</a>" * 5000 + "</desktop>",
        '<desktop xmlns:cp="https://accessibility.macos.example.org/ns/component"><window cp:size="(1, 1)"/></desktop>',
    ],
)  # fmt: skip
def test_a_wrong_tree_is_a_fault_of_the_machine(xml: str) -> None:
    with pytest.raises(MachineError, match="accessibility tree"):
        read_elements(xml, SCREEN)


_NAMES = st.sampled_from(
    [
        "screencoord",
        "size",
        "value",
        "visible",
        "enabled",
        "checked",
        "multi_line",
        "minimized",
        "class",
        "control_type",
        "friendly_class_name",
        "process",
    ]
)
_SPACES = st.sampled_from([f"uri:deskat:{name}.x" for name in ("state", "component", "value", "uia.windows")] + [f"https://accessibility.{system}.example.org/ns/{name}" for system in ("ubuntu", "windows", "macos") for name in ("state", "component", "value", "class")])  # fmt: skip
_WORDS = st.sampled_from(
    [
        "true",
        "false",
        "(3, 4)",
        "( 3,4 )",
        "(-5, 900)",
        "(3, 4",
        "(nan, 1)",
        "1.5",
        "nan",
        "inf",
        "1_0",
        "٣",
        "x",
        "",
        "ButtonWrapper",
        "uiaWrapper",
        "CheckBox",
    ]
) | st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12)
_TAGS = st.sampled_from(
    ["desktop", "desktop-frame", "application", "frame", "push-button", "button", "root-pane", "menu-bar", "shell_traywnd", "tag-32768", "x"]
)


@st.composite
def nodes(draw: st.DrawFn, depth: int = 0) -> ElementTree.Element:
    node = ElementTree.Element(draw(_TAGS), {"name": draw(_WORDS)})
    for space, name, word in draw(st.lists(st.tuples(_SPACES, _NAMES, _WORDS), max_size=5)):
        node.set(f"{{{space}}}{name}", word)
    node.text = draw(st.none() | _WORDS)
    if depth < 4:
        node.extend(draw(st.lists(nodes(depth + 1), max_size=3)))
    return node


@settings(deadline=None, max_examples=60)
@given(nodes(), st.data())
def test_whatever_the_tree_there_are_sound_elements_or_it_is_a_fault_of_the_machine(root: ElementTree.Element, data: st.DataObject) -> None:
    root.tag = data.draw(st.sampled_from(["desktop", "desktop-frame", root.tag]))
    xml = ElementTree.tostring(root, encoding="unicode")
    cut = data.draw(st.just(len(xml)) | st.integers(0, len(xml)))
    try:
        found = read_elements(xml[:cut] + data.draw(st.sampled_from(["", "", "<", "\ud800", "\x00", "&x;"])) + xml[cut:], SCREEN)
    except MachineError:
        return
    assert [one.number for one in found] == list(range(1, len(found) + 1))
    assert all(0 <= one.middle[0] < SCREEN[0] and 0 <= one.middle[1] < SCREEN[1] and one.role in declared().roles for one in found)
    assert set(worth_telling(found)[0]) <= set(found)


def test_an_element_that_is_not_shown_is_left_out() -> None:
    """Found by a person who played: toolkits put what they do not show at the least whole number."""
    assert pair("(-2147483648, -2147483648)") == (-(2**31), -(2**31))
    assert shared((*pair("(-2147483648, -2147483648)"), 10, 10), (0, 0, 1280, 800)) is None


def node(tag: str, name: str, box: tuple[int, int, int, int], inside: str = "", more: str = "") -> str:
    """A node as our guest under Linux writes it."""
    x, y, width, height = box
    return f'<{tag} name="{name}" cp:screencoord="({x}, {y})" cp:size="({width}, {height})" {more}>{inside}</{tag}>'


def of_linux(*nodes: str) -> dict[str, Element]:
    return by_name(f'<desktop-frame {UBUNTU}><application name="a">{"".join(nodes)}</application></desktop-frame>')


def test_what_is_scrolled_away_is_left_out_and_what_is_cut_off_has_the_box_of_what_can_be_seen() -> None:
    cells = [node("table-cell", str(number), (10, 100 * number, 300, 100)) for number in range(5)]
    found = of_linux(node("frame", "w", (0, 0, 400, 400), node("scroll-pane", "", (10, 50, 200, 270), "".join(cells))))
    assert {name: found[name].box for name in "012345" if name in found} == {
        "0": (10, 50, 200, 50), "1": (10, 100, 200, 100), "2": (10, 200, 200, 100), "3": (10, 300, 200, 20),
    }  # fmt: skip


def test_what_a_scroll_area_of_qt_does_not_show_is_left_out() -> None:
    """Found by players: settings of VLC that were scrolled away were listed where its buttons stand."""
    button, away = (node("check-box", name, (273, top, 199, 21)) for name, top in (("shown", 557), ("away", 692)))
    view = node("filler", "", (252, 186, 762, 491), node("filler", "", (252, 186, 762, 580), button + away))
    bar = node("filler", "", (1014, 186, 14, 491), node("scroll-bar", "", (1014, 186, 14, 491)))
    found = of_linux(node("dialog", "Preferences", (240, 50, 800, 700), node("filler", "", (252, 186, 776, 491), view + bar)))
    assert "shown" in found and "away" not in found


def test_a_strip_in_which_nothing_can_be_read_is_left_out() -> None:
    """Found by looking through screens: a paragraph of which 2 pixels were in view was told with its whole text."""
    rows = [
        node("paragraph", name, (10, y, 300, height)) for name, y, height in (("strip", 20, 38), ("half", 40, 20), ("low", 60, 8), ("below", 311, 30))
    ]
    found = of_linux(node("frame", "w", (0, 0, 400, 400), node("document-text", "", (0, 50, 400, 270), "".join(rows))))
    assert {name: found[name].box[3] for name in ("strip", "half", "low", "below") if name in found} == {"half": 10, "low": 8}


def test_the_items_of_an_open_menu_are_told_though_its_bar_stands_in_a_narrow_pane() -> None:
    item = node("menu-item", "Spacing", (0, 40, 90, 20))
    found = of_linux(node("frame", "w", (0, 0, 800, 600), node("scroll-pane", "", (0, 0, 800, 25), node("menu", "Format", (0, 0, 40, 25), item))))
    assert found["Spacing"].box == (0, 40, 90, 20)


def test_a_frame_in_a_window_is_no_window_and_a_dialog_in_it_is_one() -> None:
    """Found by playing: Qt calls groups of elements frames, so that what stood in one was told though another window lay over it."""
    group = node("frame", "Look", (0, 0, 50, 50), node("push-button", "Play", (0, 0, 20, 20)))
    dialog = node("dialog", "Open", (0, 60, 50, 50), node("push-button", "OK", (0, 60, 20, 20)))
    found = of_linux(node("frame", "song - player", (0, 0, 300, 200), group + dialog))
    assert (found["Play"].window, found["OK"].window) == ("song - player", "Open")


def test_what_a_dialog_to_choose_a_file_is_made_of_is_in_the_window_of_the_dialog() -> None:
    """Found by playing: half of the dialog was told as if it were of another window, behind the page."""
    widget = node("file-chooser", "File Chooser Widget", (0, 0, 300, 150), node("text", "Name:", (0, 0, 90, 20)))
    found = of_linux(node("file-chooser", "Save File", (0, 0, 300, 200), widget + node("push-button", "Save", (0, 160, 90, 20))))
    assert found["Name:"].window == found["Save"].window == "Save File"


def test_what_an_open_menu_hides_is_left_out_and_what_is_in_it_is_told() -> None:
    listed = node("window", "", (0, 30, 100, 60), node("table-cell", "Choice", (0, 60, 100, 20)))
    nodes = [
        node("menu-item", "Open", (0, 40, 90, 20)),
        node("push-button", "Hidden", (40, 45, 20, 20)),
        node("push-button", "Beside", (140, 45, 20, 20)),
        listed,
    ]
    xml = f'<desktop-frame {UBUNTU} popups="(0, 30, 100, 60) (5, 5, 3, 3)"><application name="a">{"".join(nodes)}</application></desktop-frame>'
    assert {one.name for one in read_elements(xml, SCREEN)} == {"Open", "Beside", "Choice", ""}


def test_what_an_open_menu_covers_in_part_is_clicked_where_it_can_be_seen_and_its_window_stays() -> None:
    """Found by looking through screens: with an open menu, Mousepad's text and the title of its window were not told."""
    window = node("frame", "*notes - Mousepad", (0, 0, 400, 300), node("text", "", (0, 30, 400, 270)) + node("menu-item", "Wrap", (100, 35, 200, 20)))
    xml = f'<desktop-frame {UBUNTU} popups="(100, 30, 200, 250)"><application name="mousepad">{window}</application></desktop-frame>'
    frame, text, item = read_elements(xml, SCREEN)
    assert (frame.box, text.box, text.whole, item.whole) == ((0, 0, 400, 300), (0, 30, 100, 270), (0, 30, 400, 270), None)


def test_which_part_of_a_text_is_in_view_and_where_its_caret_is_are_read() -> None:
    text = of_linux(node("text", "t", (0, 0, 90, 20), "pears and plums", 'in-view="(6, 9)" caret="7"'))["t"]
    assert (text.in_view, text.caret) == ((6, 9), 7)
    assert (of_linux(node("text", "t", (0, 0, 90, 20), "pears"))["t"].in_view) is None


def test_line_breaks_before_a_text_are_counted_with_its_view() -> None:
    """Found by review: they were taken off, and the view was three characters too far."""
    counted, plain = (of_linux(node("text", "t", (0, 0, 90, 20), "\n\n\nabcdef\n", more))["t"] for more in ('in-view="(3, 6)"', ""))
    assert counted.in_view is not None and counted.text[slice(*counted.in_view)] == "abc"
    assert plain.text == "abcdef"


def test_headers_and_signs_under_an_open_menu_are_not_told() -> None:
    """Found by review: a click on one of them went to the menu."""
    sheet = node(
        "document-spreadsheet", "", (40, 60, 200, 200), node("table-cell", "A1", (40, 60, 70, 20)) + node("table-cell", "B1", (110, 60, 70, 20))
    )
    item = node("tree-item", "Folder", (340, 60, 100, 20), more='st:expandable="true"')
    inside = node("panel", "", (40, 40, 200, 20)) + sheet + node("tree", "", (320, 40, 200, 200), item)
    window = node("frame", "w", (0, 0, 800, 600), inside)
    told = [
        [one.label for one in read_elements(f'<desktop-frame {UBUNTU} popups="{menus}"><application name="a">{window}</application></desktop-frame>', SCREEN)
         if one.role in ("column header", "toggle button")]
        for menus in ("", "(100, 0, 230, 120)")
    ]  # fmt: skip
    assert told == [["A", "B", "Folder"], []]


def test_what_the_toolkit_draws_in_libreoffice_may_be_a_pixel_larger_than_its_place() -> None:
    """Found by looking through screens: Calc's buttons to move between sheets were moved out of the window with what LibreOffice draws itself."""
    strip = node("panel", "", (0, 480, 138, 20), node("panel", "", (0, 505, 138, 21), node("push-button", "Add", (108, 505, 24, 21))))
    root = node("root-pane", "", (0, 19, 800, 500), node("scroll-pane", "", (0, 100, 800, 401), strip))
    assert of_linux(node("frame", "w", (0, 0, 800, 600), node("panel", "", (0, 44, 800, 500), root)))["Add"].box == (108, 505, 24, 21)


def test_the_button_of_a_list_is_called_as_what_both_stand_in() -> None:
    """LibreOffice names the panel around the field and the button of a list, and the field, and not the button."""
    inside = node("text", "", (4, 85, 171, 34)) + node("toggle-button", "", (175, 85, 36, 34))
    xml = node("frame", "w", (0, 0, 800, 600), node("panel", "Font Name", (4, 85, 207, 34), node("filler", "", (4, 85, 207, 34), inside)))
    found = read_elements(f'<desktop-frame {UBUNTU}><application name="a">{xml}</application></desktop-frame>', SCREEN)
    assert [one.description for one in found if one.role == "toggle button"] == ["Font Name"]


def libreoffice(place: tuple[int, int]) -> dict[str, Element]:
    """A tree of LibreOffice, which tells of its root pane at the place; really it is at (0, 44), as the toolkit says."""
    x, y = place
    drawn = node("panel", "", (x + 100, y + 50, 80, 30), node("panel", "", (100, 94, 80, 30), node("text", "true", (104, 96, 60, 20))))
    sheet = node("table-cell", "told", (x + 200, y + 50, 60, 20))
    return of_linux(
        node("frame", "w", (0, 0, 800, 600), node("panel", "", (0, 44, 800, 500), node("root-pane", "", (x, y, 800, 500), drawn + sheet)))
    )


@pytest.mark.parametrize("place", [(0, 19), (9, 45), (0, 44)])
def test_places_of_libreoffice_are_right_wherever_it_believes_its_window_to_be(place: tuple[int, int]) -> None:
    """Found by playing: after a jump by the Name Box every place was 9 pixels off."""
    found = libreoffice(place)
    assert (found["told"].box, found["true"].box) == ((200, 94, 60, 20), (104, 96, 60, 20))


def test_places_in_a_preview_are_counted_from_its_corner() -> None:
    cells = node("text", "Standard", (0, 0, 64, 16)) + node("text", "Name", (0, 16, 64, 16))
    found = of_linux(node("frame", "w", (0, 0, 800, 600), node("table", "Preview", (311, 517, 400, 60), cells)))
    assert (found["Standard"].box, found["Name"].box) == ((311, 517, 64, 16), (311, 533, 64, 16))


def test_an_element_without_a_name_is_described_by_its_tooltip_or_by_what_it_stands_in() -> None:
    button = node("push-button", "", (0, 0, 20, 20), more='description="Stop playback"')
    bar = node("tool-bar", "Styles", (30, 0, 24, 24), node("toggle-button", "", (32, 2, 20, 20)))
    far = node("tool-bar", "Wide", (0, 100, 900, 24), node("push-button", "", (0, 102, 20, 20)))
    choice = node(
        "combo-box", "Font Name", (0, 200, 200, 24), node("text", "Font Name", (0, 200, 172, 24)) + node("toggle-button", "", (172, 200, 28, 24))
    )
    found = read_elements(f'<desktop-frame {UBUNTU}><application name="a">{button}{bar}{far}{choice}</application></desktop-frame>', SCREEN)
    assert [one.label for one in found if one.role.endswith("button")] == ["Stop playback", "Styles", "", "Font Name"]
