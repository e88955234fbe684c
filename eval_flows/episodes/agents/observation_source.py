"""Observation sources: each is one way in which a model is shown the screen, or is told about it (ProSoftArena, Table 9).

A new one is one module, and one line in `OBSERVATIONS` or an entry point `deskmill.observations` of any package.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Protocol

from eval_flows.episodes.agents.agent import Situation
from eval_flows.episodes.runs.identity import identity_of
from machines.observation import Element
from machines.plugins import Registry


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
        """Return what observations have to hold for it besides elements and windows: `screenshot`, `clipboard`."""
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
    """What a source is made for: the names of all sources of the observation, and the suite."""

    names: tuple[str, ...]
    suite: str


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
        return [[identity_of(OBSERVATIONS, name), content] for name, content in zip(self.names, contents, strict=True)]

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
        "tree": "eval_flows.episodes.agents.observations.tree:tree",
        "marks": "eval_flows.episodes.agents.observations.marks:marks",
    },
)


def observation_choice(text: str, suite: str) -> ObservationChoice:
    """Return the observation that `--observe` asks for, as names joined by +; PluginError for an unknown name, or a source that is broken."""
    asked = dict.fromkeys(text.split("+"))
    names = (*(name for name in OBSERVATIONS.names if name in asked), *(name for name in asked if name not in OBSERVATIONS.names))
    return ObservationChoice(names, tuple(OBSERVATIONS[name](Asked(names, suite)) for name in names))
