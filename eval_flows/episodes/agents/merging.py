"""Merging what several element sources found: each thing once, with the names of all sources that saw it.

Two boxes are doubles if they cover each other for the most part; or if one lies in the other and is not much smaller, or has the same text. A large
area with much in it, such as a page or a drawing, is thus no double of what is in it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

import numpy as np

from eval_flows.episodes.agents.element_source import ELEMENTS, Found
from machines.observation import Element
from machines.trees.elements import Box

_SAME = 0.5  # intersection over union
_WITHIN = 0.8  # share of the smaller box that lies in the larger one
_TIMES = 8.0  # how many times as large the larger box may be
_ALIKE = 0.8  # likeness of two texts, since letters may be misread
Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


@dataclass(frozen=True)
class Mark:
    """One thing on the screen: an element with its number, the sources that saw it, the most trusted one first, and how sure that one is."""

    element: Element
    sources: tuple[str, ...]
    confidence: float
    is_usable: bool


def merged(by_source: Mapping[str, Sequence[Found]], numbered: Sequence[Element]) -> list[Mark]:
    """Return the marks of what the sources found, in the order of trust. Sources of packages come last.

    The most trusted source decides the box, the kind and whether it is usable; a text that it lacks is the next one's. Elements of the tree keep
    their numbers, and the others go on after the last number in `numbered`.
    """
    marks: list[Mark] = []
    number = max((one.number for one in numbered), default=0)
    trusted = ELEMENTS.names
    for source in sorted(by_source, key=lambda name: trusted.index(name) if name in trusted else len(trusted)):
        boxes = np.array([mark.element.box for mark in marks], dtype=np.float64).reshape(-1, 4)
        texts = [_plain(mark.element.name or mark.element.text) for mark in marks]
        for found in by_source[source]:
            double = _double(found, boxes, texts)
            if double is not None:
                marks[double] = _with(marks[double], found)
                continue
            if found.element is None:
                number += 1
            element = found.element or Element(number, found.kind, found.text, "", None, frozenset(), found.box, "", "")
            marks.append(Mark(element, (source,), found.confidence, found.is_usable))
    return marks


def fits(box: Box, boxes: Floats) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Tell of each of many boxes whether it is around the same thing, as far as the boxes alone tell."""
    shared, within = _overlaps(box, boxes)
    areas, area = boxes[:, 2] * boxes[:, 3], box[2] * box[3]
    times = np.maximum(areas, area) / np.maximum(np.minimum(areas, area), 1)
    return (shared >= _SAME) | ((within >= _WITHIN) & (times <= _TIMES))


def _overlaps(box: Box, boxes: Floats) -> tuple[Floats, Floats]:
    """Return the intersection of a box with each of many as share of their union, and as share of the smaller one."""
    x, y, width, height = box
    wide = np.minimum(x + width, boxes[:, 0] + boxes[:, 2]) - np.maximum(x, boxes[:, 0])
    high = np.minimum(y + height, boxes[:, 1] + boxes[:, 3]) - np.maximum(y, boxes[:, 1])
    common = np.clip(wide, 0, None) * np.clip(high, 0, None)
    area, areas = width * height, boxes[:, 2] * boxes[:, 3]
    return common / np.maximum(area + areas - common, 1), common / np.maximum(np.minimum(area, areas), 1)


def _double(found: Found, boxes: Floats, texts: Sequence[str]) -> int | None:
    """Return the place of the box that shows the same thing, the one that fits best; None if there is none."""
    if not len(boxes):
        return None
    shared, within = _overlaps(found.box, boxes)
    is_double = fits(found.box, boxes)
    text = _plain(found.text)
    for place in np.flatnonzero((within >= _WITHIN) & ~is_double).tolist() if text else ():
        is_double[place] = _are_alike(text, texts[place])
    return int(np.argmax(np.where(is_double, shared, -1.0))) if is_double.any() else None


def _are_alike(text: str, other: str) -> bool:
    if not other or abs(len(text) - len(other)) > (1 - _ALIKE) * (len(text) + len(other)):
        return False
    return text == other or SequenceMatcher(None, text, other, autojunk=False).ratio() >= _ALIKE


def _plain(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))


def _with(mark: Mark, found: Found) -> Mark:
    """Return a mark that another source saw too."""
    lacks_text = found.text and not mark.element.name and not mark.element.text
    element = replace(mark.element, name=found.text) if lacks_text else mark.element
    return replace(mark, element=element, sources=tuple(dict.fromkeys((*mark.sources, found.source))))
