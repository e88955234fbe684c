"""Protects the formats of native computer use: what tools of models emit becomes the same calls of the guest, and what cannot be is told to the model."""

import json
from typing import Any

import pytest
from anthropic.types import ComputerToolUseBlock
from hypothesis import given
from hypothesis import strategies as st
from openai.types.responses import ComputerAction
from pydantic import TypeAdapter

from eval_flows.episodes.agents.action_spaces.native import Native, native_actions
from eval_flows.episodes.agents.native.places import Places, combination_of, largest, resized, size_of
from eval_flows.episodes.agents.native.ui_tars_actions import thought_of, ui_tars_actions
from eval_flows.episodes.environment import DONE, FAIL, WAIT
from machines.actions import Action, MalformedAction, for_guest
from machines.guest.keys import combination
from machines.hands import HANDS, for_hands
from tests.eval_flows.episodes.agents.test_agents import picture

SCREEN = (1280, 800)
PLACES = Places(*SCREEN)
MOVE = {"name": "move", "x": 640, "y": 400}


def guest(actions: list[Action], screen: tuple[int, int] = SCREEN) -> list[dict[str, Any]]:
    """What the guest is told."""
    return [one for action in actions for one in (for_hands(action, screen) if action.name in HANDS else for_guest(action, [], screen))]


OPENAI = [
    ({"type": "click", "button": "left", "x": 640, "y": 400}, [MOVE, {"name": "single_click"}]),
    ({"type": "click", "button": "right", "x": 640, "y": 400, "keys": ["CTRL", "SHIFT"]}, [MOVE, {"name": "right_click", "keys": "ctrl+shift"}]),
    ({"type": "click", "button": "wheel", "x": 640, "y": 400}, [MOVE, {"name": "middle_click"}]),
    ({"type": "click", "button": "back", "x": 640, "y": 400}, [MOVE, {"name": "press", "combination": "alt+left"}]),
    ({"type": "double_click", "x": 640, "y": 400}, [MOVE, {"name": "double_click"}]),
    ({"type": "move", "x": 640, "y": 400}, [MOVE]),
    (
        {"type": "drag", "path": [{"x": 0, "y": 0}, {"x": 10, "y": 20}, {"x": 1279, "y": 799}], "keys": ["ALT"]},
        [{"name": "drag_along", "path": [(0, 0), (10, 20), (1279, 799)], "keys": "alt"}],
    ),
    ({"type": "scroll", "x": 640, "y": 400, "scroll_x": 0, "scroll_y": 300}, [MOVE, {"name": "scroll", "direction": "down", "clicks": 3}]),
    ({"type": "scroll", "x": 640, "y": 400, "scroll_x": -20, "scroll_y": 0}, [MOVE, {"name": "scroll", "direction": "left", "clicks": 1}]),
    ({"type": "keypress", "keys": ["CTRL", "S"]}, [{"name": "press", "combination": "ctrl+S"}]),
    ({"type": "keypress", "keys": ["ARROWDOWN"]}, [{"name": "press", "combination": "down"}]),
    ({"type": "type", "text": "a\nb"}, [{"name": "write", "text": "a\nb"}]),
    ({"type": "screenshot"}, []),
]
ANTHROPIC = [
    ({"action": "left_click", "coordinate": [640, 400], "text": "ctrl"}, [MOVE, {"name": "single_click", "keys": "ctrl"}]),
    ({"action": "left_click"}, [{"name": "single_click"}]),
    ({"action": "middle_click", "coordinate": [640, 400]}, [MOVE, {"name": "middle_click"}]),
    ({"action": "triple_click", "coordinate": [640, 400]}, [MOVE, {"name": "triple_click"}]),
    ({"action": "mouse_move", "coordinate": [640, 400]}, [MOVE]),
    ({"action": "left_click_drag", "start_coordinate": [1, 2], "coordinate": [3, 4]}, [{"name": "drag_along", "path": [(1, 2), (3, 4)]}]),
    ({"action": "left_mouse_down"}, [{"name": "mouse_down"}]),
    ({"action": "left_mouse_up"}, [{"name": "mouse_up"}]),
    (
        {"action": "scroll", "coordinate": [640, 400], "scroll_direction": "up", "scroll_amount": 5, "text": "shift"},
        [MOVE, {"name": "scroll", "direction": "up", "clicks": 5, "keys": "shift"}],
    ),
    ({"action": "key", "text": "ctrl+shift+Escape"}, [{"name": "press", "combination": "ctrl+shift+escape"}]),
    ({"action": "key", "text": "Page_Down", "repeat": 2}, [{"name": "press", "combination": "page_down"}] * 2),
    ({"action": "key", "text": "Down Return"}, [{"name": "press", "combination": "down"}, {"name": "press", "combination": "return"}]),
    ({"action": "hold_key", "text": "w", "duration": 2}, [{"name": "hold_key", "combination": "w", "seconds": 2}]),
    ({"action": "type", "text": "é"}, [{"name": "write", "text": "é"}]),
    ({"action": "screenshot"}, []),
    ({"action": "zoom", "region": [0, 0, 100, 100]}, []),
]


