"""What hands do beyond ProSoftArena's Table 8: the middle button, a button that goes down and up, a drag along a path, a key that is held.

Computer-use tools of models emit these. Action spaces make them, no code is read as them, and they are carried out as those of `machines.actions`.
"""

from collections.abc import Sequence
from typing import Any

from machines.actions import Action, MalformedAction
from machines.guest.keys import UnknownKey, combination, held

Json = dict[str, Any]
Share = tuple[float, float]
Screen = tuple[int, int]

HANDS = frozenset({"middle_click", "mouse_down", "mouse_up", "drag_along", "hold_key"})
LONGEST_HOLD = 10.0  # seconds
_MOST_PLACES = 100


def drag_along(path: Sequence[Share], keys: str = "") -> Action:
    """Return a drag with the left button: it goes down at the first place of the path and up at the last. Places are shares of the screen."""
    return Action("drag_along", {"path": [list(place) for place in path], **({"keys": keys} if keys else {})})


def hold_key(key: str, seconds: float) -> Action:
    """Return the action that holds a key, or several joined by +, for so many seconds."""
    return Action("hold_key", {"key": key, "seconds": seconds})


def for_hands(action: Action, screen: Screen) -> list[Json]:
    """Return what the guest is to do, with places in pixels; `MalformedAction` says to the agent what is wrong."""
    given = action.arguments
    match action.name:
        case "drag_along":
            return [{"name": "drag_along", "path": _pixels(given["path"], screen), **_with_keys(action)}]
        case "hold_key":
            return [_hold(action)]
        case "middle_click" if "x" in given:
            [(x, y)] = _pixels([(given["x"], given["y"])], screen)
            return [{"name": "move", "x": x, "y": y}, {"name": action.name, **_with_keys(action)}]
        case _:
            return [{"name": action.name, **_with_keys(action)}]


def _pixels(path: Sequence[Share], screen: Screen) -> list[tuple[int, int]]:
    if not 1 <= len(path) <= _MOST_PLACES:
        raise MalformedAction(f"a path has 1 to {_MOST_PLACES} places, not {len(path)}")
    if not all(0 <= side <= 1 for place in path for side in place):
        raise MalformedAction("a place is not on the screen")
    return [(round(x * (screen[0] - 1)), round(y * (screen[1] - 1))) for x, y in path]


def _hold(action: Action) -> Json:
    key, seconds = action.arguments["key"], action.arguments["seconds"]
    if not 0 < seconds <= LONGEST_HOLD:
        raise MalformedAction(f"a key is held for at most {LONGEST_HOLD:.0f} seconds, not {seconds}")
    try:
        combination(key)
    except UnknownKey as error:
        raise MalformedAction(f"hold_key: {error}") from None
    return {"name": "hold_key", "combination": key, "seconds": seconds}


def _with_keys(action: Action) -> Json:
    keys = action.arguments.get("keys")
    if not keys:
        return {}
    try:
        held(keys)
    except UnknownKey as error:
        raise MalformedAction(f"{action.name}: {error}") from None
    return {"keys": keys}
