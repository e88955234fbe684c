"""The lists of a .docx document: how each list numbers its paragraphs, and the numbers themselves."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from docx.oxml.ns import qn

Node = Any


class Numbering:
    """The list definitions of a document (ECMA-376, part 1, 17.9): a list (`w:num`) refers to an abstract list, and may define levels anew."""

    def __init__(self, document: Any, styles: Mapping[str | None, Node]) -> None:
        part = next((one.target_part for one in document.part.rels.values() if one.reltype.endswith("/numbering") and not one.is_external), None)
        root = None if part is None else part.element
        self._lists = {} if root is None else {one.get(qn("w:numId")): one for one in root.iter(qn("w:num"))}
        self._abstract = {} if root is None else {one.get(qn("w:abstractNumId")): one for one in root.iter(qn("w:abstractNum"))}
        self._styles = styles

    def kind(self, number: str, level: int) -> str | None:
        """Return how a list numbers a level: decimal, lowerLetter, bullet and so on; None if it shows no number."""
        found = self._level(number, level)
        kind = None if found is None or found.find(qn("w:numFmt")) is None else found.find(qn("w:numFmt")).get(qn("w:val"))
        return None if kind == "none" else kind

    def indents(self, number: str, level: int) -> Node | None:
        """Return the settings of a list for the paragraphs of a level (`w:pPr`)."""
        found = self._level(number, level)
        return None if found is None else found.find(qn("w:pPr"))

    def numbers(self, places: Iterable[tuple[str, int]]) -> Iterator[int]:
        """Yield the number of each paragraph in a list, in text order, by its list and level; lists of one abstract list share their count."""
        counted: dict[tuple[str, int], int] = {}
        begun = set[str]()
        for number, level in places:
            abstract = self._abstract_of(number)
            if number not in begun:
                begun.add(number)
                for again in self._restarted(number):
                    counted.pop((abstract, again), None)
            counted = {(one, depth): count for (one, depth), count in counted.items() if one != abstract or depth <= level}
            counted[abstract, level] = counted.get((abstract, level), self._start(number, level) - 1) + 1
            yield counted[abstract, level]

    def _abstract_of(self, number: str) -> str:
        found = self._lists.get(number)
        return "" if found is None else str(found.find(qn("w:abstractNumId")).get(qn("w:val")))

    def _restarted(self, number: str) -> list[int]:
        found = self._lists.get(number)
        overrides = () if found is None else found.findall(qn("w:lvlOverride"))
        return [int(one.get(qn("w:ilvl"))) for one in overrides if one.find(qn("w:startOverride")) is not None]

    def _start(self, number: str, level: int) -> int:
        for one in self._lists[number].findall(qn("w:lvlOverride")) if number in self._lists else ():
            if one.get(qn("w:ilvl")) == str(level) and one.find(qn("w:startOverride")) is not None:
                return int(one.find(qn("w:startOverride")).get(qn("w:val")))
        found = self._level(number, level)
        start = None if found is None else found.find(qn("w:start"))
        return 1 if start is None else int(start.get(qn("w:val")))

    def _level(self, number: str, level: int) -> Node | None:
        found = self._lists.get(number)
        if found is None:
            return None
        own = [one.find(qn("w:lvl")) for one in found.findall(qn("w:lvlOverride")) if one.get(qn("w:ilvl")) == str(level)]
        if own and own[0] is not None:
            return own[0]
        abstract = self._abstract.get(self._abstract_of(number))
        linked = None if abstract is None else abstract.find(qn("w:numStyleLink"))
        if linked is not None:
            style = self._styles.get(linked.get(qn("w:val")))
            other = None if style is None else next(style.iter(qn("w:numId")), None)
            return None if other is None or other.get(qn("w:val")) == number else self._level(other.get(qn("w:val")), level)
        levels = () if abstract is None else abstract.findall(qn("w:lvl"))
        return next((one for one in levels if one.get(qn("w:ilvl")) == str(level)), None)
