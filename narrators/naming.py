"""Naming: what a text calls the application, at which level, and which applications stay valid then."""

import re
from collections.abc import Sequence
from random import Random
from typing import Literal, NamedTuple

from atomic_tasks.names import spoken_names
from atomic_tasks.schema import Application, Declared, Kinds
from narrators.rates import NamingRates

Level = Literal["application", "kind", "vendor", "none"]


class Words(NamedTuple):
    """Words for a set of applications: the name of one application, or words such as "in my browser"."""

    text: str
    applications: tuple[str, ...]

    def stand_twice_in(self, text: str) -> bool:
        """Tell whether the last word, which says the kind (browser), is in the text more than once."""
        return len(re.findall(rf"\b{re.escape(self.text.rpartition(' ')[2])}", text, re.IGNORECASE)) > 1


class Names(Declared):
    """Words for one application, by level. A composition across several applications has no names."""

    application: tuple[Words, ...] = ()
    kind: tuple[Words, ...] = ()
    vendor: tuple[Words, ...] = ()

    def at(self, level: Level) -> Sequence[Words]:
        """Return the words of a level."""
        return () if level == "none" else getattr(self, level)

    def level(self, rates: NamingRates, random: Random) -> Level:
        """Draw a level at its rate. Return "none" if there are no words for the drawn level."""
        drawn = random.random()
        for level in ("application", "kind", "vendor"):
            drawn -= getattr(rates, level)
            if drawn < 0:
                return level if self.at(level) else "none"
        return "none"


def names_of(application: Application, kinds: Kinds, makers: dict[str, str]) -> Names:
    """Return the names of an application. `makers` maps every application to its vendor."""
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
