"""The actions of Anthropic's computer-use tools, each an object with an `action` (anthropic.types.ComputerMemberInput), as actions of a machine."""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from eval_flows.episodes.agents.native.places import Places, combination_of, pressed, with_keys
from eval_flows.episodes.environment import WAIT
from machines.actions import Action
from machines.hands import drag_along, hold_key

_CLICKS = {"left_click": "single_click"}  # the others have the names that actions have
_MOST_REPEATS = 50
Place = Annotated[list[float], Field(min_length=2, max_length=2)]


class _Given(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Click(_Given):
    action: Literal["left_click", "right_click", "middle_click", "double_click", "triple_click"]
    coordinate: Place | None = None
    text: str | None = None

    def actions(self, places: Places) -> list[Action]:
        at = places.at(*self.coordinate) if self.coordinate else {}
        return [Action(_CLICKS.get(self.action, self.action), {**at, **_held(self.text)})]


class _Move(_Given):
    action: Literal["mouse_move"]
    coordinate: Place

    def actions(self, places: Places) -> list[Action]:
        return [Action("move_abs", places.at(*self.coordinate))]


class _Drag(_Given):
    action: Literal["left_click_drag"]
    start_coordinate: Place
    coordinate: Place
    text: str | None = None

    def actions(self, places: Places) -> list[Action]:
        path = [places.share(*self.start_coordinate), places.share(*self.coordinate)]
        return [drag_along(path, combination_of([self.text] if self.text else ()))]


class _Button(_Given):
    action: Literal["left_mouse_down", "left_mouse_up"]

    def actions(self, places: Places) -> list[Action]:
        return [Action(self.action.removeprefix("left_"), {})]


class _Scroll(_Given):
    action: Literal["scroll"]
    scroll_direction: Literal["up", "down", "left", "right"]
    scroll_amount: int
    coordinate: Place | None = None
    text: str | None = None

    def actions(self, places: Places) -> list[Action]:
        at = places.at(*self.coordinate) if self.coordinate else {}
        return [Action("scroll", {"direction": self.scroll_direction, "amount": self.scroll_amount, **at, **_held(self.text)})]


class _Key(_Given):
    action: Literal["key"]
    text: str = Field(min_length=1)
    repeat: int = Field(1, ge=1, le=_MOST_REPEATS)

    def actions(self, places: Places) -> list[Action]:
        """Several combinations stand apart by spaces, as for xdotool."""
        return [pressed(combination_of([one])) for one in self.text.split() or [self.text]] * self.repeat


class _HoldKey(_Given):
    action: Literal["hold_key"]
    text: str = Field(min_length=1)
    duration: float

    def actions(self, places: Places) -> list[Action]:
        return [hold_key(combination_of([self.text]), self.duration)]


class _Type(_Given):
    action: Literal["type"]
    text: str

    def actions(self, places: Places) -> list[Action]:
        return [Action("write", {"text": self.text})]


class _Wait(_Given):
    action: Literal["wait"]
    duration: float

    def actions(self, places: Places) -> list[Action]:
        return [Action(WAIT.name, {"seconds": self.duration})]


class _Look(_Given):
    action: Literal["screenshot"]

    def actions(self, places: Places) -> list[Action]:
        return []


class _Zoom(_Given):
    action: Literal["zoom"]
    region: Annotated[list[float], Field(min_length=4, max_length=4)]

    def actions(self, places: Places) -> list[Action]:
        """It does nothing on the machine; a place outside the picture is refused."""
        region_of(self.region, places)
        return []


def region_of(region: Sequence[float], places: Places) -> tuple[float, float, float, float]:
    """Return a part of the picture (left, top, right, bottom) as shares of the screen."""
    (left, top), (right, bottom) = places.share(*region[:2]), places.share(*region[2:])
    return min(left, right), min(top, bottom), max(left, right), max(top, bottom)


def _held(text: str | None) -> dict[str, str]:
    return with_keys([text] if text else None)


Given = Annotated[
    _Click | _Move | _Drag | _Button | _Scroll | _Key | _HoldKey | _Type | _Wait | _Look | _Zoom,
    Field(discriminator="action"),
]
ANTHROPIC_ACTION: TypeAdapter[Given] = TypeAdapter(Given)
