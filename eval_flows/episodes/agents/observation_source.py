"""Observation sources: each is one way in which a model is shown the screen, or is told about it (ProSoftArena, Table 9).

A new one is one module, and one line in `OBSERVATIONS` or an entry point `deskmill.observations` of any package.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Protocol

from eval_flows.episodes.agents.agent import Situation
from eval_flows.episodes.runs.identity import identity_of
from machines.errors import PluginError
from machines.observation import Element
from machines.plugins import Registry

_OF_ELEMENTS = "marks"  # the source that shows mixtures of element sources
_WITH_BRACKETS = re.compile(r"([^\[\]]*)\[(.*)\]")


@dataclass(frozen=True)
class Shown:
    """What a source shows of a situation: a text for the question, pictures (PNG), and the elements whose numbers the model may use."""

    text: str = ""
    pictures: tuple[bytes, ...] = ()
    elements: Sequence[Element] = ()


class ObservationSource(Protocol):
    """Shows something of each situation. A run sends it to its workers, so it has to pickle."""

    @property
    def wants(self) -> frozenset[str]:
        """Return what observations have to hold for it besides elements and windows: `screenshot`, `clipboard`, `dom`."""
        ...

    @property
    def about(self) -> tuple[str, ...]:
        """Return sentences for the model about what it gets; the same sentence of two sources is told once."""
        ...

    @property
    def content(self) -> str:
        """Return what it shows that no situation holds, such as cards: part of the identity of a run."""
        ...

    def show(self, situation: Situation) -> Shown:
        """Return what it shows."""
        ...


@dataclass(frozen=True)
class Asked:
    """What a source is made for: the names of all sources of the observation, the suite, and the element sources in its brackets, if it has them."""

    names: tuple[str, ...]
    suite: str
    elements: tuple[str, ...] = ()


@dataclass(frozen=True)
class ObservationChoice:
    """The observation of an agent: its sources by name, in the order in which they are shown."""

    names: tuple[str, ...] = ()
    sources: tuple[ObservationSource, ...] = ()

    @property
    def words(self) -> str:
        """Return the names, joined by +."""
        return "+".join(self.names)

    @property
    def wants(self) -> frozenset[str]:
        """Return what its sources need of an observation."""
        return frozenset[str]().union(*(source.wants for source in self.sources))

    @property
    def about(self) -> list[str]:
        """Return the sentences about it, each once."""
        return list(dict.fromkeys(sentence for source in self.sources for sentence in source.about))

    @property
    def described(self) -> list[Any]:
        """Return what decides the observation: each source, and a hash of its content."""
        contents = [source.content and blake2b(source.content.encode(), digest_size=8).hexdigest() for source in self.sources]
        return [[identity_of(OBSERVATIONS, _parts(name)[0]), content] for name, content in zip(self.names, contents, strict=True)]

    def show(self, situation: Situation) -> Shown:
        """Return what the sources show together; the same text or element of two sources is shown once."""
        found = [source.show(situation) for source in self.sources]
        texts = dict.fromkeys(shown.text for shown in found if shown.text)
        elements = {element.number: element for shown in found for element in shown.elements}
        return Shown("\n".join(texts), tuple(picture for shown in found for picture in shown.pictures), list(elements.values()))


OBSERVATIONS: Registry[Callable[[Asked], ObservationSource]] = Registry(
    "observation source",
    "deskmill.observations",
    {
        "cards": "eval_flows.episodes.agents.observations.cards:cards",
        "before": "eval_flows.episodes.agents.observations.before:before",
        "screenshot": "eval_flows.episodes.agents.observations.screenshot:screenshot",
        "changes": "eval_flows.episodes.agents.observations.changes:changes",
        "tree": "eval_flows.episodes.agents.observations.tree:tree",
        "marks": "eval_flows.episodes.agents.observations.marks:marks",
    },
)


def observation_choice(text: str, suite: str) -> ObservationChoice:
    """Return the observation that `--observe` asks for, as names joined by +, with element sources in brackets after `marks`.

    PluginError for an unknown name, or a source that is broken or lacks what it needs.
    """
    asked = dict.fromkeys(text.split("+"))
    parts = {part: _parts(part) for part in asked}
    known = OBSERVATIONS.names
    names = tuple(sorted(asked, key=lambda part: known.index(parts[part][0]) if parts[part][0] in known else len(known)))
    return ObservationChoice(names, tuple(OBSERVATIONS[parts[part][0]](Asked(names, suite, parts[part][1])) for part in names))


def _parts(text: str) -> tuple[str, tuple[str, ...]]:
    """Return the name of a source and the element sources in its brackets, each once; PluginError if the brackets are wrong."""
    found = _WITH_BRACKETS.fullmatch(text)
    if found is None:
        return text, ()
    elements = tuple(dict.fromkeys(name.strip() for name in found[2].split(",")))
    if found[1] != _OF_ELEMENTS or not all(elements):
        raise PluginError(f"'{text}' is no observation: element sources are named after {_OF_ELEMENTS}, such as {_OF_ELEMENTS}[tree,ocr]")
    return found[1], elements
