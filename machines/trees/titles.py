"""The titles of windows, where a program tells its tree another one than the screen: Chromium calls its window as what it shows in it, such as Print.

What lies in front of an element is known by the title of its window, so windows are called here as the tree calls them.
"""

from collections.abc import Sequence
from dataclasses import replace

from machines.client import Window
from machines.trees.elements import Box, Element, shared
from machines.trees.roles import windows

_SAME = 0.8  # share of the larger of two places that they have in common


def with_titles_of_tree(shown: Sequence[Window], elements: Sequence[Element]) -> list[Window]:
    """Return the windows; one that the tree does not know by its title gets that of the unknown window which the tree has in its place."""
    told, known = {one.window for one in elements}, {one.title for one in shown}
    unknown = [one for one in elements if one.role in windows() and one.window and one.window not in known]
    return [one if one.title in told else replace(one, title=_title(one, unknown)) for one in shown]


def _title(window: Window, unknown: Sequence[Element]) -> str:
    place = (window.x, window.y, window.width, window.height)
    return next((frame.window for frame in unknown if _share(frame.extent, place) >= _SAME), window.title)


def _share(one: Box, other: Box) -> float:
    both = shared(one, other)
    return both[2] * both[3] / max(one[2] * one[3], other[2] * other[3]) if both else 0.0
