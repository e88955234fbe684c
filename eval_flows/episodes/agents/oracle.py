"""The oracle: it does the steps of a task as the catalog says, in the same actions as every agent.

Each element is found by its role and name when it appears; the oracle may look again while it waits for one.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from eval_flows.episodes.environment import Environment, Observation
from eval_flows.episodes.tasks.task import TaskStep
from machines.actions import Action
from machines.errors import MachineError
from machines.observation import Element

ELEMENT_SECONDS = 12.0
_LOOKS_AT_LEAST = 6  # looks, even when each takes long
_ASK_EVERY, _ASK_AT_MOST_EVERY = 0.05, 0.4  # seconds: after a while it asks less often, since the application has to answer
_STILL, _STILL_WITHIN, _WAITS_FOR_STILLNESS = 0.5, 3.0, 3  # seconds and times: a machine that works when the time is over gets some more
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
    """Ends when the time is over, but not before a few looks, and not while the machine still works: on a slow one, a page takes long to come."""

    def __init__(self, environment: Environment, seconds: float) -> None:
        self._environment = environment
        self._until = time.monotonic() + seconds
        self._looks = 0
        self._waits = _WAITS_FOR_STILLNESS

    def is_over(self) -> bool:
        """Tell whether the time is over; call it after each look that failed."""
        self._looks += 1
        if self._looks < _LOOKS_AT_LEAST or time.monotonic() <= self._until:
            return False
        if self._waits == 0:
            return True
        self._waits = 0 if self._environment.desktop.settle(_STILL, _STILL_WITHIN) else self._waits - 1
        return False


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


@dataclass(frozen=True)
class Line:
    """One line of an oracle: the actions that do it, and the line in words."""

    actions: Sequence[Action]
    words: str


def lines(environment: Environment, step: TaskStep, left_out: int | None = None, seconds: float = ELEMENT_SECONDS) -> Iterator[Line]:
    """Yield the lines that do a step, each when its elements are there; carry one out before you take the next.

    The numbers of elements in a line are those of the environment's last observation. `left_out` is the number of a line to leave out. The first
    line brings the program up if the step needs that. `OracleStuck` if an element does not come in time.
    """
    if not _begins_by_opening(step):
        yield from _brought_up(environment, step.program)
    for number, entry in enumerate(expanded(step.oracle)):
        if number == left_out:
            continue
        actions = planned(environment, entry, seconds)
        if not is_waiting(entry):
            yield Line(actions, f"{step.task}: {entry}")


def planned(environment: Environment, entry: Entry, seconds: float = ELEMENT_SECONDS) -> list[Action]:
    """Return the actions of one line, once the elements that it names are there; none for a line that only waits."""
    ((verb, asked),) = [(key, value) for key, value in entry.items() if key != "within"]
    within, patience = entry.get("within"), _Patience(environment, seconds)
    if is_waiting(entry):
        _wait(environment, asked, within, patience, gone=verb == "wait_gone")
        return []
    return _actions(environment, verb, asked, within, patience)


def _begins_by_opening(step: TaskStep) -> bool:
    return bool(step.oracle) and "open_program" in step.oracle[0]


def _brought_up(environment: Environment, program: str) -> Iterator[Line]:
    """Open the program, or bring its window to the front, unless the window is in front already."""
    mine = environment.desktop.windows_of(program)
    if not mine:
        yield Line([Action("open_program", {"program": program})], f"open {program}")
        try:
            environment.desktop.wait_until_ready(program)
        except MachineError as error:
            raise OracleStuck(str(error)) from error
    elif not any(window.is_active for window in mine):
        yield Line([Action("switch_to_app", {"window": mine[-1].title})], f"bring {program} to the front")


def is_waiting(entry: Entry) -> bool:
    """Tell whether a step only waits."""
    return "wait_for" in entry or "wait_gone" in entry


def _actions(environment: Environment, verb: str, asked: Any, within: str | None, patience: _Patience) -> list[Action]:
    if verb in _CLICKS:
        element, click = _awaited(environment, asked, within, patience), _CLICKS[verb]
        return [Action("move_id", {"id": element.number}), *([Action(click, {})] if click else [])]
    if verb == "tick":
        element = _awaited(environment, asked, within, patience)
        return [] if "checked" in element.states else [Action("move_id", {"id": element.number}), Action("single_click", {})]
    if verb == "write_over":
        return [Action("press", {"key": "ctrl+a"}), Action("write", {"text": str(asked)})]
    if verb == "click_at":
        return [Action("move_abs", {"x": float(asked[0]), "y": float(asked[1])}), Action("single_click", {})]
    if verb == "drag":
        start, end = (_place(environment, asked[one], within, patience) for one in ("from", "to"))
        return [Action("move_abs", {"x": start[0], "y": start[1]}), Action("drag", {"x": end[0], "y": end[1]})]
    argument = _ARGUMENT_OF[verb]
    return [Action(verb, {argument: str(asked)} if argument else {})]


def _place(environment: Environment, asked: Any, within: str | None, patience: _Patience) -> tuple[float, float]:
    """Return a place on the screen as shares of it: as given, or the middle of an element."""
    if isinstance(asked, list | tuple):
        return float(asked[0]), float(asked[1])
    x, y = _awaited(environment, asked, within, patience).middle
    width, height = environment.desktop.screen
    return x / (width - 1), y / (height - 1)


def _awaited(environment: Environment, asked: Entry, within: str | None, patience: _Patience) -> Element:
    """Return an element when two observations in a row have it in the same place: then it has stopped moving."""
    seen = matching(environment.observation, asked, within)
    pause = _ASK_EVERY
    while True:
        observation = environment.look()
        found = matching(observation, asked, within)
        if found is not None and seen is not None and found.box == seen.box:
            return found
        if found is None and patience.is_over():
            raise OracleStuck(f"no {described(asked, within)} came; there are {_there(observation, asked)}")
        seen = found
        if found is None:
            time.sleep(pause)
            pause = min(2 * pause, _ASK_AT_MOST_EVERY)


def _wait(environment: Environment, asked: Entry, within: str | None, patience: _Patience, gone: bool) -> None:
    pause = _ASK_EVERY
    while True:
        if "window" in asked:
            is_there = any(asked["window"] in window.title for window in environment.desktop.windows())
        else:
            is_there = matching(environment.look(), asked, within) is not None
        if is_there != gone:
            environment.desktop.settle()
            return
        if patience.is_over():
            raise OracleStuck(f"{described(asked, within)} {'stayed' if gone else 'did not come'}")
        time.sleep(pause)
        pause = min(2 * pause, _ASK_AT_MOST_EVERY)


def matching(observation: Observation, asked: Entry, within: str | None) -> Element | None:
    """Return the element with that role and name: the nth if asked, else the last one, if possible in the front window: dialogs come last."""
    roles = _MENU_ROLES if asked.get("role") == "menu" else {asked.get("role")}
    front = next((window.title for window in observation.windows if window.is_active), None)
    found = [
        element
        for element in observation.elements
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


def _there(observation: Observation, asked: Entry) -> str:
    roles = _MENU_ROLES if asked.get("role") == "menu" else {asked.get("role")}
    alike = [repr(element.name or element.text[:30]) for element in observation.elements if element.role in roles]
    windows = ", ".join(repr(window.title) for window in observation.windows)
    return f"{', '.join(alike[:40]) or 'none of that role'} in windows {windows or 'none'}"