@pytest.mark.parametrize(("emitted", "done"), [*OPENAI, *ANTHROPIC], ids=lambda value: json.dumps(value)[:60])
def test_what_a_tool_emits_is_done_by_the_guest(emitted: dict[str, Any], done: list[dict[str, Any]]) -> None:
    assert guest(native_actions(emitted, PLACES)) == done
    if "action" in emitted:
        call = {"id": "t", "caller": {"type": "direct"}, "toolset_name": "computer", "type": "tool_use"}
        given = {"name": emitted["action"], "input": {name: value for name, value in emitted.items() if name != "action"}}
        TypeAdapter(ComputerToolUseBlock).validate_python({**call, **given})
    else:
        TypeAdapter(ComputerAction).validate_python(emitted)


def test_waits_are_those_of_the_environment() -> None:
    assert native_actions({"type": "wait"}, PLACES) == [WAIT]
    assert native_actions({"action": "wait", "duration": 2}, PLACES) == [Action("WAIT", {"seconds": 2})]


@pytest.mark.parametrize(
    ("emitted", "said"),
    [
        ({"type": "click", "x": 1}, "click: y: Field required"),
        ({"type": "click", "x": "5", "y": 1}, "click: x: Input should be a valid number"),
        ({"type": "click", "x": 1281, "y": 1}, r"\(1281, 1\) is outside the picture, which has 1280 x 800 pixels"),
        ({"type": "click", "x": 1, "y": -1}, "is outside the picture"),
        ({"type": "fly"}, "fly: Input tag 'fly' found using 'type' does not match any of the expected tags: 'click', 'double_click'"),
        ({"type": "drag", "path": [{"x": 1, "y": 1}]}, "drag: path: List should have at least 2 items"),
        ({"type": "move", "x": 1, "y": 1, "keys": ["SHIFT"]}, "move holds no keys"),
        ({"action": "left_click", "coordinate": [1]}, "left_click: coordinate: List should have at least 2 items"),
        ({"action": "scroll", "scroll_direction": "in", "scroll_amount": 1}, "scroll: scroll_direction"),
        ({"action": "key", "text": "a", "repeat": 51}, "key: repeat"),
        ({"action": "key", "text": "a", "extra": 1}, "key: extra: Extra inputs"),
        ({"action": "zoom", "region": [0, 0, 2000, 5]}, "outside the picture"),
        ([1], r"\[1\] is no action"),
        ("click", '"click" is no action'),
    ],
)
def test_a_malformed_one_is_told(emitted: Any, said: str) -> None:
    with pytest.raises(MalformedAction, match=said):
        native_actions(emitted, PLACES)


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "action", "x", "y", "coordinate", "text"]), inner, max_size=4)
        ),
    )
)
def test_no_emitted_thing_is_more_than_malformed(emitted: Any) -> None:
    try:
        native_actions(emitted, PLACES)
    except MalformedAction as error:
        assert str(error)


