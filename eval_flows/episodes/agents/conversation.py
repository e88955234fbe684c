"""The agent `conversation`: it keeps the conversation with its model, so that the model sees its own earlier answers and what came of them.

How many past steps it keeps, and whether with their pictures, are options (ProSoftArena, section 4.4 and Figure 7).
"""

from dataclasses import replace
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from eval_flows.episodes.agents.agent import Situation
from eval_flows.episodes.agents.asking import Asked
from eval_flows.episodes.agents.choice import Setting
from eval_flows.episodes.agents.context import NO_ANSWER, Part
from eval_flows.episodes.agents.model import ModelAgent
from eval_flows.episodes.agents.options import AgentOptions
from language_models.chat import Message


class ConversationOptions(AgentOptions):
    """What is kept of the conversation."""

    history: Annotated[Literal["0", "1", "3", "5", "all"], BeforeValidator(str)] = Field(
        "all", description="past steps that the model is shown again: 0, 1, 3, 5 or all"
    )
    pictures: bool = Field(True, description="whether past steps are shown with their pictures")


class Conversation(ModelAgent):
    """Asks its model with the past steps before the present one."""

    prompts = ("conversation_system", "conversation_step")
    options = ConversationOptions

    def __init__(self, setting: Setting) -> None:
        """Begin with no past."""
        super().__init__(setting)
        options = setting.options(ConversationOptions)
        self._most = None if options.history == "all" else int(options.history)
        self._keeps_pictures = options.pictures

    def _texts(self, situation: Situation, shown: str) -> tuple[str, str]:
        system, step = super()._texts(situation, shown)
        return system.rstrip(), step.rstrip()

    def _remember(self, number: int, asked: Asked) -> None:
        question, answer = asked.messages[-1], asked.answer
        said = answer.message if answer.text.strip() else Message("assistant", NO_ANSWER)
        self._context.add(Part(number, (question if self._keeps_pictures else replace(question, images=()), said)))
        if self._most is not None:
            self._context.keep(self._most)
