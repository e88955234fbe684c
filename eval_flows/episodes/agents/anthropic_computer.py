"""The agent `anthropic_computer`: Anthropic's computer toolset by the Messages API.

Each action is a call of its own. `zoom` is answered here: with a part of the screen at its own scale, which no action of a machine is.
"""

import io

from PIL import Image

from eval_flows.episodes.agents.action_spaces.native import native_actions
from eval_flows.episodes.agents.agent import Situation
from eval_flows.episodes.agents.native.agent import NativeAgent
from eval_flows.episodes.agents.native.anthropic_actions import region_of
from eval_flows.episodes.agents.native.places import Places, largest, resized
from language_models.chat import BuiltInTool, Message, ToolCall
from machines.actions import Action

_SIDE, _PATCH, _PATCHES = 1568, 28, 1568  # of pictures that every model takes without making them smaller
_DECLARED = {"type": "computer_toolset_20260801", "configs": {"cursor_position": {"enabled": False}}}  # the pointer is in the picture


class AnthropicComputer(NativeAgent):
    """Acts by the members of the toolset `computer`."""

    interface = "anthropic"
    prompts = ("native_system", "native_step")
    tools = (BuiltInTool(_DECLARED),)
    done = "done"

    def _size(self, size: tuple[int, int]) -> tuple[int, int]:
        return largest(size, _SIDE, _PATCH, _PATCHES)

    def _of_call(self, call: ToolCall, places: Places) -> list[Action]:
        return native_actions({**call.arguments, "action": call.name}, places)

    def _answers(self, situation: Situation, said: str, picture: bytes) -> list[Message]:
        """A zoom is answered by its part of the screen as it is now."""
        told = super()._answers(situation, said, picture)
        for place, (call, _) in enumerate(self._waiting):
            if call.name == "zoom" and not told[place].has_failed and situation.observation.screenshot:
                part = self._zoomed(situation.observation.screenshot, call, self._pointed)
                told[place] = Message("tool", told[place].text, (part, *told[place].images), answers=call.id)
        return told

    def _zoomed(self, screenshot: bytes, call: ToolCall, places: Places) -> bytes:
        """Return a part of the screen, made as large as the model takes it."""
        left, top, right, bottom = region_of(call.arguments["region"], places)
        file = io.BytesIO()
        with Image.open(io.BytesIO(screenshot)) as opened:
            width, height = opened.size
            begin = round(left * (width - 1)), round(top * (height - 1))
            part = opened.convert("RGB").crop((*begin, max(begin[0] + 1, round(right * width)), max(begin[1] + 1, round(bottom * height))))
        part.save(file, "PNG")
        scale = _SIDE / max(part.size)
        return resized(file.getvalue(), self._size((round(part.width * scale), round(part.height * scale))))
