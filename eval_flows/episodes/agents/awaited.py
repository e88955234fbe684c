"""What an oracle waits for: elements by their role and name, windows, files, and stillness. It may look again while it waits."""

import time
from collections.abc import Callable, Mapping
from typing import Any

from eval_flows.episodes.agents.screen_texts import is_screen_text, with_screen_texts
from eval_flows.episodes.environment import Environment, Observation
from machines.observation import Element

_LOOKS_AT_LEAST = 6  # looks, even when each takes long
# seconds: after a while it asks less often, and never sooner than an answer took, since the application has to answer and to work
_ASK_EVERY, _ASK_AT_MOST_EVERY = 0.05, 0.4
_STILL_AT_MOST = 10.0  # seconds
_STILL, _STILL_WITHIN, _WAITS_FOR_STILLNESS = 0.5, 3.0, 3  # seconds and times: a machine that works when the time is over gets some more
_MENU_ROLES = frozenset({"menu", "menu item", "check menu item", "radio menu item", "tearoff menu item"})
Entry = Mapping[str, Any]


class OracleStuck(RuntimeError):
    """An oracle's step names an element that is not there; the text says which elements are there."""


class Patience:
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


def awaited(environment: Environment, asked: Entry, within: str | None, patience: Patience) -> Element:
    """Return an element when two observations in a row have it in the same place: then it has stopped moving."""
    seen = _found(environment.observation, asked, within)
    pause = _ASK_EVERY
    while True:
        begun = time.monotonic()
        observation = _looked(environment, asked)
        took = time.monotonic() - begun
        found = _found(observation, asked, within)
        if found is not None and seen is not None and found.box == seen.box:
            return found
        if found is None and patience.is_over():
            raise OracleStuck(f"no {_described(asked, within)} came; there are {_there(observation, asked)}")
        seen = found
        if found is None:
            time.sleep(max(pause, took))
            pause = min(2 * pause, _ASK_AT_MOST_EVERY)


def wait_for(environment: Environment, asked: Entry, within: str | None, patience: Patience, gone: bool) -> None:
    """Wait until something is there, or is gone; `OracleStuck` if that is not so in time."""
    pause = _ASK_EVERY
    while True:
        begun = time.monotonic()
        is_there = _is_there(environment, asked, within)
        took = time.monotonic() - begun
        if is_there != gone:
            environment.desktop.settle()
            return
        if patience.is_over():
            raise OracleStuck(f"{_described(asked, within)} {'stayed' if gone else 'did not come'}")
        time.sleep(max(pause, took))
        pause = min(2 * pause, _ASK_AT_MOST_EVERY)


def _is_there(environment: Environment, asked: Entry, within: str | None) -> bool:
    desktop = environment.desktop
    if "still" in asked:
        desktop.settle(float(asked["still"]), _STILL_AT_MOST)
        return True  # a blinking cursor never stands still
    if "file" in asked:
        return desktop.client.file(desktop.place(asked["file"])) is not None
    if "window" in asked:
        return any(asked["window"] in window.title for window in desktop.windows())
    return _found(_looked(environment, asked), asked, within) is not None


def _looked(environment: Environment, asked: Entry) -> Observation:
    """Look again; where a text in the picture is asked for, the texts in the picture are the elements."""
    return with_screen_texts(environment.look("screenshot")) if is_screen_text(asked) else environment.look()


def _found(observation: Observation, asked: Entry, within: str | None) -> Element | None:
    """Return the element with that role and name: the nth if asked, else the last one, if possible in the front window: dialogs come last.

    The description of an element counts as its name where no element has the name.
    """
    return _matching(observation, asked, within, lambda one: one.name) or _matching(observation, asked, within, lambda one: one.label)


def _matching(observation: Observation, asked: Entry, within: str | None, name_of: Callable[[Element], str]) -> Element | None:
    roles = _MENU_ROLES if asked.get("role") == "menu" else {asked.get("role")}
    front = next((window.title for window in observation.windows if window.is_active), None)
    found = [
        element
        for element in observation.elements
        if element.role in roles
        and ("name" not in asked or name_of(element) == asked["name"])
        and ("text" not in asked or element.text == asked["text"])
        and ("containing" not in asked or asked["containing"] in name_of(element))
        and (within is None or within in element.window)
        and ("sensitive" in element.states or "enabled" in element.states or asked.get("disabled"))
    ]
    if not found:
        return None
    if "nth" in asked:
        return found[asked["nth"]] if len(found) > asked["nth"] else None
    in_front = [element for element in found if element.window == front]
    return (in_front or found)[-1]


def _described(asked: Entry, within: str | None) -> str:
    """Return an element in words."""
    for key in ("window", "file", "still"):
        if key in asked:
            return f"{key} '{asked[key]}'"
    named = next((f"{key} '{asked[key]}'" for key in ("name", "containing", "text") if key in asked), "any name")
    return f"{asked.get('role')} with {named}" + (f" in '{within}'" if within else "")


def _there(observation: Observation, asked: Entry) -> str:
    roles = _MENU_ROLES if asked.get("role") == "menu" else {asked.get("role")}
    alike = [repr(element.name or element.text[:30]) for element in observation.elements if element.role in roles]
    windows = ", ".join(repr(window.title) for window in observation.windows)
    return f"{', '.join(alike[:40]) or 'none of that role'} in windows {windows or 'none'}"
