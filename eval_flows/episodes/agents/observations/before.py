"""The source `before`: the elements before the last step, and the picture of the screen then if there are pictures."""

from dataclasses import dataclass

from eval_flows.episodes.agents.agent import Situation
from eval_flows.episodes.agents.observation_source import Asked, Shown
from machines.telling import told


@dataclass(frozen=True)
class Before:
    """Shows the last observation but one."""

    with_picture: bool
    about = ("The same as it was before the last step.",)
    content = ""

    @property
    def wants(self) -> frozenset[str]:
        """Return the screenshot if it is shown."""
        return frozenset({"screenshot"} if self.with_picture else ())

    def show(self, situation: Situation) -> Shown:
        """Return the lines about the elements then, and the picture."""
        before = situation.before
        if before is None:
            return Shown()
        pictures = (before.screenshot,) if self.with_picture and before.screenshot else ()
        return Shown(f"Elements before the last step:\n{told(before.elements, before.windows, situation.screen).text}", pictures)


def before(asked: Asked) -> Before:
    """Return the source; it shows a picture where the screen is shown as a picture."""
    return Before("screenshot" in asked.names)
