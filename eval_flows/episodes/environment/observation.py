"""What an agent observes: the content of the screen, and what came of its last step."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from machines.client import Window
from machines.observation import Element

Ending = Literal["DONE", "FAIL"]


@dataclass(frozen=True)
class Observation:
    """The content of the screen at one moment, and the outcome of the last step.

    `screenshot` (PNG, the whole screen at its own size) and `clipboard` are None unless they were asked for. `pictures` are the screen in the form
    that the environment was asked for: what an agent gets, and what a trajectory keeps; without a screenshot there are none. `feedback` says why an
    action was not carried out, and is empty if all were. `pointer` is the place of the last movement or drag of the step, in pixels. `ended` tells
    whether the agent has ended the episode.
    """

    elements: Sequence[Element]
    windows: Sequence[Window]
    screenshot: bytes | None = None
    clipboard: str | None = None
    feedback: str = ""
    pointer: tuple[int, int] | None = None
    ended: Ending | None = None
    pictures: tuple[bytes, ...] = ()
