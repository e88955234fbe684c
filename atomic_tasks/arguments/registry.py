"""The registry of computed argument generators, by the names that the catalog uses."""

import functools
import importlib
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from atomic_tasks.schema import DEFAULT_LOCALE


class Given(NamedTuple):
    """What a value must fit: the value of the argument that it is tied to, if any, and the locale of the composition."""

    of: str | None = None
    locale: str = DEFAULT_LOCALE


Draw = Callable[[Random, Given], str]
Later = Callable[[Random, str], str]

_MODULES = ("files", "people", "places", "times", "numbers")
_GENERATORS: dict[str, "Generator"] = {}


@dataclass(frozen=True)
class Generator:
    """A named source of values.

    `draw(random, given)` makes a value that fits what is given.
    `later(random, value)` returns the words of a second mention ("that workbook"). It is None if the value is repeated.
    """

    name: str
    draw: Draw
    later: Later | None = None
    needs_of: bool = False


def generator(later: Later | list[str] | None = None, needs_of: bool = False) -> Callable[[Draw], Draw]:
    """Register a function under its own name. `later` is a list of second mentions, or a function that makes one."""

    def register(draw: Draw) -> Draw:
        name = draw.__name__
        said_later = (lambda random, value: random.choice(later)) if isinstance(later, list) else later
        _GENERATORS[name] = Generator(name, draw, said_later, needs_of)
        return draw

    return register


@functools.cache
def computed_generators() -> dict[str, Generator]:
    """Return every computed generator by name."""
    for module in _MODULES:
        importlib.import_module(f"atomic_tasks.arguments.{module}")
    return dict(_GENERATORS)
