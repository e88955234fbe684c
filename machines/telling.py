"""Telling an agent of the screen in lines of text: what can be used or says something, and can be seen (ProSoftArena, section 4.2 and Table 9).

Empty cells, the colours of a palette and what other windows cover are left out, and counted in a last line. Elements of one role that stand
side by side, or one below another, share a line.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from machines.client import Window
from machines.lines import CELLS, content, linearised, name_of, quoted, states
from machines.trees.covering import covers_of, is_behind
from machines.trees.elements import Box, Element, Pair
from machines.trees.roles import is_holding, is_plain, is_used, windows
from machines.trees.titles import with_titles_of_tree

_SMALLEST_FIELD = 20  # pixels
_LARGEST_SWATCH, _MOST_SWATCHES = 24, 12  # pixels of its sides, and how many are told of one by one
_PARAGRAPHS = frozenset({"paragraph", "label"})
_MENU_ITEMS = frozenset({"menu item", "check menu item", "radio menu item", "tearoff menu item"})
_REPEATED_WITHIN = 8  # elements


@dataclass(frozen=True)
class Told:
    """The text for the agent, and the elements that it names."""

    text: str
    elements: Sequence[Element]


def told(elements: Sequence[Element], shown: Sequence[Window], screen: Pair) -> Told:
    """Return what an agent is told of the elements, window by window, the one in front first. `shown` are the windows, lowest first."""
    shown = with_titles_of_tree(shown, elements)
    kept, left_out = worth_telling(_with_one_focus(elements, shown), shown)
    places = {window.title: place for place, window in enumerate(reversed(shown), 1)} | {window.title: 0 for window in shown if window.is_active}
    kept.sort(key=lambda element: places.get(element.window, 0))  # menus that are in no window lie in front
    lines = [*linearised(kept, screen), *_about_silent_front(kept, shown)]
    if left_out:
        lines.append(f"Not listed: {', '.join(f'{count} {what}' for what, count in sorted(left_out.items()))}.")
    return Told("\n".join(lines), kept)


def _with_one_focus(elements: Sequence[Element], shown: Sequence[Window]) -> list[Element]:
    """Return the elements; if something in the window in front has the focus, nothing in other windows has it: they remember theirs.

    Qt says of the tabs that are on top that they have the focus too: they are selected.
    """
    front = {window.title for window in shown if window.is_active}
    behind = {window.title for window in shown} - front
    roles = {one.role for one in elements if "focused" in one.states and one.window in front}
    if not roles:
        return list(elements)
    return [_without_false_focus(one, one.window in behind, bool(roles - {"page tab"})) if "focused" in one.states else one for one in elements]


def _without_false_focus(element: Element, is_behind: bool, has_other: bool) -> Element:
    if is_behind:
        return replace(element, states=element.states - {"focused"})
    return replace(element, states=element.states - {"focused"} | {"selected"}) if element.role == "page tab" and has_other else element


def _about_silent_front(kept: Sequence[Element], shown: Sequence[Window]) -> Iterator[str]:
    """Yield a line if nothing is told of the window in front: its program has no tree, or hangs."""
    for window in shown:
        box = (window.x, window.y, window.width, window.height)
        if window.is_active and not any(_is_in(element.middle, box) for element in kept):
            yield f"Nothing is told of the window in front, {quoted(window.title)}: see the picture."


def worth_telling(elements: Sequence[Element], shown: Sequence[Window] = ()) -> tuple[list[Element], Counter[str]]:
    """Return the elements that can be used or say something, and how many others were left out, by what they are."""
    left_out: Counter[str] = Counter()
    kept: list[Element] = []
    behind: list[Element] = []
    palette, words = _palette(elements), set[Hashable]()
    for element in elements:
        if not _says_something(element) or any(_repeats(element, before) for before in kept[-_REPEATED_WITHIN:]):
            continue
        said = (element.role, name_of(element), content(element), element.box)
        if any(said[1:3]) and said in words:
            continue  # the list of a combo box stands in the tree of GTK twice
        if _is_covered(element, shown):
            behind.append(element)
        elif _is_empty_cell(element):
            left_out["empty cells"] += 1
        elif element.number in palette:
            left_out["colours of a palette"] += 1
        else:
            kept.append(element)
            words.add(said)
    kept = [*_without_wrappers(kept, palette.values()), *_bare_fields(elements, kept, shown)]
    seen = {element.window for element in kept}
    titles = [element for element in behind if element.role in windows() and element.window in seen]
    if len(behind) > len(titles):
        left_out["elements behind other windows"] = len(behind) - len(titles)
    kept_numbers = {element.number for element in (*kept, *titles)}
    return [element for element in elements if element.number in kept_numbers], left_out


def _says_something(element: Element) -> bool:
    if is_plain(element.role) or _is_nothing(element):
        return False
    if is_holding(element.role):
        return "focused" in element.states or bool(element.description)
    if element.role in windows():
        return bool(element.name)
    if element.role in _PARAGRAPHS and "editable" not in element.states:
        return bool(element.name or content(element))
    return is_used(element.role, element.states) or bool(element.name or content(element))


def _is_nothing(element: Element) -> bool:
    """Tell whether it is an item of a menu that says nothing and does nothing, as Thunar's is that can show that it works."""
    return element.role in _MENU_ITEMS and "disabled" in states(element) and not (name_of(element) or content(element))


