"""The source `tree`: the elements on the screen as lines of text."""

from dataclasses import dataclass

from eval_flows.episodes.agents.agent import Situation
from eval_flows.episodes.agents.observation_source import Asked, Shown
from machines.telling import told

LINES = (
    "A list of elements that can be seen. Elements of one role that stand side by side, or one below another, share a line: the role, then for each "
    'its id, its name, "=" and its text, and its states; at the end the place of them all, as shares of the screen (left top right bottom).'
)
ABOUT = f"{LINES} An element keeps its id as long as it can be seen."


@dataclass(frozen=True)
class Tree:
    """Tells the elements that can be used or say something."""

    wants = frozenset[str]()
    about = (ABOUT,)
    content = ""

    def show(self, situation: Situation) -> Shown:
        """Return the lines."""
        found = told(situation.observation.elements, situation.observation.windows, situation.screen)
        return Shown(f"Elements on the screen:\n{found.text}", elements=found.elements)


def tree(asked: Asked) -> Tree:
    """Return the source."""
    return Tree()