@given(st.integers(200, 4000), st.integers(200, 4000), st.floats(0, 1), st.floats(0, 1))
def test_a_place_in_a_smaller_picture_is_the_same_place_on_the_screen(width: int, height: int, right: float, down: float) -> None:
    made = largest((width, height), 1568, 28, 1568)
    assert max(made) <= 1568 and -(-made[0] // 28) * -(-made[1] // 28) <= 1568
    x, y = (share * (side - 1) for share, side in zip((right, down), made, strict=True))
    (moved,) = guest(native_actions({"type": "move", "x": x, "y": y}, Places(*made)), (width, height))
    assert abs(moved["x"] - right * (width - 1)) <= 1 and abs(moved["y"] - down * (height - 1)) <= 1


def test_pictures_are_made_smaller_only_if_they_are_too_large() -> None:
    file = picture("white")
    assert resized(file, (100, 80)) is file and size_of(resized(file, (50, 40))) == (50, 40)
    assert largest((1280, 800), 1568, 28, 1568) == (1280, 800)


def test_names_of_keys_of_all_tools_are_known() -> None:
    for name in ("CTRL", "Control_L", "ALT", "SHIFT", "CMD", "META", "ENTER", "Return", "ESC", "Escape", "BACKSPACE", "BackSpace", "ARROWUP", "Up", "PAGEDOWN",
                 "Page_Down", "Prior", "SPACE", "space", "DELETE", "HOME", "END", "TAB", "F5", "KP_0", "KP_Enter", "super", "Super_L", "+", "a", "/"):  # fmt: skip
        assert combination(combination_of([name])), name
    assert combination_of(["CTRL", "+"]) == "ctrl+plus" and combination_of(["ctrl+shift+T"]) == "ctrl+shift+T"


def test_a_text_model_writes_the_same_actions_with_places_in_thousandths() -> None:
    space = Native()
    lines = '{"action": "triple_click", "coordinate": [500, 500]}\n\n{"type": "type", "text": "250"}'
    assert guest(space.read(lines)) == [{"name": "move", "x": 640, "y": 400}, {"name": "triple_click"}, {"name": "write", "text": "250"}]
    assert space.read(json.dumps([json.loads(line) for line in lines.splitlines() if line])) == space.read(lines)
    assert guest(space.read('{"type": "move",\n "x": 1000, "y": 1000}')) == [{"name": "move", "x": 1279, "y": 799}]
    for line in space.told([]).splitlines():
        assert space.read(line)
    assert space.read(space.example) and space.needs == HANDS
    for code, said in (
        ("", "holds 0 actions"),
        ("click", "line 1 is no JSON"),
        ('{"type": "screenshot"}\n{', "line 2 is no JSON"),
        ("[1]", "1 is no action"),
    ):
        with pytest.raises(MalformedAction, match=said):
            space.read(code)


@pytest.mark.parametrize(
    ("action", "done"),
    [
        ("click(start_box='<|box_start|>(640,400)<|box_end|>')", [MOVE, {"name": "single_click"}]),
        ("click(start_box='(640,400)')", [MOVE, {"name": "single_click"}]),
        ("left_double(start_box='[600, 380, 680, 420]')", [MOVE, {"name": "double_click"}]),
        ("right_single(point='<point>640 400</point>')", [MOVE, {"name": "right_click"}]),
        ("drag(start_box='(1,2)', end_box='(3,4)')", [{"name": "drag_along", "path": [(1, 2), (3, 4)]}]),
        ("hotkey(key='ctrl shift s')", [{"name": "press", "combination": "ctrl+shift+s"}]),
        ("type(content='it\\'s\\n')", [{"name": "write", "text": "it's\n"}]),
        ("type(content='it's \"so\"')", [{"name": "write", "text": 'it\'s "so"'}]),
        ("scroll(start_box='(640,400)', direction='down')", [MOVE, {"name": "scroll", "direction": "down", "clicks": 5}]),
        ("click(start_box='(640,400)')\n\nhotkey(key='enter')", [MOVE, {"name": "single_click"}, {"name": "press", "combination": "enter"}]),
    ],
)
def test_the_format_of_ui_tars_is_done_by_the_guest(action: str, done: list[dict[str, Any]]) -> None:
    assert guest(ui_tars_actions(f"Thought: I do it.\nAction: {action}", PLACES)) == done


def test_ui_tars_ends_waits_and_is_told_what_is_malformed() -> None:
    assert ui_tars_actions("Action: finished(content='so')", PLACES) == [DONE] and ui_tars_actions("Action: call_user()", PLACES) == [FAIL]
    assert (
        ui_tars_actions("Thought: Hm.\nAction: wait()", PLACES) == [Action("WAIT", {"seconds": 5.0})]
        and thought_of("Thought: Hm.\nAction: wait()") == "Hm."
    )
    for text, said in (
        ("I would click.", "no line `Action"),
        ("Action: click()", "click lacks start_box"),
        ("Action: click(start_box='(1,2,3)')", "click lacks start_box"),
        ("Action: fly(high=True)", "there is no action 'fly'; there are click, left_double"),
        ("Action: import os", "line 1 is no call"),
        ("Action: click(start_box=f())", "no literal values"),
        ("Action: hotkey()", "hotkey lacks the text key"),
        ("Action: click((", "cannot be read"),
        ("Action: click(start_box='(5000,2)')", "outside the picture"),
    ):
        with pytest.raises(MalformedAction, match=said):
            ui_tars_actions(text, PLACES)


@given(st.text(max_size=80))
def test_no_text_is_more_than_malformed_to_ui_tars(text: str) -> None:
    try:
        ui_tars_actions(f"Action: {text}", PLACES)
    except MalformedAction as error:
        assert str(error)
