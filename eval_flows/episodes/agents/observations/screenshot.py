"""The source `screenshot`: a picture of the screen."""

from dataclasses import dataclass

from eval_flows.episodes.agents.agent import Situation
from eval_flows.episodes.agents.observation_source import Asked, Shown


@dataclass(frozen=True)
class Screenshot:
    """Shows the screen."""

    wants = frozenset({"screenshot"})
    about = ("A picture of the screen.",)
    content = ""

    def show(self, situation: Situation) -> Shown:
        """Return the picture."""
        picture = situation.observation.screenshot
        return Shown(pictures=() if picture is None else (picture,))


def screenshot(asked: Asked) -> Screenshot:
    """Return the source."""
    return Screenshot()
