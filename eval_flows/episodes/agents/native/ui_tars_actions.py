"""UI-TARS's published action format: `Thought: ...` and `Action: click(start_box='(x,y)')`, one call or several apart by empty lines.

The code is read and never run. Boxes may stand between its special tokens, have four numbers (then their middle is meant), or be a `<point>`.
"""

import ast
import re
from typing import Any

from eval_flows.episodes.agents.asking_people import question
from eval_flows.episodes.agents.native.places import Places, Share, combination_of, pressed
from eval_flows.episodes.environment import DONE, FAIL, WAIT
from machines.actions import Action, MalformedAction
from machines.hands import drag_along

_CLICKS = {"click": "single_click", "left_single": "single_click", "left_double": "double_click", "right_single": "right_click"}
_DRAGS, _PRESSES = {"drag", "select"}, {"hotkey", "press"}
_NAMES = "click, left_double, right_single, drag, hotkey, type, scroll, wait, finished, call_user"
_IMPOSSIBLE = "impossible"  # the content of `finished` that says so, where `call_user` asks a person
_STEPS = 5  # of the wheel
_WAIT_SECONDS = 5.0
_CODE = re.compile(r"Action:\s*(.*)", re.DOTALL)
_WRITTEN = re.compile(r"(type|call_user|finished)\(\s*content\s*=\s*(['\"])(.*)\2\s*\)", re.DOTALL)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_OTHER_ARGUMENTS = {"point": "start_box", "start_point": "start_box", "end_point": "end_box", "hotkey": "key", "press": "key"}


def thought_of(text: str) -> str:
    """Return what a model thought before it acted."""
    return text.split("Action:", maxsplit=1)[0].strip().removeprefix("Thought:").strip()


def ui_tars_actions(text: str, places: Places, asks_people: bool = False) -> list[Action]:
    """Return the actions of an answer; `MalformedAction` says to the model what is wrong.

    `call_user` says that the task is impossible. With `asks_people` it asks a person, with its content, or the thought if it has none.
    """
    found = _CODE.search(text)
    code = (found[1] if found else "").strip().strip("`").strip()
    if not code:
        raise MalformedAction("the answer has no line `Action: ...`")
    calls = _calls(code)
    if not asks_people:
        return [action for name, arguments in calls for action in _actions(name, arguments, places)]
    thought = thought_of(text)
    return [action for name, arguments in calls for action in _of_people(name, arguments, thought) or _actions(name, arguments, places)]


def _calls(code: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the names and the arguments of the calls. A text may hold quotes and line breaks as they are."""
    try:
        return [_call(statement) for statement in ast.parse(code).body]
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        if written := _WRITTEN.fullmatch(code):
            return [(written[1], {"content": written[3].replace("\\n", "\n").replace("\\'", "'").replace('\\"', '"')})]
        raise MalformedAction(f"the action cannot be read: {error}") from None


def _call(statement: ast.stmt) -> tuple[str, dict[str, Any]]:
    match statement:
        case ast.Expr(ast.Call(func=ast.Name(name), args=[], keywords=keywords)):
            try:
                given = {str(one.arg): ast.literal_eval(one.value) for one in keywords}
            except (ValueError, TypeError):
                raise MalformedAction(f"{name}: its arguments are no literal values") from None
            return name, {_OTHER_ARGUMENTS.get(key, key): value for key, value in given.items()}
    raise MalformedAction(f"line {statement.lineno} is no call of an action such as click(start_box='(100,200)')")


def _of_people(name: str, given: dict[str, Any], thought: str) -> list[Action]:
    """Return what a call means only where a person can be asked; nothing if it means the same everywhere."""
    if name == "call_user":
        return [question(thought, given.get("content") or thought)]
    is_impossible = name == "finished" and str(given.get("content")).strip(" .!").lower() == _IMPOSSIBLE
    return [FAIL] if is_impossible else []


def _actions(name: str, given: dict[str, Any], places: Places) -> list[Action]:
    if name in _CLICKS:
        x, y = _place(name, given, "start_box", places)
        return [Action(_CLICKS[name], {"x": x, "y": y})]
    if name in _DRAGS:
        return [drag_along([_place(name, given, box, places) for box in ("start_box", "end_box")])]
    if name in _PRESSES:
        return [pressed(combination_of(_text(name, given, "key").split()))]
    return _other(name, given, places)


def _other(name: str, given: dict[str, Any], places: Places) -> list[Action]:
    match name:
        case "type":
            return [Action("write", {"text": _text(name, given, "content")})]
        case "scroll":
            place = dict(zip("xy", _place(name, given, "start_box", places), strict=True)) if "start_box" in given else {}
            return [Action("scroll", {"direction": _text(name, given, "direction"), "amount": _STEPS, **place})]
        case "wait":
            return [Action(WAIT.name, {"seconds": _WAIT_SECONDS})]
        case "finished" | "call_user":
            return [DONE if name == "finished" else FAIL]
    raise MalformedAction(f"there is no action '{name[:40]}'; there are {_NAMES}")


def _text(name: str, given: dict[str, Any], key: str) -> str:
    if not isinstance(given.get(key), str):
        raise MalformedAction(f"{name} lacks the text {key}")
    return str(given[key])


def _place(name: str, given: dict[str, Any], key: str, places: Places) -> Share:
    """Return the middle of a box as shares of the screen."""
    numbers = [float(number) for number in _NUMBER.findall(re.sub(r"<[^>]*>", " ", str(given.get(key, ""))))]
    if len(numbers) not in (2, 4):
        raise MalformedAction(f"{name} lacks {key}: write it as (x,y)")
    left, top, right, bottom = numbers if len(numbers) == 4 else numbers * 2
    return places.share((left + right) / 2, (top + bottom) / 2)
