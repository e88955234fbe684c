"""The actions of OpenAI's computer-use tool, each an object with a `type` (openai.types.responses.ComputerAction), as actions of a machine."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from eval_flows.episodes.agents.native.places import Places, combination_of, pressed, with_keys
from eval_flows.episodes.environment import WAIT
from machines.actions import Action, MalformedAction
from machines.hands import drag_along

_PIXELS = 100  # that a step of the wheel moves, about
_MOST_STEPS = 50
_BUTTONS = {"left": "single_click", "right": "right_click", "wheel": "middle_click"}
_BACK_AND_FORWARD = {"back": "alt+left", "forward": "alt+right"}  # what these buttons do in browsers and file managers
Keys = list[str] | None


class _Given(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Placed(_Given):
    x: float
    y: float
    keys: Keys = None


class _Click(_Placed):
    type: Literal["click"]
    button: Literal["left", "right", "wheel", "back", "forward"] = "left"

    def actions(self, places: Places) -> list[Action]:
        at = places.at(self.x, self.y)
        if self.button in _BACK_AND_FORWARD:
            return [Action("move_abs", at), pressed(_BACK_AND_FORWARD[self.button])]
        return [Action(_BUTTONS[self.button], {**at, **with_keys(self.keys)})]


class _DoubleClick(_Placed):
    type: Literal["double_click"]

    def actions(self, places: Places) -> list[Action]:
        return [Action("double_click", {**places.at(self.x, self.y), **with_keys(self.keys)})]


class _Move(_Placed):
    type: Literal["move"]

    def actions(self, places: Places) -> list[Action]:
        if self.keys:
            raise MalformedAction("move holds no keys: hold them at the click or the drag")
        return [Action("move_abs", places.at(self.x, self.y))]


class _Scroll(_Placed):
    type: Literal["scroll"]
    scroll_x: float = 0
    scroll_y: float = 0

    def actions(self, places: Places) -> list[Action]:
        at = places.at(self.x, self.y)
        turns = [(self.scroll_y, "down" if self.scroll_y > 0 else "up"), (self.scroll_x, "right" if self.scroll_x > 0 else "left")]
        steps = [(min(_MOST_STEPS, max(1, round(abs(pixels) / _PIXELS))), direction) for pixels, direction in turns if pixels]
        made = [Action("scroll", {"direction": direction, "amount": amount, **at, **with_keys(self.keys)}) for amount, direction in steps]
        return made or [Action("move_abs", at)]


class _Place(_Given):
    x: float
    y: float


class _Drag(_Given):
    type: Literal["drag"]
    path: list[_Place] = Field(min_length=2)
    keys: Keys = None

    def actions(self, places: Places) -> list[Action]:
        return [drag_along([places.share(place.x, place.y) for place in self.path], combination_of(self.keys or ()))]


class _Keypress(_Given):
    type: Literal["keypress"]
    keys: list[str] = Field(min_length=1)

    def actions(self, places: Places) -> list[Action]:
        return [pressed(combination_of(self.keys))]


class _Type(_Given):
    type: Literal["type"]
    text: str

    def actions(self, places: Places) -> list[Action]:
        return [Action("write", {"text": self.text})]


class _Wait(_Given):
    type: Literal["wait"]

    def actions(self, places: Places) -> list[Action]:
        return [WAIT]


class _Screenshot(_Given):
    type: Literal["screenshot"]

    def actions(self, places: Places) -> list[Action]:
        return []


Given = Annotated[_Click | _DoubleClick | _Drag | _Keypress | _Move | _Screenshot | _Scroll | _Type | _Wait, Field(discriminator="type")]
OPENAI_ACTION: TypeAdapter[Given] = TypeAdapter(Given)
