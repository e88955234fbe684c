"""The source `marks`: a picture with a numbered box around each element that can be used, and the elements as lines of text (set-of-marks)."""

from dataclasses import dataclass

from eval_flows.episodes.agents.agent import Situation
from eval_flows.episodes.agents.observation_source import Asked, Shown
from eval_flows.episodes.agents.observations import tree
from machines.observation import with_marks


@dataclass(frozen=True)
class Marks:
    """Shows the marked picture beside the elements."""

    wants = frozenset({"screenshot"})
    about = (
        "A picture of the screen, on which elements that can be used have numbered boxes; the number stands at the lower right corner of its box.",
        tree.ABOUT,
    )
    content = ""

    def show(self, situation: Situation) -> Shown:
        """Return the picture, and a line for each element."""
        seen, told = situation.observation, tree.Tree().show(situation)
        pictures = () if seen.screenshot is None else (with_marks(seen.screenshot, seen.elements),)
        return Shown(told.text, pictures, told.elements)


def marks(asked: Asked) -> Marks:
    """Return the source."""
    return Marks()
