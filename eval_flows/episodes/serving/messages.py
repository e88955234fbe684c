"""The messages between the server and its clients: JSON, checked by pydantic on both sides."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from eval_flows.episodes.environment import Observation, Reward
from eval_flows.episodes.environment.stage import Start
from eval_flows.episodes.serving.suite_environment import End, named_action
from eval_flows.episodes.tasks.task import Level
from machines.actions import Action

Pictures = Literal["base64", "address", "none"]
"""How a screenshot travels: within the observation, by an address of its own, or not at all."""
_LONGEST_GOT = 1000
_COMPUTED = ("value", "holds", "is_success")  # properties of a reward, which a client computes again
_OBSERVATION: TypeAdapter[Observation] = TypeAdapter(Observation)
_REWARD: TypeAdapter[Reward] = TypeAdapter(Reward)


class Message(BaseModel):
    """A message; unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ResetMessage(Message):
    """What a client asks to play: an episode by its number in the suite or by its id, from an open application or an empty desktop (`bare`)."""

    episode: int | str = 0
    start: Start = "preloaded"


class SessionMessage(ResetMessage):
    """A session that a client asks for."""

    suite: str
    pictures: Pictures = "base64"


class NamedAction(Message):
    """An action by its name, with its arguments by name."""

    name: str
    arguments: dict[str, Any] = Field(default_factory=dict)


class StepMessage(Message):
    """A step that a client asks for: a text in the language of the action space, or a list of actions."""

    action: str | list[NamedAction] = Field(description="calls such as computer.keyboard.press(key='ctrl+s'), or WAIT, DONE or FAIL")

    @classmethod
    def of(cls, deed: Action | Sequence[Action] | str) -> "StepMessage":
        """Return the message for a step."""
        actions = [deed] if isinstance(deed, Action) else deed
        if isinstance(actions, str):
            return cls(action=actions)
        return cls(action=[NamedAction(name=one.name, arguments=dict(one.arguments)) for one in actions])

    @property
    def deed(self) -> Sequence[Action] | str:
        """Return the step; `MalformedAction` if an action of the list does not exist, or its arguments do not fit."""
        return self.action if isinstance(self.action, str) else [named_action(one.name, one.arguments) for one in self.action]


class EpisodeMessage(Message):
    """An episode of a suite; `steps` is its budget."""

    number: int
    episode: str
    level: Level
    instruction: str
    applications: list[str]
    steps: int


class StateMessage(Message):
    """A session: what it plays, and how far it is. `end` is null while a step is possible."""

    session: str
    suite: str
    episode: str
    instruction: str
    step: int
    steps: int
    end: End | None
    screen: tuple[int, int]


@dataclass(frozen=True)
class Sent:
    """The state of a session after a call, and what is observed."""

    state: StateMessage
    observation: Observation


def as_json(sent: Sent, pictures: Pictures) -> dict[str, Any]:
    """Return the answer to a reset, a step or a look: the session, and the observation with its screenshot as `pictures` asks."""
    picture = sent.observation.screenshot
    observation = _OBSERVATION.dump_python(replace(sent.observation, screenshot=None, pictures=()), mode="json")
    del observation["pictures"]  # they are the screenshot in another form
    if picture is not None and pictures == "base64":
        observation["screenshot"] = base64.b64encode(picture).decode()
    if picture is not None and pictures == "address":
        observation["screenshot_address"] = f"/sessions/{sent.state.session}/screenshot.png"
    return {"session": sent.state.model_dump(mode="json"), "observation": observation}


def read_sent(answer: dict[str, Any]) -> Sent:
    """Return what an answer says; `ValueError` if it is not such an answer."""
    observation = {key: value for key, value in answer["observation"].items() if key not in ("screenshot", "screenshot_address")}
    picture = answer["observation"].get("screenshot")
    found = _OBSERVATION.validate_python(observation, strict=False)
    return Sent(StateMessage.model_validate(answer["session"]), replace(found, screenshot=base64.b64decode(picture) if picture else None))


def reward_as_json(reward: Reward) -> dict[str, Any]:
    """Return a reward with its value, whether the checks hold, and whether it is a success: a graded reward below 1 can be one.

    What a check got is told as text: it may be of any type, and long.
    """
    told = [replace(one, got=repr(one.got)[:_LONGEST_GOT]) for one in reward.checked]
    found: dict[str, Any] = _REWARD.dump_python(replace(reward, checked=told), mode="json")
    checks = [{**one, "holds": check.holds} for one, check in zip(found["checked"], reward.checked, strict=True)]
    return {name: getattr(reward, name) for name in _COMPUTED} | found | {"checked": checks}


def read_reward(answer: dict[str, Any]) -> Reward:
    """Return the reward in an answer; `ValueError` if it is none."""
    checked = [{key: value for key, value in one.items() if key != "holds"} for one in answer["checked"]]
    return _REWARD.validate_python({key: value for key, value in answer.items() if key not in _COMPUTED} | {"checked": checked})
