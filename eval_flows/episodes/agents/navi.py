"""The agent `navi`, as Windows Agent Arena describes its agent Navi (sections 4.1 and A.2, Appendix D): planning in words, numbered elements, memory
and code. The prompts are our own.

Each step is one question, with the screen before the last action beside the present one. Play it with `--observe marks` and `--actions code`; other
observations and action spaces are the paper's ablations (Table 4).
"""

from collections.abc import Sequence

from eval_flows.episodes.agents.agent import Situation
from eval_flows.episodes.agents.choice import Setting
from eval_flows.episodes.agents.context import Messages
from eval_flows.episodes.agents.model import ModelAgent
from language_models.errors import Excess


class Navi(ModelAgent):
    """Asks its model to describe the screen and to plan before it acts."""

    prompts = ("navi_system", "navi_step")

    def __init__(self, setting: Setting) -> None:
        """Show the screen before the last action wherever the present one is shown."""
        super().__init__(setting)
        self._shows_before = True
        self._has_before = False  # whether the present question shows it

    def _pictures(self, shown: Sequence[bytes], situation: Situation) -> tuple[bytes, ...]:
        before = situation.before.pictures if self._shows_before and shown and situation.before else ()
        self._has_before = bool(before)
        return (*before, *super()._pictures(shown, situation))

    def _reduce(self, excess: Excess, refused: Messages) -> str:
        """Leave out the screen before the last action if the request is too long, then make pictures smaller; the other way round for a picture."""
        if excess == "picture" and (how := super()._reduce(excess, refused)):
            return how
        if self._has_before:
            self._shows_before = False
            return "without the picture before the last action"
        return super()._reduce(excess, refused)
