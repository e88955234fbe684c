"""The agent `ui_tars`: a model that was trained for UI-TARS's action format, at a server that speaks OpenAI's chat API (vLLM, llama.cpp).

Its context is as published: all texts and the newest pictures. UI-TARS 1.5 points in pixels of the picture as its vision part gets it, with sides
that are multiples of 28; UI-TARS 1.0 points from 0 to 1000 in both directions.
"""

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from eval_flows.episodes.agents.agent import Situation
from eval_flows.episodes.agents.choice import Setting
from eval_flows.episodes.agents.native.agent import NativeAgent
from eval_flows.episodes.agents.native.places import THOUSANDTHS, Places, size_of
from eval_flows.episodes.agents.native.ui_tars_actions import thought_of, ui_tars_actions
from eval_flows.episodes.agents.options import AgentOptions
from language_models.chat import Answer
from machines.actions import Action

_PATCH, _MOST_PIXELS = 28, 2_116_800  # sides become multiples of the first; the second is the most that its agents use


class UiTarsOptions(AgentOptions):
    """How the model points, and how much it is shown."""

    coordinates: Literal["pixels", "thousandths"] = Field("pixels", description="places as UI-TARS 1.5 (pixels) or 1.0 (thousandths) gives them")
    pictures: int = Field(5, ge=1, le=50, description="newest pictures that the model is shown; texts stay")


class UiTars(NativeAgent):
    """Acts by `Thought: ...` and `Action: ...`."""

    prompts = ("ui_tars_system", "ui_tars_step")
    options = UiTarsOptions

    def __init__(self, setting: Setting) -> None:
        """Begin a conversation."""
        super().__init__(setting)
        self._options = setting.options(UiTarsOptions)

    def _size(self, size: tuple[int, int]) -> tuple[int, int]:
        scale = (_MOST_PIXELS / (size[0] * size[1])) ** 0.5
        return size if scale >= 1 else (round(size[0] * scale), round(size[1] * scale))

    def _places(self, picture: bytes) -> Places:
        return Places(*(max(_PATCH, round(side / _PATCH) * _PATCH) for side in size_of(picture)))

    def _words(self, answer: Answer) -> str:
        return thought_of(answer.text)

    def _actions(self, answer: Answer, places: Places) -> Sequence[Action]:
        return ui_tars_actions(answer.text, THOUSANDTHS if self._options.coordinates == "thousandths" else places, self._asks_people)

    def _tell(self, situation: Situation) -> None:
        super()._tell(situation)
        self._context.keep_pictures(self._options.pictures - 1)
