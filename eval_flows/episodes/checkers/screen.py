"""Getters of the screen: windows, elements, a calculator's display, and the clipboard."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from eval_flows.episodes.checkers.checker import Checkers
from machines.observation import Element

if TYPE_CHECKING:
    from eval_flows.episodes.environment.desktop import Desktop


def _element(desktop: Desktop, asked: Mapping[str, Any]) -> Any:
    found = next(iter(_elements_asked(desktop, asked)), None)
    return None if found is None else _of_element(found, asked.get("what", "text"))


def _elements_asked(desktop: Desktop, asked: Mapping[str, Any]) -> list[Element]:
    return [
        one
        for one in desktop.look().elements
        if one.role == asked["role"]
        and asked.get("name", one.name) == one.name
        and asked.get("containing", "") in one.name
        and asked.get("within", "") in one.window
    ]


def _of_element(element: Element, what: str) -> Any:
    text = element.text or element.name
    return {
        "text": text,
        "first_line": text.partition("\n")[0].strip(),
        "value": element.value,
        "name": element.name,
        "states": sorted(element.states),
    }[what]


def _display(desktop: Desktop, asked: Mapping[str, Any]) -> str | None:
    """Return what a calculator shows: the last result on its paper if that is open, else the first line of its display."""
    mine = [one for one in desktop.look().elements if asked["within"] in one.window]
    if any(one.role == "table" for one in mine):
        lines = [one.text or one.name for one in mine if one.role == "table cell"]  # expressions and results take turns
        return lines[-1] if lines and len(lines) % 2 == 0 else None
    return next((_of_element(one, "first_line") for one in mine if one.role == "text"), None)


def _front(desktop: Desktop, _: Any) -> str | None:
    return next((window.title for window in desktop.windows() if window.is_active), None)


CHECKERS = Checkers(
    of_desktop={
        "windows": lambda desktop, _: [window.title for window in desktop.windows()],
        "front_window": _front,
        "clipboard": lambda desktop, _: desktop.client.observe(["clipboard"]).clipboard,
        "display": _display,
        "element": _element,
        "elements": lambda desktop, asked: [_of_element(one, asked.get("what", "text")) for one in _elements_asked(desktop, asked)],
    }
)
