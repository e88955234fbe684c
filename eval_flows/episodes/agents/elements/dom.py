"""The element source `dom`: what can be used on the page of the browser in front, as the page itself says."""

from dataclasses import dataclass

from eval_flows.episodes.agents.agent import Situation
from eval_flows.episodes.agents.element_source import Found


@dataclass(frozen=True)
class Dom:
    """Finds what the guest was told by the browser; nothing if another window is in front."""

    wants = frozenset({"dom"})
    content = ""

    def find(self, situation: Situation) -> list[Found]:
        """Return an entry for each link, button, field and so on that shows."""
        return [Found((one.x, one.y, one.width, one.height), one.name, one.role, "dom") for one in situation.observation.dom or ()]
