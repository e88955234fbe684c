"""The unified action space of ProSoftArena (Table 8) as agents write it, read strictly and turned into what a guest does.

Clicks and the wheel act at the pointer, or at an element or a place that they name: then the pointer moves there first.

An agent's code is never run. It is read as calls of these functions with literal arguments; anything else in it makes it malformed.
"""

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from machines.guest.keys import UnknownKey, combination, held, key_of
from machines.observation import Element

Json = dict[str, Any]
Screen = tuple[int, int]


class MalformedAction(ValueError):
    """The agent's text is not an action; the message tells the agent why."""


@dataclass(frozen=True)
class Action:
    """An action by its name in Table 8, with its arguments by name."""

    name: str
    arguments: Mapping[str, Any]

    def __str__(self) -> str:
        """Return the action as an agent writes it."""
        return f"{self.name}({', '.join(f'{key}={value!r}' for key, value in self.arguments.items())})"


_Number = (int, float)
_AT: Mapping[str, type | tuple[type, ...]] = {"id": int, "x": _Number, "y": _Number}
_CLICK: Mapping[str, type | tuple[type, ...]] = {**_AT, "keys": str}
# Name in Table 8: the names of its arguments and their types. Drag is Windows Agent Arena's; hotkeys are combinations that `press` takes.
# The triple click, and what a click and the wheel take, are ours.
ACTIONS: Mapping[str, Mapping[str, type | tuple[type, ...]]] = {
    "move_id": {"id": int},
    "move_abs": {"x": _Number, "y": _Number},
    "single_click": _CLICK,
    "double_click": _CLICK,
    "triple_click": _CLICK,
    "right_click": _CLICK,
    "scroll": {"direction": str, "amount": int, **_CLICK},
    "drag": {"x": _Number, "y": _Number},
    "write": {"text": str},
    "press": {"key": str},
    "copy_text": {"text": str},
    "copy_image": {"id": int, "description": str},
    "paste": {},
    "open_program": {"program": str},
    "switch_to_app": {"window": str},
}
RUN_CODE = "run_code"  # code of an agent, which runs on the machine and calls the actions above; not every machine offers it
_OTHER_NAMES = {"switch_to_application": "switch_to_app"}
_OTHER_ARGUMENTS = {
    ("scroll", "dir"): "direction",
    ("write", "string"): "text",
    ("open_program", "prog"): "program",
    ("switch_to_app", "win"): "window",
    ("switch_to_app", "name"): "window",
}
_CLICKS = ("single_click", "double_click", "triple_click", "right_click")
_AT_A_PLACE = (*_CLICKS, "scroll")
_OPTIONAL = frozenset({
    ("copy_image", "description"),
    ("scroll", "amount"),
    *((name, key) for name in _AT_A_PLACE for key in _AT),
    *((name, "keys") for name in _AT_A_PLACE),
})  # fmt: skip
_MODULES = frozenset({"computer", "mouse", "keyboard", "clipboard", "os", "window_manager"})
_LARGEST_NUMBER = 1_000_000
_SHOWN = 80  # characters of the agent's text that a message repeats
_MOST_AT_ONCE = 50  # actions of one decision
_MOST_STEPS = 50  # of the wheel


def read_actions(code: str) -> list[Action]:
    """Return the actions that a block of code calls, in order; `MalformedAction` with the line if the code holds anything else."""
    try:
        body = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise MalformedAction(f"the code cannot be read: {error}") from None
    if not body:
        raise MalformedAction("the code holds no action")
    if len(body) > _MOST_AT_ONCE:
        raise MalformedAction(f"the code holds {len(body)} actions; at most {_MOST_AT_ONCE} are carried out at once")
    return [_action(statement) for statement in body]


def _action(statement: ast.stmt) -> Action:
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        raise MalformedAction(f"line {statement.lineno} is no call of an action: only calls such as computer.mouse.move_id(id=3) are carried out")
    call = statement.value
    try:
        name = _name_of(_dotted(call.func), _shown(call.func))
    except MalformedAction as error:
        raise MalformedAction(f"line {statement.lineno}: {error}") from None
    return made(name, [_literal(argument) for argument in call.args], [(str(pair.arg), _literal(pair.value)) for pair in call.keywords])


def called(path: str, given: Sequence[Any], named: Mapping[str, Any]) -> Action:
    """Return the action that code calls by a path such as `computer.mouse.move_id`; `MalformedAction` if there is none, or it does not fit."""
    return made(_name_of(path.split("."), path[:_SHOWN]), given, named.items())


def _name_of(path: Sequence[str], shown: str) -> str:
    *modules, name = path
    name = _OTHER_NAMES.get(name, name)
    if name not in ACTIONS or not set(modules) <= _MODULES:
        raise MalformedAction(f"there is no action '{shown}'; there are {', '.join(ACTIONS)}")
    return name


