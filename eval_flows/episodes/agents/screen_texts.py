"""The texts in a picture of the screen as elements of the role `screen text`, for oracles of programs that tell of no elements."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from eval_flows.episodes.agents.elements.ocr import Ocr, ocr
from eval_flows.episodes.environment import Observation
from machines.observation import Element

ROLE = "screen text"


def is_screen_text(asked: Mapping[str, Any]) -> bool:
    """Tell whether an oracle asks for a text in the picture."""
    return asked.get("role") == ROLE


def with_screen_texts(observation: Observation) -> Observation:
    """Return the observation with the texts in its picture as its only elements, in reading order; `PluginError` without a reader of texts."""
    front = next((window.title for window in observation.windows if window.is_active), "")
    found = [] if observation.screenshot is None else _reader().read(observation.screenshot)
    elements = [
        Element(number, ROLE, one.text, one.text, None, frozenset({"enabled"}), one.box, front, application="") for number, one in enumerate(found, 1)
    ]
    return replace(observation, elements=tuple(elements))


@cache
def _reader() -> Ocr:
    return ocr()
