"""What an agent observes: the content of the screen, and what came of its last step."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from machines.client import PageElement, Window
from machines.observation import Element

Ending = Literal["DONE", "FAIL"]


@dataclass(frozen=True)
class Observation:
    """The content of the screen at one moment, and the outcome of the last step.

    `screenshot` (PNG, the whole screen at its own size), `clipboard` and `dom` (what can be used on the page in front) are None unless they were
    asked for. `pictures` are the screen in the form that the environment was asked for: what an agent gets, and what a trajectory keeps; without a
    screenshot there are none. `feedback` says why an action was not carried out, and is empty if all were. `printed` is what code of the step
    printed, its errors included. `pointer` is the place of the last movement, drag or click of the step, in pixels. `ended` tells whether the agent
    has ended the episode. `carried_out` counts the actions of the last step that were carried out.
    `has_changed` tells whether anything but the pointer looks different since the last observation; None if the machine cannot tell. `is_still` is
    False if the screen still changed, or a program still worked, when the time for waiting was over.
    """

    elements: Sequence[Element]
    windows: Sequence[Window]
    screenshot: bytes | None = None
    clipboard: str | None = None
    feedback: str = ""
    printed: str = ""
    pointer: tuple[int, int] | None = None
    ended: Ending | None = None
    has_changed: bool | None = None
    is_still: bool = True
    pictures: tuple[bytes, ...] = ()
    dom: Sequence[PageElement] | None = None
    carried_out: int = 0


def with_outcome(seen: Observation, last: Observation) -> Observation:
    """Return what is seen now with the outcome of the last step: what came of it, and whether it ended the episode."""
    return replace(seen, feedback=last.feedback, printed=last.printed, pointer=last.pointer, ended=last.ended, carried_out=last.carried_out)