def _dotted(node: ast.expr) -> list[str]:
    """Return the names of a module path; one empty name for anything else."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return [node.id, *reversed(names)] if isinstance(node, ast.Name) else [""]


def _literal(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        raise MalformedAction(f"line {node.lineno}: {_shown(node)} is no literal value") from None


def _shown(node: ast.expr) -> str:
    try:
        return ast.unparse(node)[:_SHOWN]
    except (RecursionError, ValueError):
        return "what is called or given"  # too deeply nested, or too large a number, to be written out


def made(name: str, positional: Sequence[Any], named: Iterable[tuple[str, Any]]) -> Action:
    """Return the action with its arguments checked against Table 8."""
    wanted = ACTIONS[name]
    if len(positional) > len(wanted):
        raise MalformedAction(f"{name} takes {len(wanted)} arguments, not {len(positional)}")
    given = dict(zip(wanted, positional, strict=False))
    for key, value in named:
        own = _OTHER_ARGUMENTS.get((name, key), key)
        if own in given:
            raise MalformedAction(f"{name}: {own} is given twice")
        given[own] = value
    if unknown := sorted(set(given) - set(wanted)):
        raise MalformedAction(f"{name} has no argument {', '.join(unknown)}; it takes {', '.join(wanted) or 'none'}")
    if missing := [key for key in wanted if key not in given and (name, key) not in _OPTIONAL]:
        raise MalformedAction(f"{name} lacks {', '.join(missing)}")
    for key, value in given.items():
        if not _fits(value, wanted[key]):
            raise MalformedAction(f"{name}: {key} is {_words(wanted[key])}, which this {type(value).__name__} is not")
    if name in _AT_A_PLACE and given.keys() & _AT not in ({}.keys(), {"id"}, {"x", "y"}):
        told = ", ".join(key for key in _AT if key in given)
        raise MalformedAction(f"{name}: give either id, or x and y, or none of them to act at the pointer; not {told}")
    return Action(name, given)


def _fits(value: Any, kind: type | tuple[type, ...]) -> bool:
    if isinstance(value, str):
        return kind is str and not any("\ud800" <= character <= "\udfff" for character in value)  # halves of characters cannot be sent
    return isinstance(value, int | float) and not isinstance(value, bool) and isinstance(value, kind) and abs(value) <= _LARGEST_NUMBER


def _words(kind: type | tuple[type, ...]) -> str:
    return "a text of whole characters" if kind is str else f"a {'whole ' * (kind is int)}number of at most {_LARGEST_NUMBER}"


def for_guest(action: Action, elements: Sequence[Element], screen: Screen) -> list[Json]:
    """Return what the guest is to do: numbers of elements and shares of the screen become pixels.

    It is one thing, or two where a click or the wheel names its place: the pointer moves there first.
    """
    done = _TO_GUEST.get(action.name, _as_it_is)(action, elements, screen)
    if action.name not in _AT_A_PLACE or not action.arguments.keys() & _AT:
        return [done]
    return [(_move_id if "id" in action.arguments else _placed("move"))(action, elements, screen), done]


def _as_it_is(action: Action, _: Sequence[Element], __: Screen) -> Json:
    return {"name": action.name, **action.arguments}


def _press(action: Action, _: Sequence[Element], __: Screen) -> Json:
    try:
        combination(action.arguments["key"])
    except UnknownKey as error:
        raise MalformedAction(f"press: {error}") from None
    return {"name": "press", "combination": action.arguments["key"]}


def _write(action: Action, _: Sequence[Element], __: Screen) -> Json:
    try:
        for character in action.arguments["text"]:
            key_of(character)
    except UnknownKey as error:
        raise MalformedAction(f"write: {error}") from None
    return {"name": "write", "text": action.arguments["text"]}


def _move_id(action: Action, elements: Sequence[Element], _: Screen) -> Json:
    x, y = _element(action.arguments["id"], elements).middle
    return {"name": "move", "x": x, "y": y}


def _placed(name: str) -> Callable[[Action, Sequence[Element], Screen], Json]:
    def place(action: Action, _: Sequence[Element], screen: Screen) -> Json:
        x, y = action.arguments["x"], action.arguments["y"]
        if not (0 <= x <= 1 and 0 <= y <= 1):
            raise MalformedAction(f"{action.name}: places are shares of the screen from 0 to 1, not ({x}, {y})")
        return {"name": name, "x": round(x * (screen[0] - 1)), "y": round(y * (screen[1] - 1))}

    return place


def _copy_image(action: Action, elements: Sequence[Element], _: Screen) -> Json:
    x, y, width, height = _element(action.arguments["id"], elements).box
    return {"name": "copy_image", "x": x, "y": y, "width": width, "height": height}


def _click(action: Action, _: Sequence[Element], __: Screen) -> Json:
    return {"name": action.name, **_with_keys(action)}


def _with_keys(action: Action) -> Json:
    if "keys" not in action.arguments:
        return {}
    try:
        held(action.arguments["keys"])
    except UnknownKey as error:
        raise MalformedAction(f"{action.name}: {error}") from None
    return {"keys": action.arguments["keys"]}


def _scroll(action: Action, _: Sequence[Element], __: Screen) -> Json:
    direction = str(action.arguments["direction"]).lower()
    if direction not in ("up", "down", "left", "right"):
        raise MalformedAction(f"scroll: direction is up, down, left or right, not {direction!r}")
    if "amount" not in action.arguments:
        return {"name": "scroll", "direction": direction, **_with_keys(action)}
    amount = action.arguments["amount"]
    if not 1 <= amount <= _MOST_STEPS:
        raise MalformedAction(f"scroll: amount is a number of steps of the wheel from 1 to {_MOST_STEPS}, not {amount}")
    return {"name": "scroll", "direction": direction, "clicks": amount, **_with_keys(action)}


def _element(number: int, elements: Sequence[Element]) -> Element:
    found = next((element for element in elements if element.number == number), None)
    if found is None:
        raise MalformedAction(f"there is no element with the id {number} on the screen")
    return found


_TO_GUEST = {
    "move_id": _move_id,
    "move_abs": _placed("move"),
    "drag": _placed("drag"),
    "copy_image": _copy_image,
    **dict.fromkeys(_CLICKS, _click),
    "scroll": _scroll,
    "press": _press,
    "write": _write,
}
