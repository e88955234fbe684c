"""The agent `idle`: it says at once that it is done. It shows what doing nothing earns."""

from eval_flows.episodes.agents.agent import Decision, Situation
from eval_flows.episodes.agents.choice import Setting
from eval_flows.episodes.environment import DONE


class Idle:
    """Decides DONE."""

    wants = frozenset[str]()
    is_scripted = True

    def __init__(self, setting: Setting) -> None:
        """Need nothing of the episode."""

    def decide(self, situation: Situation) -> Decision:
        """Return DONE."""
        return Decision([DONE])
