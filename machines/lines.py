"""Elements of the screen as lines of text: those of one role that stand side by side, or one below another, share a line."""

import html
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from machines.trees.elements import Box, Element, Pair
from machines.trees.roles import is_plain, is_used, windows

CELLS = frozenset({"table cell", "tree item", "cell"})
_LONGEST, _HEAD = 600, 400  # characters of a text, and how many of them are its beginning when it is longer
_LONGEST_DESCRIPTION = 40
_LONGEST_TERMINAL = {True: 3_000, False: 600}  # with and without the focus: its end
_STATES = ("focused", "selected", "checked", "pressed", "indeterminate", "expanded", "busy", "invalid-entry")
_FIELDS = frozenset({"text", "entry", "password text", "spin button"})
_NO_TEXT = str.maketrans("", "", "\ufffc")  # stands in texts for objects in them
_ALIGNED = 2  # pixels
_FROM_PICTURE = "see the picture"
_PARTLY_COVERED, _MOST_SEEN = "partly covered", 0.8  # share of an element of which less is seen
_SYMBOL = re.compile(r"[a-z0-9-]+-symbolic")
_MARKUP = re.compile(r"</?(?:html|head|body|qt|p|br|div|span|font|h[1-6]|b|i|u|a|ul|ol|li|table|tr|td)\b[^<>]*>", re.IGNORECASE)


def linearised(elements: Iterable[Element], screen: Pair) -> list[str]:
    """Return the lines that tell of all these elements."""
    return [_line(group, screen) for group in _groups(elements)]


def content(element: Element) -> str:
    """Return the text of an element, without what only stands for objects in it; empty if it is its name. One to be edited keeps its line breaks."""
    text = element.text.translate(_NO_TEXT)
    if "editable" not in element.states:
        text = text.strip("\n\t")
    return "" if text == element.name or not text.strip() else text


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
        yield from run if role in CELLS or role in windows() else sorted(run, key=lambda one: (one.box[1], one.box[0]))


def _way(one: Element, other: Element) -> int:
    """Return 1 if two elements stand side by side, 2 if one stands below the other, 0 if they do not share a line."""
    if (one.role, one.window) != (other.role, other.window) or one.role in windows():
        return 0
    if one.role not in CELLS and (content(one) or content(other)):
        return 0
    side, below = (all(abs(one.box[place] - other.box[place]) <= _ALIGNED for place in places) for places in ((1, 3), (0, 2)))
    return 1 if side else 2 if below else 0


def _line(group: Sequence[Element], screen: Pair) -> str:
    """Return a line: role, states that all have, then number, name, text and states of each, and the place of all."""
    common = frozenset(states(group[0])).intersection(*(states(one) for one in group))
    parts = [_part(one, common) for one in group]
    all_have = f" ({', '.join(sorted(common))})" if common else ""
    return f"{group[0].role}{all_have}: {', '.join(parts)} at {_place([one.box for one in group], screen)}"


def _part(element: Element, common: frozenset[str]) -> str:
    own = [state for state in states(element) if state not in common]
    words = [str(element.number)]
    if name_of(element):
        words.append(quoted(name_of(element)))
    words += _words_of_text(element)
    if element.selection:
        words.append(f"selected {quoted(_ends(element.selection, _LONGEST))}")
    return " ".join(words) + (f" ({', '.join(own)})" if own else "")


def states(element: Element) -> list[str]:
    """Return the states that are told of an element."""
    found = [state for state in _STATES if state in element.states]
    if "expandable" in element.states and "expanded" not in element.states:
        found.append("collapsed")
    if "visible" in element.states and is_used(element.role, element.states) and not element.states & {"enabled", "sensitive"}:
        found.append("disabled")
    if element.role in _FIELDS and ("read-only" in element.states or not ("editable" in element.states or element.role == "spin button")):
        found.append("read-only")  # Qt tells of the field in a spin button that it can be edited, and not of the spin button
    if is_plain(element.role):
        found.append(_FROM_PICTURE)
    if element.box[0] > element.extent[0] or element.box[2] * element.box[3] < _MOST_SEEN * element.extent[2] * element.extent[3]:
        found.append(_PARTLY_COVERED)  # words begin at the left
    return found


