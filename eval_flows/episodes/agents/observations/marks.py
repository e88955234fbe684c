"""The source `marks`: a picture with a numbered box around each element that can be used, and the elements as lines of text (set-of-marks).

`marks[tree,ocr]` asks for a mixture of element sources in place of the tree alone.
"""

from dataclasses import dataclass

from eval_flows.episodes.agents.agent import Situation
from eval_flows.episodes.agents.observation_source import Asked, ObservationSource, Shown
from eval_flows.episodes.agents.observations import tree
from eval_flows.episodes.agents.observations.mixture import mixture
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
        pictures = () if seen.screenshot is None else (with_marks(seen.screenshot, told.elements),)
        return Shown(told.text, pictures, told.elements)


def marks(asked: Asked) -> ObservationSource:
    """Return the source, of the mixture that is asked for."""
    return mixture(asked.elements) if asked.elements else Marks()
