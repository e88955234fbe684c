"""Protects the reading of what agents write: the actions of Table 8 and nothing else, never run as code, whatever the text."""

import ast
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from machines.actions import ACTIONS, Action, MalformedAction, for_guest, read_actions
from machines.observation import Element

SCREEN = (1280, 800)
BUTTON = Element(7, "push button", "Save", "", None, frozenset({"focusable"}), (100, 40, 61, 21), "Editor", "mousepad")
OF_EACH: dict[str, dict[str, Any]] = {
    "move_id": {"id": 7},
    "move_abs": {"x": 0.25, "y": 1},
    "single_click": {},
    "double_click": {"id": 7},
    "triple_click": {"id": 7},
    "right_click": {},
    "scroll": {"direction": "down", "amount": 5, "id": 7},
    "drag": {"x": 0.5, "y": 0.5},
    "write": {"text": "Zoë said: 'no'\n\"#1\"\t\\"},
    "press": {"key": "ctrl+shift+s"},
    "copy_text": {"text": ""},
    "copy_image": {"id": 7, "description": "a button"},
    "paste": {},
    "open_program": {"program": "mousepad"},
    "switch_to_app": {"window": "Editor"},
}
MODULES = ["", "computer.", "mouse.", "computer.mouse.", "computer.keyboard.", "computer.clipboard.", "computer.os.", "computer.window_manager."]


def read(code: str) -> Action:
    (action,) = read_actions(code)
    return action


def test_every_action_has_an_example_here() -> None:
    assert set(OF_EACH) == set(ACTIONS)


@pytest.mark.parametrize("module", MODULES)
@pytest.mark.parametrize("name", ACTIONS)
def test_every_action_reads_with_and_without_its_module_by_place_and_by_name(name: str, module: str) -> None:
    wanted = Action(name, OF_EACH[name])
    assert read(f"{module}{name}({', '.join(f'{key}={value!r}' for key, value in wanted.arguments.items())})") == wanted
    assert read(f"{module}{name}({', '.join(repr(value) for value in wanted.arguments.values())})") == wanted
    assert read(str(wanted)) == wanted, "an action as an agent is told of it reads as the same"


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("computer.window_manager.switch_to_application(name='Editor')", Action("switch_to_app", {"window": "Editor"})),
        ("switch_to_app(win='Editor')", Action("switch_to_app", {"window": "Editor"})),
        ("computer.mouse.scroll(dir='up')", Action("scroll", {"direction": "up"})),
        ("computer.keyboard.write(string='x')", Action("write", {"text": "x"})),
        ("open_program(prog='thunar')", Action("open_program", {"program": "thunar"})),
        ("copy_image(7)", Action("copy_image", {"id": 7})),
        ("computer.mouse.triple_click()", Action("triple_click", {})),
        ("single_click(x=0.2, y=0.4, keys='ctrl+shift')", Action("single_click", {"x": 0.2, "y": 0.4, "keys": "ctrl+shift"})),
        ("scroll('down', 5)", Action("scroll", {"direction": "down", "amount": 5})),
        ("scroll('down', x=0.5, y=0.5)", Action("scroll", {"direction": "down", "x": 0.5, "y": 0.5})),
        ("move_abs(0.5,\n         y=0)  # the top", Action("move_abs", {"x": 0.5, "y": 0})),
        ("write('one ' 'text')", Action("write", {"text": "one text"})),
        ("# first\n\nsingle_click()", Action("single_click", {})),
    ],
)
def test_other_names_and_ways_of_writing_read_too(code: str, wanted: Action) -> None:
    assert read(code) == wanted


