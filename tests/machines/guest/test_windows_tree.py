"""Protects the tree of the guest on Windows: what UI Automation says becomes the elements that it shows, and a program that hangs hides no other."""

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from machines.guest.on_windows.accessibility import PROPERTIES, Accessibility
from machines.guest.on_windows.tree_xml import tree_as_xml
from machines.observation import read_elements

SCREEN = (1440, 900)
KINDS = ("Button", "CheckBox", "RadioButton", "Edit", "Document", "Window", "Slider", "TreeItem", "TabItem", "ComboBox", "Pane", "Text")


class Hung(Exception):
    """As comtypes raises it."""


LIBRARY = SimpleNamespace(
    TreeScope_Subtree=7, TreeScope_Children=2, UIA_TextPatternId=10014, IUIAutomationTextPattern="text",
    **{name: 30_000 + number for number, name in enumerate(PROPERTIES.values())}, **{f"UIA_{kind}ControlTypeId": 50_000 + number for number, kind in enumerate(KINDS)},
)  # fmt: skip


class Array:
    def __init__(self, elements: list["Element"]) -> None:
        self._elements = elements
        self.Length = len(elements)

    def GetElement(self, number: int) -> "Element":  # noqa: N802
        return self._elements[number]


class Element:
    """An element as comtypes gives it: properties by number, children from the cache."""

    CurrentProcessId = 42

    def __init__(
        self,
        kind: str,
        name: str = "",
        box: Any = (10.0, 20.0, 100.0, 30.0),
        children: list["Element"] | None = None,
        hangs: bool = False,
        **said: Any,
    ) -> None:
        known = {
            "control_type": 50_000 + KINDS.index(kind),
            "class_name": f"{kind}Class",
            "name": name,
            "box": box,
            "is_enabled": True,
            "is_offscreen": False,
            **said,
        }
        self._said = {getattr(LIBRARY, PROPERTIES[word]): value for word, value in known.items()}
        self._children = children or []
        self._hangs = hangs

    def BuildUpdatedCache(self, request: "Request") -> "Element":  # noqa: N802
        assert request.TreeScope == 7 and len(request.properties) == len(PROPERTIES)
        if self._hangs:
            raise Hung
        return self

    def GetCachedPropertyValue(self, number: int) -> Any:  # noqa: N802
        return self._said.get(number)

    def GetCachedChildren(self) -> Array | None:  # noqa: N802
        return Array(self._children) if self._children else None

    def GetCurrentPattern(self, number: int) -> Any:  # noqa: N802
        assert number == 10014
        return SimpleNamespace(QueryInterface=lambda _: SimpleNamespace(DocumentRange=SimpleNamespace(GetText=lambda most: "a long letter"[:most])))


class Request:
    def __init__(self) -> None:
        self.properties: list[int] = []
        self.TreeScope = self.TreeFilter = None

    def AddProperty(self, number: int) -> None:  # noqa: N802
        self.properties.append(number)


def xml_of(*windows: Element) -> str:
    client = SimpleNamespace(
        CreateCacheRequest=Request,
        ControlViewCondition="control",
        GetRootElement=lambda: SimpleNamespace(FindAll=lambda scope, _: Array(list(windows))),
    )
    return tree_as_xml(*Accessibility(LIBRARY, client, (Hung,), lambda process: {42: "notepad"}[process]).tree())


def test_elements_of_ui_automation_are_read_with_their_states() -> None:
    window = Element("Window", "Letter", (0.0, 0.0, 800.0, 600.0), has_window=True, window_state=0, children=[
        Element("Document", "Body", has_text=True, has_value=True, is_read_only=False, is_focused=True),
        Element("Edit", "Search", has_value=True, value="pears", is_read_only=True),
        Element("CheckBox", "Wrap", has_toggle=True, toggle=1), Element("RadioButton", "Left", has_selection=True, is_selected=True),
        Element("Button", "Bold", has_toggle=True, toggle=1, is_enabled=False), Element("Slider", "Zoom", has_range=True, range=1.5),
        Element("TreeItem", "Inbox", has_expansion=True, expansion=1, has_selection=True, is_selected=True), Element("TabItem", "Home", has_expansion=True, expansion=3),
        Element("Text", "Scrolled away", is_offscreen=True), Element("Text", "Nowhere", None),
    ])  # fmt: skip
    found = {one.name: one for one in read_elements(xml_of(window), SCREEN)}
    assert {name: one.role for name, one in found.items()} == {
        "Letter": "frame", "Body": "document frame", "Search": "text", "Wrap": "check box", "Left": "radio button", "Bold": "push button", "Zoom": "slider",
        "Inbox": "tree item", "Home": "page tab",
    }  # fmt: skip
    assert {one.application for one in found.values()} == {"notepad"} and {one.window for one in found.values()} == {"Letter"}
    assert found["Body"].text == "a long letter" and {"focused", "editable"} <= found["Body"].states
    assert found["Search"].text == "pears" and "editable" not in found["Search"].states
    assert "checked" in found["Wrap"].states and "checked" in found["Left"].states
    assert "pressed" in found["Bold"].states and "enabled" not in found["Bold"].states and "enabled" in found["Wrap"].states
    assert found["Zoom"].value == 1.5 and {"expanded", "selected"} <= found["Inbox"].states and not {"expanded", "expandable"} & found["Home"].states
    assert found["Wrap"].box == (10, 20, 100, 30)


def test_a_program_that_hangs_is_named_and_hides_no_other() -> None:
    xml = xml_of(Element("Window", "Stuck", hangs=True), Element("Window", "Well", (0.0, 0.0, 9.0, 9.0)))
    assert 'silent="notepad"' in xml and [one.name for one in read_elements(xml, SCREEN)] == ["Well"]


def test_a_minimized_window_has_no_elements() -> None:
    assert read_elements(xml_of(Element("Window", "Away", has_window=True, window_state=2, children=[Element("Button", "B")])), SCREEN) == []


@pytest.mark.parametrize("name", ["#32770", "Chrome_WidgetWin_1", "", "1st", "WindowsForms10.Edit app.0.141b42a", "ÄÖ"])
def test_any_class_becomes_a_tag(name: str) -> None:
    assert [one.name for one in read_elements(xml_of(Element("Window", "W", (0.0, 0.0, 9.0, 9.0), class_name=name)), SCREEN)] == ["W"]


TEXTS = st.text(max_size=15)
ELEMENTS = st.recursive(
    st.builds(
        Element, st.sampled_from(KINDS), TEXTS, st.none() | st.tuples(*[st.floats(-2000, 3000)] * 4), class_name=st.none() | TEXTS, has_value=st.booleans(), value=st.none() | TEXTS,
        has_range=st.booleans(), range=st.none() | st.floats(), has_text=st.booleans(), has_toggle=st.booleans(), toggle=st.integers(0, 2), has_expansion=st.booleans(), expansion=st.integers(0, 3),
    ),
    lambda inner: st.builds(lambda children, name: Element("Pane", name, children=children), st.lists(inner, max_size=4), TEXTS),
    max_leaves=10,
)  # fmt: skip


@given(st.lists(ELEMENTS, max_size=3))
def test_whatever_ui_automation_says_is_read(windows: list[Element]) -> None:
    found = read_elements(xml_of(*windows), SCREEN)
    assert all(0 <= one.middle[0] < SCREEN[0] and 0 <= one.middle[1] < SCREEN[1] for one in found)
