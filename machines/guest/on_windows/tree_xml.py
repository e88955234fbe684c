"""The accessibility tree as XML, as Windows Agent Arena writes it, so that its harness and our client can both read it.

Beside what Windows Agent Arena writes, each element has its `control_type`, and each window its `process`.
"""

import re
from collections.abc import Sequence
from xml.etree import ElementTree

from machines.guest.on_windows.accessibility import Node

STATE, COMPONENT, VALUE, WIN = (
    "uri:deskat:state.at-spi.gnome.org",
    "uri:deskat:component.at-spi.gnome.org",
    "uri:deskat:value.at-spi.gnome.org",
    "uri:deskat:uia.windows.microsoft.org",
)
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_PREFIXES = {"st": STATE, "cp": COMPONENT, "val": VALUE, "win": WIN}


def tree_as_xml(windows: Sequence[Node], silent: Sequence[str]) -> str:
    """Return one XML element for each node; its tag is its class. The root names programs that did not answer."""
    for prefix, space in _PREFIXES.items():
        ElementTree.register_namespace(prefix, space)
    root = ElementTree.Element("desktop")
    if silent:
        root.set("silent", " ".join(silent))
    root.extend(_element(window) for window in windows)
    return ElementTree.tostring(root, encoding="unicode")


def _element(node: Node) -> ElementTree.Element:
    element = ElementTree.Element(_tag(node.class_name), {"name": _NOT_IN_XML.sub("", node.name)})
    for state, holds in node.states.items():
        element.set(f"{{{STATE}}}{state}", str(holds).lower())
    x, y, width, height = node.box
    element.set(f"{{{COMPONENT}}}screencoord", f"({x}, {y})")
    element.set(f"{{{COMPONENT}}}size", f"({width}, {height})")
    element.set(f"{{{WIN}}}control_type", node.control_type)
    if node.process:
        element.set(f"{{{WIN}}}process", _NOT_IN_XML.sub("", node.process))
    if node.value is not None:
        element.set(f"{{{VALUE}}}value", node.value)
    text = _NOT_IN_XML.sub("", node.text)
    if text and text != node.name:
        element.text = text
    element.extend(_element(child) for child in node.children)
    return element


def _tag(class_name: str) -> str:
    """Return a class as a tag, as Windows Agent Arena makes it: small letters, hyphens for other signs, and a letter first."""
    tag = re.sub(r"[^a-z0-9_-]", "-", class_name.lower()) or "unknown"
    return tag if tag[0].isalpha() else f"tag{tag}"
