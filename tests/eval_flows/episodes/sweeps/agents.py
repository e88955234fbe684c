"""An agent of a test's own with a history length, and a server that answers as a model: a sweep of these costs nothing."""

from typing import Any, Literal

from pydantic import Field

from eval_flows.episodes.agents.agent import Decision, Situation
from eval_flows.episodes.agents.choice import Setting
from eval_flows.episodes.agents.model import ModelAgent
from eval_flows.episodes.agents.options import AgentOptions

SAVED = '```decision\nCOMMAND\n```\n```python\ncomputer.keyboard.press(key="ctrl+s")\n```'


class RememberingOptions(AgentOptions):
    history: int | Literal["all"] = Field("all", description="past steps that it remembers")


class Remembering(ModelAgent):
    options = RememberingOptions

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.length = setting.options(RememberingOptions).history

    def decide(self, situation: Situation) -> Decision:
        past = situation.history if self.length == "all" else situation.history[len(situation.history) - min(self.length, len(situation.history)) :]
        return super().decide(Situation(**(vars(situation) | {"history": past})))


class Forgetful(Remembering):
    """Another agent with the same option."""


def reply(request: dict[str, Any]) -> str:
    """Save in the first step, and say DONE in the second."""
    content = request["messages"][1]["content"]
    text = content if isinstance(content, str) else content[0]["text"]
    return SAVED if "Step 1 of" in text else "```decision\nDONE\n```"
