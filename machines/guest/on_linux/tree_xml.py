"""The accessibility tree as XML, in the namespaces that OSWorld uses under Ubuntu, so that its harness and our client can both read it."""

import re
from collections.abc import Sequence
from xml.etree import ElementTree

from machines.guest.on_linux.node import Box, Node

_BASE = "https://accessibility.ubuntu.example.org/ns/"
STATE, COMPONENT, VALUE = f"{_BASE}state", f"{_BASE}component", f"{_BASE}value"
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
for _prefix, _space in (("st", STATE), ("cp", COMPONENT), ("val", VALUE)):
    ElementTree.register_namespace(_prefix, _space)


def tree_as_xml(applications: Sequence[Node], silent: Sequence[str], popups: Sequence[Box] = ()) -> str:
    """Return one XML element for each node: its role is the tag, its text the content.

    The root names the applications that did not answer, and the places of open menus and lists, as `(x, y, width, height)`.
    """
    root = ElementTree.Element("desktop-frame")
    if silent:
        root.set("silent", " ".join(silent))
    if popups:
        root.set("popups", " ".join(f"({', '.join(map(str, box))})" for box in popups))
    for node in applications:
        root.append(_element(node))
    return ElementTree.tostring(root, encoding="unicode")


def _element(node: Node) -> ElementTree.Element:
    element = ElementTree.Element(re.sub(r"[^a-z0-9-]+", "-", node.role.lower()).strip("-") or "unknown")
    element.set("name", _NOT_IN_XML.sub("", node.name))
    if node.selection:
        element.set("selected-text", _NOT_IN_XML.sub("", node.selection))
    if node.in_view is not None:
        element.set("in-view", f"({node.in_view[0]}, {node.in_view[1]})")
    if node.caret is not None:
        element.set("caret", str(node.caret))
    if node.description:
        element.set("description", _NOT_IN_XML.sub("", node.description))
    for state in sorted(node.states):
        element.set(f"{{{STATE}}}{state}", "true")
    x, y, width, height = node.box
    if width > 0 and height > 0:
        element.set(f"{{{COMPONENT}}}screencoord", f"({x}, {y})")
        element.set(f"{{{COMPONENT}}}size", f"({width}, {height})")
    if node.value is not None:
        element.set(f"{{{VALUE}}}value", str(node.value))
    if node.text:
        element.text = _NOT_IN_XML.sub("", node.text)
    element.extend(_element(child) for child in node.children)
    return element