def test_a_block_holds_its_actions_in_order() -> None:
    assert read_actions("computer.mouse.move_id(id=7); single_click()\nwrite('x')\n") == [
        Action("move_id", {"id": 7}), Action("single_click", {}), Action("write", {"text": "x"}),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("", "holds no action"),
        ("# nothing but words", "holds no action"),
        ("move_id(id=", "cannot be read"),
        ("single_click()\x00", "cannot be read"),
        ("explode()", "there is no action 'explode'; there are move_id, move_abs"),
        ("single_click", "line 1 is no call"),
        ("'text'", "line 1 is no call"),
        ("single_click()\nimport os", "line 2 is no call"),
        ("x = single_click()", "is no call"),
        ("for i in range(3): single_click()", "is no call"),
        ("while True: single_click()", "is no call"),
        ("def write(text): pass", "is no call"),
        ("lambda: single_click()", "is no call"),
        ("[single_click() for _ in range(3)]", "is no call"),
        ("await single_click()", "is no call"),
        ("single_click() or write('x')", "is no call"),
        ("os.system('rm -rf /')", "there is no action 'os.system'"),
        ("__import__('os').write('x')", "there is no action"),
        ("open('/etc/passwd').write('x')", "there is no action"),
        ("''.__class__.__mro__[1].write('x')", "there is no action"),
        ("subprocess.press('x')", "there is no action 'subprocess.press'"),
        ("computer.__class__.write('x')", "there is no action"),
        ("actions['write']('x')", "there is no action"),
        ("computer.mouse.single_click()()", "there is no action"),
        ("write(f'{1}')", "is no literal value"),
        ("write('a' + 'b')", "is no literal value"),
        ("write('a' * 10**9)", "is no literal value"),
        ("write(text)", "text is no literal value"),
        ("write(str(1))", "is no literal value"),
        ("write(*['x'])", "is no literal value"),
        ("write(**{'text': 'x'})", "no argument None"),
        ("write((yield))", "is no literal value"),
        ("write(b'x')", "text is a text of whole characters, which this bytes is not"),
        ("write(5)", "write: text is a text"),
        ("write(None)", "write: text is a text"),
        ("write('\\ud83d')", "write: text is a text of whole characters"),
        ("move_id('7')", "move_id: id is a whole number"),
        ("move_id(7.0)", "move_id: id is a whole number"),
        ("move_id(True)", "move_id: id is a whole number"),
        ("move_abs(True, False)", "move_abs: x is a number"),
        ("move_abs(1j, 0)", "move_abs: x is a number"),
        ("move_abs(1e999, 0)", "move_abs: x is a number"),
        ("move_id(1" + "0" * 5000 + ")", "cannot be read"),
        ("move_id(0x" + "f" * 5000 + ")", "move_id: id is a whole number of at most 1000000"),
        ("write(0x" + "f" * 5000 + " + 1)", "no literal value"),
        ("move_abs(0.5)", "move_abs lacks y"),
        ("write()", "write lacks text"),
        ("paste(3)", "paste takes 0 arguments, not 1"),
        ("paste(text='x')", "paste has no argument text; it takes none"),
        ("single_click(button='right')", "single_click has no argument button; it takes id, x, y, keys"),
        ("single_click(0.2, 0.4)", "single_click: id is a whole number"),
        ("single_click(id=7, x=0.2, y=0.4)", "single_click: give either id, or x and y, or none of them to act at the pointer; not id, x, y"),
        ("single_click(id=7, y=0.4)", "not id, y"),
        ("triple_click(x=0.2)", "not x"),
        ("scroll('down', y=0.2)", "scroll: give either id, or x and y"),
        ("scroll('down', key='ctrl')", "scroll has no argument key; it takes direction, amount, id, x, y, keys"),
        ("right_click(keys=5)", "right_click: keys is a text"),
        ("scroll('down', 2.5)", "scroll: amount is a whole number"),
        ("write('a', text='b')", "write: text is given twice"),
        ("write(text='a', text='b')", "write: text is given twice"),
        ("scroll(dir='up', direction='down')", "scroll: direction is given twice"),
        ("a" + ".a" * 2000 + ".write('x')", "there is no action"),
        ("single_click()\n" * 51, "the code holds 51 actions; at most 50"),
        ("write(" + "1+" * 2000 + "1)", "no literal value"),
        ("write(" + "-" * 50_000 + "1)", ""),
        ("(" * 50_000 + ")" * 50_000, ""),
    ],
)
def test_everything_else_is_malformed_and_the_agent_is_told_why(code: str, said: str) -> None:
    with pytest.raises(MalformedAction) as error:
        read_actions(code)
    assert said in str(error.value)
    assert len(str(error.value)) < 1000, "an agent's own text is not told back to it whole"


def test_one_line_that_is_no_action_spoils_the_block() -> None:
    with pytest.raises(MalformedAction, match="line 2"):
        read_actions("single_click()\nprint('x')\nwrite('x')")


NAMES = st.sampled_from([*ACTIONS, "switch_to_application", "eval", "__import__", "system"])
LITERALS = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(), lambda inner: st.lists(inner, max_size=3))
CALLS = st.builds(
    lambda module, name, places, named: f"{module}{name}({', '.join([*map(repr, places), *(f'{key}={value!r}' for key, value in named.items())])})",
    st.sampled_from([*MODULES, "().", "''.__class__.", "subprocess."]),
    NAMES,
    st.lists(LITERALS, max_size=3),
    st.dictionaries(st.sampled_from(["id", "x", "y", "text", "key", "keys", "amount", "dir", "win", "string", "program"]), LITERALS, max_size=2),
)


@settings(max_examples=400, deadline=None)
@given(st.text() | CALLS | st.lists(CALLS | st.text(max_size=20), max_size=4).map("\n".join) | st.text(alphabet="()[]{}.,'\"=:*#\\ \n1aefjx_-+~"))
def test_whatever_the_text_there_are_sound_actions_or_it_is_malformed(code: str) -> None:
    try:
        actions = read_actions(code)
    except MalformedAction as error:
        str(error).encode()  # it can be sent and kept
        return
    assert actions and all(action.name in ACTIONS for action in actions)
    for action in actions:
        assert set(action.arguments) <= set(ACTIONS[action.name])
        assert all(isinstance(value, int | float | str) and not isinstance(value, bool) for value in action.arguments.values())
        str(action).encode()
        assert read(str(action)) == action
        assert isinstance(ast.parse(code), ast.Module)


