"""The agent `fail`: it says that every task is infeasible. It shows what giving up earns."""

from eval_flows.episodes.agents.agent import Decision, Situation
from eval_flows.episodes.agents.choice import Setting
from eval_flows.episodes.environment import FAIL


class AlwaysFail:
    """Decides FAIL."""

    wants = frozenset[str]()
    is_scripted = True

    def __init__(self, setting: Setting) -> None:
        """Need nothing of the episode."""

    def decide(self, situation: Situation) -> Decision:
        """Return FAIL."""
        return Decision([FAIL])
