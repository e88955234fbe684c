"""The agent `random`: it moves, clicks, types and presses keys at random, by a seed."""

from atomic_tasks.seeds import derived_random
from eval_flows.episodes.agents.agent import Decision, Situation
from eval_flows.episodes.agents.choice import Setting
from eval_flows.episodes.environment import DONE
from machines.actions import Action
from machines.observation import marked

_KEYS = ("enter", "escape", "tab", "ctrl+s", "alt+f4", "ctrl+a", "delete", "down")
_WORDS = ("hello", "42", "report", "Monday")


class Clicker:
    """Decides at random; the same episode and repeat give the same seed."""

    wants = frozenset[str]()
    is_scripted = True

    def __init__(self, setting: Setting) -> None:
        """Take the seed from the task and the repeat."""
        self._random = derived_random("random agent", setting.task.episode_id, setting.repeat)

    def decide(self, situation: Situation) -> Decision:
        """Return a random action, or sometimes DONE."""
        draw = self._random.random()
        there = list(marked(situation.observation.elements))
        if draw < 0.02:
            return Decision([DONE])
        if draw < 0.15 or not there:
            return Decision([Action("press", {"key": self._random.choice(_KEYS)})])
        if draw < 0.25:
            return Decision([Action("write", {"text": self._random.choice(_WORDS)})])
        click = self._random.choice(("single_click", "single_click", "single_click", "double_click", "right_click"))
        return Decision([Action("move_id", {"id": self._random.choice(there).number}), Action(click, {})])