@given(st.floats(0, 1) | st.integers(0, 1), st.floats(0, 1) | st.integers(0, 1), st.sampled_from(["move_abs", "drag"]))
def test_shares_become_pixels_within_the_screen(x: float, y: float, name: str) -> None:
    (asked,) = for_guest(Action(name, {"x": x, "y": y}), [], SCREEN)
    assert asked["name"] == {"move_abs": "move", "drag": "drag"}[name]
    assert 0 <= asked["x"] < SCREEN[0] and 0 <= asked["y"] < SCREEN[1] and isinstance(asked["x"], int) and isinstance(asked["y"], int)


def test_the_corners_are_the_first_and_the_last_pixels() -> None:
    assert for_guest(Action("move_abs", {"x": 0, "y": 0.0}), [], SCREEN) == [{"name": "move", "x": 0, "y": 0}]
    assert for_guest(Action("drag", {"x": 1, "y": 1.0}), [], SCREEN) == [{"name": "drag", "x": 1279, "y": 799}]


@pytest.mark.parametrize(
    ("action", "said"),
    [
        (Action("move_abs", {"x": 1.01, "y": 0}), "places are shares of the screen from 0 to 1"),
        (Action("drag", {"x": 640, "y": 400}), "places are shares of the screen"),
        (Action("move_abs", {"x": 0, "y": -0.5}), "places are shares of the screen"),
        (Action("move_abs", {"x": float("nan"), "y": 0}), "places are shares of the screen"),
        (Action("move_id", {"id": 8}), "there is no element with the id 8 on the screen"),
        (Action("copy_image", {"id": 0}), "there is no element with the id 0"),
        (Action("scroll", {"direction": "sideways"}), "direction is up, down, left or right"),
        (Action("scroll", {"direction": "up", "amount": 0}), "amount is a number of steps of the wheel from 1 to 50, not 0"),
        (Action("scroll", {"direction": "up", "amount": 51}), "from 1 to 50, not 51"),
        (Action("scroll", {"direction": "up", "id": 8}), "no element with the id 8"),
        (Action("triple_click", {"id": 8}), "no element with the id 8"),
        (Action("single_click", {"x": 1.5, "y": 0}), "single_click: places are shares of the screen"),
        (Action("single_click", {"keys": "ctrl+hyper"}), "'hyper' cannot be held at a click; there are ctrl, shift, alt, joined by [+]"),
        (Action("single_click", {"keys": "a"}), "'a' cannot be held"),
        (Action("single_click", {"keys": ""}), "'' cannot be held"),
    ],
)
def test_places_out_of_range_and_ids_not_on_the_screen_are_malformed(action: Action, said: str) -> None:
    with pytest.raises(MalformedAction, match=said):
        for_guest(action, [BUTTON], SCREEN)


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("move_id(7)", {"name": "move", "x": 130, "y": 50}),
        ("copy_image(7, 'a button')", {"name": "copy_image", "x": 100, "y": 40, "width": 61, "height": 21}),
        ("scroll('Down')", {"name": "scroll", "direction": "down"}),
        ("press('ctrl+s')", {"name": "press", "combination": "ctrl+s"}),
        ("write('x')", {"name": "write", "text": "x"}),
        ("switch_to_application('Editor')", {"name": "switch_to_app", "window": "Editor"}),
        ("paste()", {"name": "paste"}),
    ],
)
def test_the_guest_is_asked_in_pixels_and_in_its_own_words(code: str, wanted: dict[str, Any]) -> None:
    assert for_guest(read(code), [BUTTON], SCREEN) == [wanted]


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("triple_click(id=7)", [{"name": "move", "x": 130, "y": 50}, {"name": "triple_click"}]),
        ("single_click(x=1, y=0, keys='ctrl+shift')", [{"name": "move", "x": 1279, "y": 0}, {"name": "single_click", "keys": "ctrl+shift"}]),
        ("right_click(keys='alt')", [{"name": "right_click", "keys": "alt"}]),
        ("scroll('left', id=7)", [{"name": "move", "x": 130, "y": 50}, {"name": "scroll", "direction": "left"}]),
        ("scroll('up', 5)", [{"name": "scroll", "direction": "up", "clicks": 5}]),
    ],
)
def test_the_pointer_moves_to_the_place_of_a_click_and_of_the_wheel_first(code: str, wanted: list[dict[str, Any]]) -> None:
    assert for_guest(read(code), [BUTTON], SCREEN) == wanted
