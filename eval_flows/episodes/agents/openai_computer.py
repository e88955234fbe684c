"""The agent `openai_computer`: OpenAI's computer-use tool by the Responses API.

The tool calls for several actions at once. A call can come with safety checks that a person is to look at: the run has no person, so the episode ends
with the status `safety check`, unless its option lets them pass.
"""

from dataclasses import replace

from pydantic import Field

from eval_flows.episodes.agents.action_spaces.native import native_actions
from eval_flows.episodes.agents.agent import NoDecision, Situation
from eval_flows.episodes.agents.asking import Asked
from eval_flows.episodes.agents.choice import Setting
from eval_flows.episodes.agents.native.agent import NativeAgent
from eval_flows.episodes.agents.native.places import Places, largest
from eval_flows.episodes.agents.options import AgentOptions
from language_models.chat import BuiltInTool, Message, ToolCall
from machines.actions import Action, MalformedAction

_SIDE, _PATCH, _PATCHES = 2048, 32, 2500  # of pictures that the API does not make smaller
_CHECKS = "pending_safety_checks"


class OpenaiComputerOptions(AgentOptions):
    """What the agent is allowed."""

    acknowledge_safety_checks: bool = Field(False, description="whether safety checks of the model's calls pass without a person")


class OpenaiComputer(NativeAgent):
    """Acts by the tool `computer`."""

    interface = "responses"
    prompts = ("native_system", "native_step")
    tools = (BuiltInTool({"type": "computer"}),)
    options = OpenaiComputerOptions

    def __init__(self, setting: Setting) -> None:
        """Begin a conversation."""
        super().__init__(setting)
        self._acknowledges = setting.options(OpenaiComputerOptions).acknowledge_safety_checks

    def _size(self, size: tuple[int, int]) -> tuple[int, int]:
        return largest(size, _SIDE, _PATCH, _PATCHES)

    def _of_call(self, call: ToolCall, places: Places) -> list[Action]:
        actions = call.arguments.get("actions")
        if not actions:
            raise MalformedAction(f"{call.name}: the call holds no action")
        return [action for one in actions for action in native_actions(one, places)]

    def _asked(self, situation: Situation) -> Asked:
        """Ask the model; raise NoDecision if its calls have checks that nobody lets pass."""
        asked = super()._asked(situation)
        checks = [check for call in asked.answer.calls if not self._is_question(call) for check in call.arguments.get(_CHECKS, ())]
        if checks and not self._acknowledges:
            why = "; ".join(f"{check.get('code') or 'check'}: {check.get('message') or 'no reason given'}" for check in checks)
            words = f"the model's call waits for a safety check ({why}); --agent-option acknowledge_safety_checks true lets such checks pass"
            raise NoDecision("safety check", words, asked.spent, asked.pictures, asked.notes)
        return asked

    def _answers(self, situation: Situation, said: str, picture: bytes) -> list[Message]:
        """Each call of the computer is answered by a picture, a question to a person by a text; checks that were let pass are named."""
        told = super()._answers(situation, said, picture)
        checks = [() if self._is_question(call) else tuple(call.arguments.get(_CHECKS, ())) for call, _ in self._waiting]
        shown = [message.images if self._is_question(call) else (picture,) for message, (call, _) in zip(told, self._waiting, strict=True)]
        return [replace(message, images=images, acknowledged=passed) for message, images, passed in zip(told, shown, checks, strict=True)]
