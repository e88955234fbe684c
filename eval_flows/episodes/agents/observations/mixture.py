"""Marks of a mixture of element sources, as `marks[tree,ocr]` asks for: a marked picture, and lines that tell which sources saw each element."""

import json
from dataclasses import dataclass

from eval_flows.episodes.agents.agent import Situation
from eval_flows.episodes.agents.element_source import ELEMENTS, ElementSource
from eval_flows.episodes.agents.merging import Mark, merged
from eval_flows.episodes.agents.observation_source import Shown
from eval_flows.episodes.agents.observations.tree import LINES
from eval_flows.episodes.runs.identity import identity_of
from machines.lines import linearised
from machines.observation import with_boxes

_ABOUT = (
    "A picture of the screen, on which what can be used has numbered boxes; the number stands at the lower right corner of its box.",
    f"{LINES} They stand below the sources that saw them: {{sources}}. Ids that the tree did not give are good for this step only.",
)
_TOLD = {
    "tree": "tree (the accessibility tree)",
    "dom": "dom (the page of the browser)",
    "ocr": "ocr (texts read from the picture)",
    "icons": "icons (drawings in the picture)",
    "detector": "detector (a model that looks at the picture)",
}


@dataclass(frozen=True)
class Mixture:
    """Shows what several element sources found, each thing once."""

    names: tuple[str, ...]
    sources: tuple[ElementSource, ...]

    @property
    def wants(self) -> frozenset[str]:
        """Return what its sources need of an observation, and the screenshot."""
        return frozenset({"screenshot"}).union(*(source.wants for source in self.sources))

    @property
    def about(self) -> tuple[str, ...]:
        """Return sentences about the picture and the list."""
        told = ", ".join(_TOLD.get(name, name) for name in self.names)
        return tuple(sentence.format(sources=told) for sentence in _ABOUT)

    @property
    def content(self) -> str:
        """Return what decides the elements: each source, and what it depends on."""
        return json.dumps([[identity_of(ELEMENTS, name), source.content] for name, source in zip(self.names, self.sources, strict=True)])

    def show(self, situation: Situation) -> Shown:
        """Return the picture, and a line for each element."""
        marks = self.marks(situation)
        elements = [mark.element for mark in marks]
        told: list[str] = []
        for sources in dict.fromkeys(mark.sources for mark in marks):
            seen_by = [mark.element for mark in marks if mark.sources == sources]
            told += [f"Seen by {'+'.join(sources)}:", *linearised(seen_by, situation.screen)]
        seen = situation.observation.screenshot
        pictures = () if seen is None else (with_boxes(seen, [mark.element for mark in marks if mark.is_usable]),)
        return Shown("Elements on the screen, by the sources that saw them:\n" + "\n".join(told), pictures, elements)

    def marks(self, situation: Situation) -> list[Mark]:
        """Return each thing that a source found, once."""
        found = {name: source.find(situation) for name, source in zip(self.names, self.sources, strict=True)}
        return merged(found, situation.observation.elements)


def mixture(names: tuple[str, ...]) -> Mixture:
    """Return the source for element sources by name; `PluginError` for an unknown or broken one, or if one lacks what it needs."""
    return Mixture(names, tuple(ELEMENTS[name]() for name in names))
