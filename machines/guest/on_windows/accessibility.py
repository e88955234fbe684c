"""The accessibility tree of Windows, by UI Automation: each window is fetched with everything in it at once.

A program that does not answer in time is left out and named, so that one that hangs does not hide the others.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

Box = tuple[int, int, int, int]
# What is asked of every element: our word, and the name of the property in the type library of UI Automation.
PROPERTIES: Mapping[str, str] = {
    "control_type": "UIA_ControlTypePropertyId",
    "class_name": "UIA_ClassNamePropertyId",
    "name": "UIA_NamePropertyId",
    "box": "UIA_BoundingRectanglePropertyId",
    "process": "UIA_ProcessIdPropertyId",
    "is_enabled": "UIA_IsEnabledPropertyId",
    "is_offscreen": "UIA_IsOffscreenPropertyId",
    "is_focused": "UIA_HasKeyboardFocusPropertyId",
    "is_focusable": "UIA_IsKeyboardFocusablePropertyId",
    "has_toggle": "UIA_IsTogglePatternAvailablePropertyId",
    "toggle": "UIA_ToggleToggleStatePropertyId",
    "has_selection": "UIA_IsSelectionItemPatternAvailablePropertyId",
    "is_selected": "UIA_SelectionItemIsSelectedPropertyId",
    "has_expansion": "UIA_IsExpandCollapsePatternAvailablePropertyId",
    "expansion": "UIA_ExpandCollapseExpandCollapseStatePropertyId",
    "has_value": "UIA_IsValuePatternAvailablePropertyId",
    "value": "UIA_ValueValuePropertyId",
    "is_read_only": "UIA_ValueIsReadOnlyPropertyId",
    "has_range": "UIA_IsRangeValuePatternAvailablePropertyId",
    "range": "UIA_RangeValueValuePropertyId",
    "has_text": "UIA_IsTextPatternAvailablePropertyId",
    "has_window": "UIA_IsWindowPatternAvailablePropertyId",
    "window_state": "UIA_WindowWindowVisualStatePropertyId",
}
_CLIENT = "{e22ad333-b25f-460c-83d0-0581107395c9}"  # CUIAutomation8
_ON, _COLLAPSED, _EXPANDED, _LEAF, _MINIMIZED = 1, 0, 1, 3, 2
_LONGEST = 20_000  # characters of a text
_DEEPEST, _MOST = 50, 1000  # levels of a tree, and children of an element


@dataclass
class Node:
    """An element of UI Automation; `box` is x, y, width, height in pixels, `process` the name of the program for a window."""

    control_type: str
    class_name: str
    name: str
    states: Mapping[str, bool]
    box: Box
    text: str = ""
    value: str | None = None
    process: str = ""
    children: list["Node"] = field(default_factory=list)


class Accessibility:
    """Reads the tree of the whole desktop. `library` is the type library, `client` a client of it, `failures` what its calls raise."""

    def __init__(self, library: Any, client: Any, failures: tuple[type[Exception], ...], program: Callable[[int], str]) -> None:
        self._library = library
        self._client = client
        self._failures = failures
        self._program = program
        self._types = {getattr(library, name): name[4:-13] for name in dir(library) if name.startswith("UIA_") and name.endswith("ControlTypeId")}
        self._request = client.CreateCacheRequest()
        for name in PROPERTIES.values():
            self._request.AddProperty(getattr(library, name))
        self._request.TreeScope = library.TreeScope_Subtree
        self._request.TreeFilter = client.ControlViewCondition

    def tree(self) -> tuple[list[Node], list[str]]:
        """Return the windows with everything in them, and the names of the programs that did not answer."""
        found: list[Node] = []
        silent: list[str] = []
        windows = self._client.GetRootElement().FindAll(self._library.TreeScope_Children, self._client.ControlViewCondition)
        for number in range(windows.Length):
            window = windows.GetElement(number)
            program = ""
            try:
                program = self._program(window.CurrentProcessId)
                node = self._node(window.BuildUpdatedCache(self._request), 0)
            except self._failures:
                silent.append(program or "unknown")
            else:
                node.process = program
                found.append(node)
        return found, sorted(set(silent))

    def _node(self, element: Any, depth: int) -> Node:
        said = {word: element.GetCachedPropertyValue(getattr(self._library, name)) for word, name in PROPERTIES.items()}
        kind = self._types.get(said["control_type"], "Custom")
        text, value = self._content(element, said)
        left, top, width, height = said["box"] or (0, 0, 0, 0)
        box = (round(left), round(top), round(width), round(height))
        node = Node(kind, str(said["class_name"] or ""), str(said["name"] or ""), dict(_states(kind, said)), box, text, value)
        children = element.GetCachedChildren() if depth < _DEEPEST else None
        if children:
            node.children = [self._node(children.GetElement(number), depth + 1) for number in range(min(children.Length, _MOST))]
        return node

    def _content(self, element: Any, said: Mapping[str, Any]) -> tuple[str, str | None]:
        """Return the text and the value. Only documents are asked for their text by itself, since that is a call for each."""
        if said["has_range"]:
            return "", str(said["range"])
        if said["has_value"] and said["value"]:
            return str(said["value"])[:_LONGEST], None
        if said["has_text"]:
            pattern = element.GetCurrentPattern(self._library.UIA_TextPatternId)
            if pattern:
                return str(pattern.QueryInterface(self._library.IUIAutomationTextPattern).DocumentRange.GetText(_LONGEST)), None
        return "", None


def _states(kind: str, said: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """Yield the states under the names that pywinauto gives them, so that readers of Windows Agent Arena's trees know them."""
    yield "enabled", bool(said["is_enabled"])
    yield "visible", not said["is_offscreen"]
    yield "has_keyboard_focus", bool(said["is_focused"])
    yield "is_keyboard_focusable", bool(said["is_focusable"])
    if said["has_toggle"]:
        is_on = said["toggle"] == _ON
        yield ("pressed", is_on) if kind == "Button" else ("checked", is_on)
        yield "checkable", kind != "Button"
    if said["has_selection"]:
        yield "selectable", True
        yield ("checked" if kind == "RadioButton" else "selected"), bool(said["is_selected"])
    if said["has_expansion"] and said["expansion"] != _LEAF:
        yield "expanded", said["expansion"] == _EXPANDED
        yield "collapsed", said["expansion"] == _COLLAPSED
    if said["has_value"] or said["has_text"]:
        yield "editable", kind in ("Edit", "Document", "ComboBox") and not (said["has_value"] and said["is_read_only"])
    if said["has_window"]:
        yield "minimized", said["window_state"] == _MINIMIZED


def connected(seconds: float, program: Callable[[int], str]) -> Accessibility:
    """Return a reader of the tree of this machine, for the thread that calls. A program that takes longer than `seconds` is left out."""
    import sys

    setattr(sys, "coinit_flags", 0)  # noqa: B010 - read by comtypes: calls may come from any thread
    import comtypes.client

    library = comtypes.client.GetModule("UIAutomationCore.dll")
    client = comtypes.client.CreateObject(_CLIENT, interface=library.IUIAutomation2)
    client.ConnectionTimeout = client.TransactionTimeout = int(seconds * 1000)
    return Accessibility(library, client, (comtypes.COMError, ValueError), program)  # comtypes raises ValueError for an element that has gone
