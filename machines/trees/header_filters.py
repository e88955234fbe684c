"""The filter fields of DB Browser: each is the lower half of the header of its column, and the tree tells of one header as high as both."""

from collections.abc import Sequence
from dataclasses import replace

from machines.trees.elements import Element

_PROGRAM = "DB Browser for SQLite"
_BOTH = 44  # pixels of a header with its field, at least: one alone has 25


def with_header_filters(elements: Sequence[Element]) -> list[Element]:
    """Return the elements; each header with a filter is followed by it, and has the box of its own half. They are numbered anew."""
    found: list[Element] = []
    for element in elements:
        x, y, width, height = element.box
        if element.application != _PROGRAM or element.role != "column header" or height < _BOTH or element.whole is not None:
            found.append(element)
            continue
        half = height // 2
        found.append(replace(element, box=(x, y, width, half)))
        states = element.states | {"editable"}
        found.append(
            replace(
                element,
                role="entry",
                name="",
                text="",
                description=f"Filter of {element.label}",
                states=states,
                box=(x, y + half, width, height - half),
            )
        )
    return [replace(element, number=number) for number, element in enumerate(found, 1)]