def _repeats(element: Element, before: Element) -> bool:
    """Tell whether an element only says once more what one around it says, as the texts of a page do."""
    words = element.name or content(element)
    return element.role in ("static", "label") and _holds(before, element) and words in (before.name, content(before))


def _is_covered(element: Element, shown: Sequence[Window]) -> bool:
    return is_behind(element, covers_of(element.window, shown))


def _is_empty_cell(element: Element) -> bool:
    names_a_place = element.role == "table cell" and "editable" in element.states  # a spreadsheet names cells by their places
    has_state = element.states & {"checkable", "checked", "expandable", *(["focused"] if names_a_place else [])}
    return element.role in CELLS and not has_state and not content(element) and (names_a_place or not element.label)


def _palette(elements: Sequence[Element]) -> dict[int, Element]:
    """Return the colours of a palette by their numbers, as Inkscape draws one: many small areas to click."""
    small = [one for one in elements if one.role == "drawing area" and max(one.box[2:]) <= _LARGEST_SWATCH]
    return {one.number: one for one in small} if len(small) > _MOST_SWATCHES else {}


def _without_wrappers(kept: Sequence[Element], uncounted: Iterable[Element]) -> Iterator[Element]:
    """Yield the elements without items of lists that say nothing and only stand around another element, as GTK puts buttons into them."""
    inner = [one for one in (*kept, *uncounted) if not _is_nameless_item(one)]
    return (one for one in kept if not (_is_nameless_item(one) and any(_holds(one, other) for other in inner)))


def _is_nameless_item(element: Element) -> bool:
    return element.role == "list item" and not (name_of(element) or content(element) or states(element))


def _holds(element: Element, other: Element) -> bool:
    """Tell whether the middle of another element of the same window lies in an element."""
    return other.window == element.window and _is_in(other.middle, element.box)


def _is_in(place: Pair, box: Box) -> bool:
    return box[0] <= place[0] < box[0] + box[2] and box[1] <= place[1] < box[1] + box[3]


def _bare_fields(elements: Sequence[Element], kept: Sequence[Element], shown: Sequence[Window]) -> Iterator[Element]:
    """Yield what takes keys, has nothing in it that is told, and says of itself only that it takes them; of such in each other the innermost."""
    inner = [one for one in kept if one.role not in windows()]
    for element in reversed(elements):
        if _takes_keys(element) and not _is_covered(element, shown) and not any(_holds(element, one) for one in inner):
            inner.append(element)
            yield element


def _takes_keys(element: Element) -> bool:
    takes_keys = is_plain(element.role) and "focusable" in element.states and bool(element.states & {"enabled", "sensitive"})
    return takes_keys and element.role != "separator" and min(element.box[2:]) >= _SMALLEST_FIELD
