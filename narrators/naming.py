"""Naming: what a text may call the application, at which level, and whom that leaves as valid."""

import re
from collections.abc import Sequence
from random import Random
from typing import Literal, NamedTuple

from atomic_tasks.names import spoken_names
from atomic_tasks.schema import Application, Declared, Kinds
from narrators.rates import NamingRates

Level = Literal["application", "kind", "vendor", "none"]


class Words(NamedTuple):
    """Words for a set of applications: one application's name, or "in my browser"."""

    text: str
    applications: tuple[str, ...]

    def stand_twice_in(self, text: str) -> bool:
        """Whether the last of the words, which says what it is (the browser), stands in the text a second time."""
        return len(re.findall(rf"\b{re.escape(self.text.rpartition(' ')[2])}", text, re.IGNORECASE)) > 1


class Names(Declared):
    """What one application may be called, by level. Where several applications take part, there are no names."""

    application: tuple[Words, ...] = ()
    kind: tuple[Words, ...] = ()
    vendor: tuple[Words, ...] = ()

    def at(self, level: Level) -> Sequence[Words]:
        """The words of a level."""
        return () if level == "none" else getattr(self, level)

    def level(self, rates: NamingRates, random: Random) -> Level:
        """A level at its rate; nothing is named where there are no words for the level drawn."""
        drawn = random.random()
        for level in ("application", "kind", "vendor"):
            drawn -= getattr(rates, level)
            if drawn < 0:
                return level if self.at(level) else "none"
        return "none"


def names_of(application: Application, kinds: Kinds, makers: dict[str, str]) -> Names:
    """The names of an application; `makers` maps every application to its vendor."""
    own = [kind for kind in kinds.kinds.values() if application.application in kind.applications]
    vendor = application.vendor
    of_vendor = [kind for kind in own if kind.of_vendor and vendor in kinds.vendors]
    return Names(
        application=tuple(Words(name, (application.application,)) for name in spoken_names(application)),
        kind=tuple(Words(text, kind.applications) for kind in own for text in kind.say),
        vendor=tuple(
            Words((kind.of_vendor or "").format(vendor=vendor), tuple(name for name in kind.applications if makers.get(name) == vendor))
            for kind in of_vendor
        ),
    )
