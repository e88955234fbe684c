"""Telling an agent of the screen in lines of text: what can be used or says something, and can be seen (ProSoftArena, section 4.2 and Table 9).

Empty cells and what other windows cover are left out, and counted in a last line. Elements of one role that stand
side by side, or one below another, share a line.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from textwrap import shorten

from machines.client import Window
from machines.trees.elements import Box, Element, Pair
from machines.trees.roles import is_holding, is_plain, is_used, windows

_LONGEST, _HEAD = 600, 400  # characters of a text, and how many of them are its beginning when it is longer
_LONGEST_DESCRIPTION = 40
_LONGEST_TERMINAL = {True: 3_000, False: 600}  # with and without the focus: its end
_CELLS = frozenset({"table cell", "tree item", "cell"})
_STATES = ("focused", "selected", "checked", "pressed", "indeterminate", "expanded", "busy", "invalid-entry")
_FIELDS = frozenset({"text", "entry", "password text", "spin button"})
_NO_TEXT = str.maketrans("", "", "\ufffc")  # stands in texts for objects in them
_ALIGNED = 2  # pixels
_SMALLEST_FIELD = 12  # pixels
_TITLE_BAR = 20  # pixels above the place of a window, which is that of its content
_SYMBOL = re.compile(r"[a-z0-9-]+-symbolic")
_PARAGRAPHS = frozenset({"paragraph", "label"})


@dataclass(frozen=True)
class Told:
    """The text for the agent, and the elements that it names."""

    text: str
    elements: Sequence[Element]


def told(elements: Sequence[Element], shown: Sequence[Window], screen: Pair) -> Told:
    """Return what an agent is told of the elements, those of the window in front first. `shown` are the windows, lowest first."""
    kept, left_out = worth_telling(elements, shown)
    front = {window.title for window in shown if window.is_active}
    kept.sort(key=lambda element: element.window not in front)
    count = ", ".join(f"{count} {what}" for what, count in sorted(left_out.items()))
    return Told("\n".join([*linearised(kept, screen), *([f"Not listed: {count}."] if count else [])]), kept)


def linearised(elements: Iterable[Element], screen: Pair) -> list[str]:
    """Return the lines that tell of all these elements."""
    return [_line(group, screen) for group in _groups(elements)]


def worth_telling(elements: Sequence[Element], shown: Sequence[Window] = ()) -> tuple[list[Element], Counter[str]]:
    """Return the elements that can be used or say something, and how many others were left out, by what they are."""
    left_out: Counter[str] = Counter()
    kept: list[Element] = []
    for element in elements:
        if not _says_something(element) or (kept and _repeats(element, kept[-1])):
            continue
        if _is_covered(element, shown):
            left_out["elements behind other windows"] += 1
        elif _is_empty_cell(element):
            left_out["empty cells"] += 1
        else:
            kept.append(element)
    used = [element for element in elements if _is_bare_field(element, kept)]
    kept_numbers = {element.number for element in (*kept, *used)}
    return [element for element in elements if element.number in kept_numbers], left_out


def content(element: Element) -> str:
    """Return the text of an element, without what only stands for objects in it; empty if it is its name. One to be edited keeps its line breaks."""
    text = element.text.translate(_NO_TEXT)
    if "editable" not in element.states:
        text = text.strip("\n\t")
    return "" if text == element.name or not text.strip() else text


def _says_something(element: Element) -> bool:
    if is_plain(element.role):
        return False
    if is_holding(element.role):
        return "focused" in element.states or bool(element.description)
    if element.role in windows():
        return bool(element.name)
    if element.role in _PARAGRAPHS and "editable" not in element.states:
        return bool(element.name or content(element))
    return is_used(element.role, element.states) or bool(element.name or content(element))


def _repeats(element: Element, before: Element) -> bool:
    """Tell whether an element only says once more what the one around it says, as the texts of a page do."""
    x, y, width, height = before.box
    inside = x <= element.middle[0] <= x + width and y <= element.middle[1] <= y + height
    words = element.name or content(element)
    return element.role in ("static", "label") and inside and words in (before.name, content(before))


def _is_covered(element: Element, shown: Sequence[Window]) -> bool:
    own = [place for place, window in enumerate(shown) if window.title == element.window]
    if not own:
        return False
    x, y = element.middle
    above = shown[own[-1] + 1 :]
    return any(window.x <= x < window.x + window.width and window.y - _TITLE_BAR <= y < window.y + window.height for window in above)


def _is_empty_cell(element: Element) -> bool:
    names_a_place = element.role == "table cell" and "editable" in element.states  # a spreadsheet names cells by their places
    has_state = element.states & {"checkable", "checked", "expandable", *(["focused"] if names_a_place else [])}
    return element.role in _CELLS and not has_state and not content(element) and (names_a_place or not element.label)


def _is_bare_field(element: Element, kept: Sequence[Element]) -> bool:
    """Tell whether it is something that takes keys, has nothing in it that is told, and says of itself only that it takes them."""
    x, y, width, height = element.box
    takes_keys = is_plain(element.role) and "focusable" in element.states and bool(element.states & {"enabled", "sensitive"})
    if not takes_keys or element.role == "separator" or min(width, height) < _SMALLEST_FIELD:
        return False
    return not any(x <= one.middle[0] < x + width and y <= one.middle[1] < y + height for one in kept if one.role not in windows())


def _groups(elements: Iterable[Element]) -> Iterator[list[Element]]:
    """Yield the elements in groups that share a line."""
    group: list[Element] = []
    way = 0
    for element in _in_reading_order(elements):
        next_way = _way(group[-1], element) if group else 0
        if group and (not next_way or (way and next_way != way)):
            yield group
            group, next_way = [], 0
        way = next_way if group else 0
        group.append(element)
    if group:
        yield group


def _in_reading_order(elements: Iterable[Element]) -> Iterator[Element]:
    """Yield the elements in the order of the tree, but those of one role that follow each other row by row: toolkits list some grids backwards."""
    for (role, _), group in groupby(elements, lambda one: (one.role, one.window)):
        run = list(group)
        yield from run if role in _CELLS or role in windows() else sorted(run, key=lambda one: (one.box[1], one.box[0]))


def _way(one: Element, other: Element) -> int:
    """Return 1 if two elements stand side by side, 2 if one stands below the other, 0 if they do not share a line."""
    if (one.role, one.window) != (other.role, other.window) or one.role in windows():
        return 0
    if one.role not in _CELLS and (content(one) or content(other)):
        return 0
    side, below = (all(abs(one.box[place] - other.box[place]) <= _ALIGNED for place in places) for places in ((1, 3), (0, 2)))
    return 1 if side else 2 if below else 0


def _line(group: Sequence[Element], screen: Pair) -> str:
    """Return a line: role, states that all have, then number, name, text and states of each, and the place of all."""
    common = frozenset(_states(group[0])).intersection(*(_states(one) for one in group))
    parts = [_part(one, common) for one in group]
    states = f" ({', '.join(sorted(common))})" if common else ""
    return f"{group[0].role}{states}: {', '.join(parts)} at {_place([one.box for one in group], screen)}"


def _part(element: Element, common: frozenset[str]) -> str:
    text = _shortened(element)
    own = [state for state in _states(element) if state not in common]
    words = [str(element.number)]
    if _name(element):
        words.append(_quoted(_name(element)))
    if text:
        words.append(f"= {_quoted(text)}")
    if element.selection:
        words.append(f"selected {_quoted(_ends(element.selection, _LONGEST))}")
    return " ".join(words) + (f" ({', '.join(own)})" if own else "")


def _states(element: Element) -> list[str]:
    found = [state for state in _STATES if state in element.states]
    if "expandable" in element.states and "expanded" not in element.states:
        found.append("collapsed")
    if "visible" in element.states and is_used(element.role, element.states) and not element.states & {"enabled", "sensitive"}:
        found.append("disabled")
    if element.role in _FIELDS and "editable" not in element.states:
        found.append("read-only")
    return found


def _shortened(element: Element) -> str:
    text = content(element)
    has_focus = "focused" in element.states
    if element.role == "terminal":
        text, longest = text.rstrip(), _LONGEST_TERMINAL[has_focus]
        return f"… {text[-longest:]}" if len(text) > longest else text
    return text if has_focus else _ends(text, _LONGEST)


def _ends(text: str, longest: int) -> str:
    """Return a text, or its beginning and its end if it is too long."""
    return text if len(text) <= longest else f"{text[:_HEAD]} … {text[_HEAD - longest :]}"


def _name(element: Element) -> str:
    """Return what an element is called. The name of a symbol of the toolkit says nothing: it need not be the symbol that is shown."""
    return (element.name or _brief(element.description)) if not _SYMBOL.fullmatch(element.name) else ""


def _brief(description: str) -> str:
    """Return the beginning of a description: a tooltip may be long, and have more lines."""
    return shorten(description.partition("\n")[0], _LONGEST_DESCRIPTION, placeholder="…")


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _place(boxes: Sequence[Box], screen: Pair) -> str:
    """Return left, top, right and bottom of what holds all boxes, as shares of the screen."""
    left, top = min(box[0] for box in boxes), min(box[1] for box in boxes)
    right, bottom = max(box[0] + box[2] for box in boxes), max(box[1] + box[3] for box in boxes)
    return " ".join(f"{value / whole:.3f}".lstrip("0") for value, whole in zip((left, top, right, bottom), (*screen, *screen), strict=True))
