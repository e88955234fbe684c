"""The element source `tree`: the elements of the accessibility tree that can be seen, and used or say something."""

from dataclasses import dataclass

from eval_flows.episodes.agents.agent import Situation
from eval_flows.episodes.agents.element_source import Found
from machines.lines import content
from machines.observation import marked
from machines.telling import worth_telling


@dataclass(frozen=True)
class Tree:
    """Finds what the tree of an observation holds; each keeps its number."""

    wants = frozenset[str]()
    content = ""

    def find(self, situation: Situation) -> list[Found]:
        """Return an entry for each element; those that a click or a key can change are usable."""
        elements, _ = worth_telling(situation.observation.elements, situation.observation.windows)
        usable = {one.number for one in marked(elements)}
        return [Found(one.box, one.label or content(one), one.role, "tree", 1.0, one.number in usable, one) for one in elements]
