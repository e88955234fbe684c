"""Controls that LibreOffice draws without telling AT-SPI of them: the arrows of split buttons, the zoom slider, and the views of Writer.

A button of a tool bar whose right edge opens a menu is one push button, a bit wider than the others. Its arrow becomes an element of its own, called
as the button, behind the buttons of its tool bar, so that all arrows share a line.

In the status bar, the zoom slider and the signs at its ends are one label without a name, at the left of the label with the per cent. Each sign has
20 pixels (LibreOffice, svx/source/stbctrls/zoomsliderctrl.cxx). At its left Writer has three pictures for views in one label. The pictures differ in
width, but the middle of each third of the label lies on its picture (sw/source/uibase/utlui/viewlayoutctrl.cxx). Narrow labels without words are
the sign that tells whether all is saved, which Writer has first and Calc after the next one, and the mode of selection (pictures of version 7.4).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from machines.trees.elements import Element

_PROGRAM = "soffice"
_BUTTONS = frozenset({"push button", "toggle button"})
_ARROW = range(9, 14)  # pixels that a split button is wider than the narrowest button of its height in its tool bar
_PER_CENT = re.compile(r"\d{1,4} ?%")
_SIGN, _NARROWEST = 20, 80  # pixels of a sign, and of the whole slider
_VIEWS, _NAMES = range(45, 100), ("Single-page view", "Multiple-page view", "Book view")  # pixels of their label, and what its tooltips say
_NARROW = range(16, 31)  # pixels of a label that has room for a sign alone
_FEWEST_SIGNS = 3  # the third is that of digital signatures
_SAVED, _MODE = "Saved or not", "Selection mode"
_GAP = 12  # pixels at most between two labels of the status bar


def with_controls(elements: Sequence[Element]) -> list[Element]:
    """Return the elements, with the arrows of each tool bar behind its last button and the parts of labels in their place, numbered anew."""
    arrows: dict[int, list[Element]] = {}
    for place, element in enumerate(elements):
        if element.role == "tool bar" and element.application == _PROGRAM and (places := list(_buttons(elements, place))):
            arrows[places[-1]] = list(_arrows(element, [elements[one] for one in places]))
    found: list[Element] = []
    signs = {place: name for slider in range(len(elements)) if _is_slider(elements[slider : slider + 2]) for place, name in _signs(elements, slider)}
    for place, element in enumerate(elements):
        if place in signs:
            found.append(replace(element, role="push button", description=signs[place]))
            continue
        found += _in_status_bar(elements[place : place + 3]) or [element]
        found += arrows.get(place, ())
    return [replace(element, number=number) for number, element in enumerate(found, 1)]


def _buttons(elements: Sequence[Element], bar: int) -> Iterator[int]:
    """Yield the places of the buttons that follow a tool bar and lie in it."""
    left, top, width, height = elements[bar].extent
    for place in range(bar + 1, len(elements)):
        x, y, wide, high = elements[place].extent
        if not (left <= x and x + wide <= left + width and top <= y and y + high <= top + height):
            return
        if elements[place].role in _BUTTONS:
            yield place


def _arrows(bar: Element, buttons: Sequence[Element]) -> Iterator[Element]:
    edge = bar.extent[0] + bar.extent[2]  # at which a button may be cut
    whole = [one for one in buttons if one.extent[0] + one.extent[2] < edge] or buttons
    for button in buttons:
        x, y, width, height = button.extent
        narrowest = min((one.extent[2] for one in whole if one.extent[3] == height), default=width)
        arrow = (x + narrowest, y, width - narrowest, height)
        if button.role == "push button" and arrow[2] in _ARROW and button.whole is None:
            yield replace(
                button, role="push button menu", name="", description=button.label, states=button.states - {"checked", "focused"}, box=arrow
            )


def _in_status_bar(labels: Sequence[Element]) -> list[Element]:
    """Return the parts of the first one of up to three elements that follow each other; none if it is no label that has parts."""
    (x, y, width, height) = labels[0].box
    if _is_slider(labels):
        zoom = (x + _SIGN, y, width - 2 * _SIGN, height)
        signs = ((x, y, _SIGN, height), (x + width - _SIGN, y, _SIGN, height))
        parts = [("push button", "Zoom Out", signs[0]), ("slider", "Zoom", zoom), ("push button", "Zoom In", signs[1])]
    elif _is_slider(labels[1:]) and _says_nothing(labels[0], labels[1]) and width in _VIEWS:
        third = width // 3
        parts = [("push button", name, (x + place * third, y, third, height)) for place, name in enumerate(_NAMES)]
    else:
        return []
    return [replace(labels[0], role=role, description=name, box=box, whole=None) for role, name, box in parts]


def _signs(elements: Sequence[Element], slider: int) -> Iterator[tuple[int, str]]:
    """Yield the places and names of the labels at the left of the zoom slider that have a sign; none if there are fewer than Writer and Calc have."""
    first = slider
    while first > 0 and _is_beside(elements[first - 1], elements[first]):
        first -= 1
    narrow = [place for place in range(first, slider) if elements[place].box[2] in _NARROW and not (elements[place].label or elements[place].text)]
    if len(narrow) >= _FEWEST_SIGNS:
        names = (_SAVED, _MODE) if narrow[0] == first else (_MODE, _SAVED)
        yield from zip(narrow, names, strict=False)


def _is_slider(labels: Sequence[Element]) -> bool:
    """Tell whether the first element is the zoom slider: it is wide, says nothing, and the per cent stand at its right."""
    if len(labels) < 2 or not _says_nothing(labels[0], labels[1]):
        return False
    return labels[0].box[2] >= _NARROWEST and bool(_PER_CENT.fullmatch(labels[1].name or labels[1].text))


def _says_nothing(label: Element, beside: Element) -> bool:
    """Tell whether it is such a label without words."""
    return _is_beside(label, beside) and not (label.label or label.text)


def _is_beside(label: Element, beside: Element) -> bool:
    """Tell whether an element is a label of LibreOffice that is seen whole, with another label at its right."""
    (x, y, width, height), right = label.box, beside.box
    is_near = label.whole is None and 0 <= right[0] - x - width <= _GAP and (y, height) == (right[1], right[3])
    return is_near and label.application == _PROGRAM and label.role == beside.role == "label"
