"""Labels beside fields: where a toolkit does not say which label a field without a name has, it is the one at its left, as people read it."""

from collections.abc import Sequence
from dataclasses import replace

from machines.trees.elements import Element
from machines.trees.roles import is_used

_GAP = 40  # pixels at most between a label and its field
_LEVEL = 6  # pixels at most between the heights of their middles


def with_labels(elements: Sequence[Element], holders: Sequence[str]) -> list[Element]:
    """Return the elements; those that can be used and have no name get the label at their left as their description, or else their holder's name."""
    labels = [one for one in elements if one.role == "label" and (one.name or one.text)]
    return [
        replace(one, description=_label_of(one, labels) or holder) if _needs_label(one) else one
        for one, holder in zip(elements, holders, strict=True)
    ]


def _needs_label(element: Element) -> bool:
    return not element.label and is_used(element.role, element.states) and element.role != "table cell"


def _label_of(element: Element, labels: Sequence[Element]) -> str:
    x, _, _, _ = element.extent
    beside = [
        one
        for one in labels
        if one.window == element.window and 0 <= x - (one.extent[0] + one.extent[2]) <= _GAP and abs(_level(one) - _level(element)) <= _LEVEL
    ]
    nearest = max(beside, key=lambda one: one.extent[0] + one.extent[2], default=None)
    return "" if nearest is None else nearest.name or nearest.text.strip()


def _level(element: Element) -> int:
    return element.extent[1] + element.extent[3] // 2
