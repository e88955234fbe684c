"""Carrying out the steps of an oracle on a desk, in the action space of the agents. Each element is found by its role and name when it appears."""

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from eval_flows.episodes.desk import Desk, Look
from machines.actions import Action
from machines.observation import Element

ELEMENT_SECONDS = 12.0
_LOOKS_AT_LEAST = 6  # looks, even when each takes long
_ASK_EVERY, _ASK_AT_MOST_EVERY = 0.05, 0.4  # seconds: after a while it asks less often, since the application has to answer
_CLICKS = {"click": "single_click", "double_click": "double_click", "right_click": "right_click", "hover": None}
_ARGUMENT_OF = {
    "write": "text",
    "press": "key",
    "scroll": "direction",
    "copy_text": "text",
    "paste": None,
    "open_program": "program",
    "switch_to_app": "window",
}
VERBS = frozenset({*_CLICKS, *_ARGUMENT_OF, "tick", "write_over", "menu", "click_at", "drag", "wait_for", "wait_gone"})
_MENU_ROLES = frozenset({"menu", "menu item", "check menu item", "radio menu item", "tearoff menu item"})
Entry = Mapping[str, Any]


class _Patience:
    """Ends when the time is over, but not before a few looks: on a busy host one look may take all that time."""

    def __init__(self, seconds: float) -> None:
        self._until = time.monotonic() + seconds
        self._looks = 0

    def is_over(self) -> bool:
        """Tell whether the time is over; call it after each look that failed."""
        self._looks += 1
        return self._looks >= _LOOKS_AT_LEAST and time.monotonic() > self._until


class OracleStuck(RuntimeError):
    """An oracle's step names an element that is not there; the text says which elements are there."""


def expanded(entries: Sequence[Entry]) -> Iterator[Entry]:
    """Yield the steps, with menus spelt out as clicks."""
    for entry in entries:
        if "menu" in entry:
            for name in entry["menu"]:
                yield {"click": {"role": "menu", "name": name}, **{key: value for key, value in entry.items() if key != "menu"}}
        else:
            yield entry


def perform(desk: Desk, entry: Entry, seconds: float = ELEMENT_SECONDS) -> None:
    """Carry out one step, and wait for the elements that it names; `OracleStuck` if they do not come in time."""
    actions, elements = planned(desk, entry, seconds)
    for action in actions:
        desk.do(action, elements)


def planned(desk: Desk, entry: Entry, seconds: float = ELEMENT_SECONDS) -> tuple[list[Action], Sequence[Element]]:
    """Return the actions of one step and the elements that they use, once these are there; no actions for a step that only waits."""
    ((verb, asked),) = [(key, value) for key, value in entry.items() if key != "within"]
    within, patience = entry.get("within"), _Patience(seconds)
    if is_waiting(entry):
        _wait(desk, asked, within, patience, gone=verb == "wait_gone")
        return [], ()
    actions, look = _actions(desk, verb, asked, within, patience)
    return actions, look.elements if look else ()


def is_waiting(entry: Entry) -> bool:
    """Tell whether a step only waits."""
    return "wait_for" in entry or "wait_gone" in entry


def _actions(desk: Desk, verb: str, asked: Any, within: str | None, patience: _Patience) -> tuple[list[Action], Look | None]:
    if verb in _CLICKS:
        look, element = _await(desk, asked, within, patience)
        click = _CLICKS[verb]
        return [Action("move_id", {"id": element.number}), *([Action(click, {})] if click else [])], look
    if verb == "tick":
        look, element = _await(desk, asked, within, patience)
        return [] if "checked" in element.states else [Action("move_id", {"id": element.number}), Action("single_click", {})], look
    if verb == "write_over":
        return [Action("press", {"key": "ctrl+a"}), Action("write", {"text": str(asked)})], None
    if verb == "click_at":
        return [Action("move_abs", {"x": float(asked[0]), "y": float(asked[1])}), Action("single_click", {})], None
    if verb == "drag":
        look, start = _place(desk, asked["from"], within, patience)
        look, end = _place(desk, asked["to"], within, patience)
        return [Action("move_abs", {"x": start[0], "y": start[1]}), Action("drag", {"x": end[0], "y": end[1]})], look
    argument = _ARGUMENT_OF[verb]
    return [Action(verb, {argument: str(asked)} if argument else {})], None


def _place(desk: Desk, asked: Any, within: str | None, patience: _Patience) -> tuple[Look, tuple[float, float]]:
    """Return a place on the screen as shares of it: as given, or the middle of an element."""
    if isinstance(asked, list | tuple):
        return desk.look(), (float(asked[0]), float(asked[1]))
    look, element = _await(desk, asked, within, patience)
    x, y = element.middle
    return look, (x / (desk.screen[0] - 1), y / (desk.screen[1] - 1))


def _await(desk: Desk, asked: Entry, within: str | None, patience: _Patience) -> tuple[Look, Element]:
    seen: Element | None = None
    pause = _ASK_EVERY
    while True:
        look = desk.look()
        found = matching(look, asked, within)
        if found is not None and seen is not None and found.box == seen.box:
            return look, found  # two equal readings: it has stopped moving
        if found is None and patience.is_over():
            raise OracleStuck(f"no {described(asked, within)} came; there are {_there(look, asked)}")
        seen = found
        if found is None:
            time.sleep(pause)
            pause = min(2 * pause, _ASK_AT_MOST_EVERY)


def _wait(desk: Desk, asked: Entry, within: str | None, patience: _Patience, gone: bool) -> None:
    pause = _ASK_EVERY
    while True:
        if "window" in asked:
            is_there = any(asked["window"] in window.title for window in desk.windows())
        else:
            is_there = matching(desk.look(), asked, within) is not None
        if is_there != gone:
            desk.settle()
            return
        if patience.is_over():
            raise OracleStuck(f"{described(asked, within)} {'stayed' if gone else 'did not come'}")
        time.sleep(pause)
        pause = min(2 * pause, _ASK_AT_MOST_EVERY)


def matching(look: Look, asked: Entry, within: str | None) -> Element | None:
    """Return the element with that role and name: the nth if asked, else the last one, if possible in the front window: dialogs come last."""
    roles = _MENU_ROLES if asked.get("role") == "menu" else {asked.get("role")}
    front = next((window.title for window in look.windows if window.is_active), None)
    found = [
        element
        for element in look.elements
        if element.role in roles
        and ("name" not in asked or element.name == asked["name"])
        and ("text" not in asked or element.text == asked["text"])
        and ("containing" not in asked or asked["containing"] in element.name)
        and (within is None or within in element.window)
        and ("sensitive" in element.states or "enabled" in element.states or asked.get("disabled"))
    ]
    if not found:
        return None
    if "nth" in asked:
        return found[asked["nth"]] if len(found) > asked["nth"] else None
    in_front = [element for element in found if element.window == front]
    return (in_front or found)[-1]


def described(asked: Entry, within: str | None) -> str:
    """Return an element in words."""
    if "window" in asked:
        return f"window '{asked['window']}'"
    named = next((f"{key} '{asked[key]}'" for key in ("name", "containing", "text") if key in asked), "any name")
    return f"{asked.get('role')} with {named}" + (f" in '{within}'" if within else "")


def _there(look: Look, asked: Entry) -> str:
    roles = _MENU_ROLES if asked.get("role") == "menu" else {asked.get("role")}
    alike = [repr(element.name or element.text[:30]) for element in look.elements if element.role in roles]
    windows = ", ".join(repr(window.title) for window in look.windows)
    return f"{', '.join(alike[:40]) or 'none of that role'} in windows {windows or 'none'}"
