"""Facts: predicates over argument names, such as open(workbook) or recording. Steps need, give and end them."""

import re
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

_FACT = re.compile(r"([a-z][a-z0-9_]*)(?:\(([a-z][a-z0-9_]*(?:, ?[a-z][a-z0-9_]*)*)\))?")


class Fact(NamedTuple):
    """A predicate and the names of its arguments."""

    predicate: str
    arguments: tuple[str, ...] = ()

    def renamed(self, names: Mapping[str, str]) -> "Fact":
        """Return the same predicate with other argument names. Names that are not in the mapping stay."""
        return Fact(self.predicate, tuple(names.get(argument, argument) for argument in self.arguments))

    def __str__(self) -> str:
        return f"{self.predicate}({', '.join(self.arguments)})" if self.arguments else self.predicate


@cache
def parse_facts(texts: tuple[str, ...]) -> tuple[Fact, ...]:
    """Return the facts of several texts."""
    return tuple(map(parse_fact, texts))


@cache
def parse_fact(text: str) -> Fact:
    """Read `predicate` or `predicate(argument, ...)`. A ValueError says which form is needed."""
    match = _FACT.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"'{text}' is not a fact; write predicate or predicate(argument, ...) in lower case")
    arguments = match[2].replace(" ", "").split(",") if match[2] else []
    return Fact(match[1], tuple(arguments))
