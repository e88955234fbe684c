"""The source `tree`: the elements on the screen as lines of text."""

from dataclasses import dataclass

from eval_flows.episodes.agents.agent import Situation
from eval_flows.episodes.agents.observation_source import Asked, Shown
from machines.observation import linearised, worth_telling

ABOUT = "A list of elements: id, role, name, text, place as shares of the screen (x1, y1, x2, y2), and states. An id is good for this step only."


@dataclass(frozen=True)
class Tree:
    """Tells the elements that can be used or say something."""

    wants = frozenset[str]()
    about = (ABOUT,)
    content = ""

    def show(self, situation: Situation) -> Shown:
        """Return a line for each element."""
        elements = worth_telling(situation.observation.elements)
        return Shown(f"Elements on the screen:\n{linearised(elements, situation.screen)}", elements=elements)


def tree(asked: Asked) -> Tree:
    """Return the source."""
    return Tree()
