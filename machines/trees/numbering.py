"""Numbers that stay with an element from one observation to the next, so that an agent may remember them."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace

from machines.trees.elements import Element

_RENAMED = frozenset({"frame", "dialog", "combo box", "push button", "toggle button", "label", "status bar"})  # roles that change their names
_REWRITTEN = frozenset({"text", "entry", "password text", "spin button", "paragraph", "heading", "terminal"})  # roles that change their texts


class Numbering:
    """Numbers the elements of one observation after another."""

    def __init__(self) -> None:
        self._last: list[Element] = []
        self._next = 1

    def numbered(self, elements: Sequence[Element]) -> list[Element]:
        """Return the elements with their numbers: each has the one that it had in the last observation, or a new one.

        An element is the same if it has the same name and place; or the same name, where none of that name came or went; or the same place, if
        it may change its name or its text, as a window does that holds an unsaved file, or a field that is typed into.
        """
        numbers = self._at_their_places(elements, _named)
        numbers |= self._moved(elements, numbers)
        numbers |= self._at_their_places([one if one.role in _RENAMED | _REWRITTEN else None for one in elements], _changed, numbers)
        self._last = [replace(element, number=numbers.get(place) or self._new()) for place, element in enumerate(elements)]
        return list(self._last)

    def _at_their_places(
        self, elements: Sequence[Element | None], kind: Callable[[Element], Hashable], known: Mapping[int, int] | None = None
    ) -> dict[int, int]:
        """Return the numbers of the elements, by their places in the list, that one of the same kind with the same box had; leave out those known."""
        taken = set((known or {}).values())
        free = {(kind(one), one.extent): one.number for one in reversed(self._last) if one.number not in taken}
        return {
            place: free.pop((kind(one), one.extent))
            for place, one in enumerate(elements)
            if one is not None and place not in (known or {}) and (kind(one), one.extent) in free
        }

    def _moved(self, elements: Sequence[Element], numbers: Mapping[int, int]) -> dict[int, int]:
        """Return the numbers of the elements that are elsewhere now, in their order: of a name that as many elements have as before."""
        taken = set(numbers.values())
        before: dict[Hashable, list[int]] = defaultdict(list)
        now: dict[Hashable, list[int]] = defaultdict(list)
        for one in self._last:
            if one.number not in taken:
                before[_named(one)].append(one.number)
        for place, one in enumerate(elements):
            if place not in numbers:
                now[_named(one)].append(place)
        same = (kind for kind, places in now.items() if len(places) == len(before.get(kind, ())))
        return {place: number for kind in same for place, number in zip(now[kind], before[kind], strict=True)}

    def _new(self) -> int:
        self._next += 1
        return self._next - 1


def _named(element: Element) -> Hashable:
    return element.application, element.role, element.label or element.text


def _changed(element: Element) -> Hashable:
    return element.application, element.role, "" if element.role in _RENAMED else element.label
