"""Metrics of accessibility trees, as the servers of OSWorld and Windows Agent Arena write them."""

from collections.abc import Mapping, Sequence
from typing import Any

from lxml.cssselect import CSSSelector

from eval_flows.episodes.osworld.metrics.metric import Metrics, Rules, TaskError, unknown
from eval_flows.episodes.osworld.metrics.reading import xml
from eval_flows.episodes.osworld.metrics.similarity import alike

_SYSTEMS = ("ubuntu", "windows", "macos")
_SPACES = {
    "st": "state", "attr": "attributes", "cp": "component", "doc": "document", "docattr": "document/attributes", "txt": "text", "val": "value",
    "act": "action", "class": "class", "role": "role",
}  # fmt: skip
_OLD_SPACES = {  # those of OSWorld's first servers, and of Windows Agent Arena
    prefix: f"uri:deskat:{'.'.join(reversed(name.split('/')))}.at-spi.gnome.org" for prefix, name in _SPACES.items()
}


def tree_holds(result: str, rules: Sequence[Rules] | Rules, osname: str = "ubuntu") -> float:
    """How well an accessibility tree holds against rules: the product, over the rules, of how alike the best element's text is to `text`.

    A rule finds its elements by `xpath`, or by `selectors` (CSS); without `text` they must only be there. `exact` (true) texts count as 0 or 1.
    """
    root, share = xml(result), 1.0
    spaces = namespaces(result, osname)
    for rule in [rules] if isinstance(rules, Mapping) else rules:
        share *= _best(_found(root, rule, spaces), rule)
    return share


def _found(root: Any, rule: Rules, spaces: Mapping[str, str]) -> list[Any]:
    if "xpath" in rule:
        found = root.xpath(rule["xpath"], namespaces=dict(spaces))
        return list(found) if isinstance(found, list) else []
    if "selectors" in rule:
        return list(CSSSelector(", ".join(rule["selectors"]), namespaces=dict(spaces))(root))
    raise TaskError("a rule of an accessibility tree has neither 'xpath' nor 'selectors'")


def _best(elements: Sequence[Any], rule: Rules) -> float:
    if "text" not in rule or not elements:
        return float(bool(elements))
    texts = [getattr(element, "text", str(element)) or "" for element in elements]
    return max(float(text == rule["text"]) if rule.get("exact", True) else alike(text, rule["text"]) for text in texts)


def namespaces(tree: str, osname: str = "ubuntu") -> Mapping[str, str]:
    """Return the namespaces of a tree by their prefixes: older servers write other ones."""
    if osname not in _SYSTEMS:
        raise unknown("osname", osname, _SYSTEMS)
    if "uri:deskat:" in tree:
        return _OLD_SPACES
    return {prefix: f"https://accessibility.{osname}.example.org/ns/{name}" for prefix, name in _SPACES.items()}


def shows_slides_panel(result: str) -> float:
    """1 if the tree of Impress has the panel of slides at the left."""
    return any(node.get("name") == "Slides View" for node in xml(result).iter("document-frame"))


METRICS: Metrics = {"check_accessibility_tree": tree_holds, "check_left_panel": shows_slides_panel}
