"""What lies at the edges of LibreOffice's documents and tool bars: its tree tells of some of it without a word, and of some not at all.

- The button that hides the sidebar: in the middle of the left edge of the sidebar, which is a split pane.
- The handles that split a sheet: split panes of five pixels. The corner that selects a whole sheet: a panel without a name beside the headers.
- The button for the kind of a tab stop: the left end of the horizontal ruler.
- The arrow behind the last button of a tool bar that is too long for its window: the bar ends at the window's edge, and its buttons do not.

Sizes are those of version 7.4, as its pictures show them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from machines.trees.elements import Box, Element
from machines.trees.roles import windows

_PROGRAM = "soffice"
_HANDLE, _SIDEBAR = 8, 40  # pixels of the thickness of a handle at most, and of the sidebar at least
_HIDE = (9, 60)  # pixels of the button that hides the sidebar
_RULER = "Horizontal Ruler"
_TAB_STOP = 22  # pixels
_ARROW = 18  # pixels


def with_edges(elements: Sequence[Element]) -> list[Element]:
    """Return the elements with those at the edges behind the elements at which they lie, or in their place, numbered anew."""
    found: list[Element] = []
    frame = None
    for place, element in enumerate(elements):
        if element.role in windows():
            frame = element
        if element.application != _PROGRAM or element.whole is not None:
            found.append(element)
        elif element.role == "panel" and _is_corner(element, elements[place + 1 : place + 4]):
            found.append(_part(element, "push button", "Select All", element.box))
        elif element.role == "split pane" and min(element.box[2:]) <= _HANDLE:
            found.append(_part(element, "slider", "Split the sheet", element.box))
        else:
            found += [element, *_at_edge(element, elements[place + 1 :], frame)]
    return [replace(element, number=number) for number, element in enumerate(found, 1)]


def _at_edge(element: Element, following: Sequence[Element], frame: Element | None) -> Iterator[Element]:
    x, y, width, height = element.box
    if element.role == "split pane" and _SIDEBAR <= width < height:
        yield _part(element, "push button", "Hide or show the sidebar", (x, y + (height - _HIDE[1]) // 2, *_HIDE))
    elif element.role == "ruler" and element.name == _RULER:
        yield _part(element, "push button", "Kind of the next tab stop", (x, y, _TAB_STOP, height))
    elif element.role == "tool bar" and frame is not None and x + width == frame.box[0] + frame.box[2] and width > height:
        last = max(_rights(element, following), default=x + width)
        if x + width - last >= _ARROW:
            yield _part(element, "push button", f"More of {element.name}", (x + width - _ARROW, y, _ARROW, height))


def _rights(bar: Element, following: Sequence[Element]) -> Iterator[int]:
    """Yield where the elements that follow a tool bar end at the right, as long as they lie in it."""
    left, top, width, height = bar.box
    for x, y, wide, high in (one.extent for one in following):
        if not (left <= x and x + wide <= left + width and top <= y + high // 2 <= top + height):
            return
        yield x + wide


def _is_corner(panel: Element, following: Sequence[Element]) -> bool:
    """Tell whether a panel touches the corner of the spreadsheet that follows it."""
    x, y, width, height = panel.box
    return not panel.label and any(one.role == "document spreadsheet" and one.box[:2] == (x + width, y + height) for one in following)


def _part(element: Element, role: str, name: str, box: Box) -> Element:
    return replace(element, role=role, name="", text="", description=name, box=box)