def _words_of_text(element: Element) -> list[str]:
    """Return what is told of the text: what is scrolled out of sight apart from the rest, and nothing if its beginning is covered."""
    text, has_focus = content(element), "focused" in element.states
    if not text or (element.role in _FIELDS and not has_focus and element.box[0] > element.extent[0]):
        return []
    if element.role == "terminal":
        text, longest = text.rstrip(), _LONGEST_TERMINAL[has_focus]
        return [f"= {quoted(f'… {text[-longest:]}' if len(text) > longest else text)}"]
    before, shown, after = _by_view(element)
    if not before and not after:
        return [f"= {quoted(text if has_focus else _ends(text, _LONGEST))}", *_caret(element)]
    if not has_focus:
        counts = [f"{len(part)} characters {where} it" for part, where in ((before, "before"), (after, "after")) if part]
        return [*([f"= {quoted(_ends(shown, _LONGEST))}"] if shown else []), f"scrolled out: {', '.join(counts)}"]
    parts = (("scrolled out", before), ("=", shown), ("scrolled out", after))
    return [*(f"{what} {quoted(part)}" for what, part in parts if part), *_caret(element)]


def _by_view(element: Element) -> tuple[str, str, str]:
    """Return the parts of a text that are before, in and after what is in view; all of it is in view where that is not known."""
    start, end = element.in_view or (0, len(element.text))
    if start >= end:
        start, end = 0, len(element.text)
    parts = [part.translate(_NO_TEXT) for part in (element.text[:start], element.text[start:end], element.text[end:])]
    return parts[0], parts[1], parts[2] if parts[2].strip() else ""


def _caret(element: Element) -> list[str]:
    """Return where the caret is in a text of several lines that has the focus."""
    if element.caret is None or "\n" not in element.text or not 0 <= element.caret <= len(element.text):
        return []
    before = element.text[: element.caret]
    return [f"caret in line {before.count(chr(10)) + 1}, column {len(before) - before.rfind(chr(10))}"]


def _ends(text: str, longest: int) -> str:
    """Return a text, or its beginning and its end if it is too long."""
    return text if len(text) <= longest else f"{text[:_HEAD]} … {text[_HEAD - longest :]}"


def name_of(element: Element) -> str:
    """Return what an element is called. The name of a symbol of the toolkit says nothing: it need not be the symbol that is shown."""
    if _SYMBOL.fullmatch(element.name):
        return ""
    return _brief(element.name) if _MARKUP.match(element.name) else element.name or _brief(element.description)


def _brief(description: str) -> str:
    """Return the beginning of a description, without markup: a tooltip may be long, and have more lines."""
    plain = html.unescape(_MARKUP.sub(" ", description)) if _MARKUP.search(description) else description
    first = " ".join(plain.strip().split("\n")[0].split())
    return first if len(first) <= _LONGEST_DESCRIPTION else f"{first[: _LONGEST_DESCRIPTION - 1]}…"


def quoted(text: str) -> str:
    """Return a text in quotation marks, on one line."""
    return json.dumps(text, ensure_ascii=False)


def _place(boxes: Sequence[Box], screen: Pair) -> str:
    """Return left, top, right and bottom of what holds all boxes, as shares of the screen."""
    left, top = min(box[0] for box in boxes), min(box[1] for box in boxes)
    right, bottom = max(box[0] + box[2] for box in boxes), max(box[1] + box[3] for box in boxes)
    return " ".join(f"{value / whole:.3f}".lstrip("0") for value, whole in zip((left, top, right, bottom), (*screen, *screen), strict=True))
