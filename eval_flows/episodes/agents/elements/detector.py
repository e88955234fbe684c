"""The element source `detector`: a detector that somebody runs, over HTTP, which answers as OmniParser's server does.

It is sent `POST /parse/` with `base64_image`, and answers `parsed_content_list`: for each element its `type` (`text` or `icon`), its `bbox` (x1, y1,
x2, y2 as shares of the picture), its `interactivity`, and its `content`.
"""

import base64
import os
from dataclasses import dataclass
from typing import Annotated

import httpx
from pydantic import BaseModel, Field, ValidationError

from eval_flows.episodes.agents.agent import Situation
from eval_flows.episodes.agents.element_source import Found
from machines.errors import MachineError, PluginError

ADDRESS_VARIABLE = "DESKMILL_DETECTOR"
_SECONDS = 60.0
_KINDS = {"text": "label"}  # anything else is an icon
_Share = Annotated[float, Field(ge=-0.01, le=1.01)]


class _Parsed(BaseModel):
    type: str
    bbox: tuple[_Share, _Share, _Share, _Share]
    interactivity: bool
    content: str | None = None


class _Answer(BaseModel):
    parsed_content_list: list[_Parsed]


@dataclass(frozen=True)
class Detector:
    """Asks the detector at an address about each screen; `content` is the address."""

    content: str
    wants = frozenset({"screenshot"})

    def find(self, situation: Situation) -> list[Found]:
        """Return an entry for each element; `MachineError` if the detector is gone, or gives an answer that cannot be read."""
        picture = situation.observation.screenshot
        if picture is None:
            return []
        try:
            asked = {"base64_image": base64.b64encode(picture).decode()}
            answer = httpx.post(f"{self.content}/parse/", json=asked, timeout=_SECONDS).raise_for_status()
            return [_found(one, situation.screen) for one in _Answer.model_validate_json(answer.content).parsed_content_list]
        except httpx.HTTPError as error:
            raise MachineError(f"the detector at {self.content} does not answer: {type(error).__name__} {error}") from error
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(map(str, first["loc"]))
            raise MachineError(f"the answer of the detector at {self.content} is not OmniParser's: {where}: {first['msg']}") from error


def detector() -> Detector:
    """Return the source for the address in the environment; `PluginError` if there is none, or if nobody answers there."""
    address = os.environ.get(ADDRESS_VARIABLE, "").rstrip("/")
    if not address.startswith(("http://", "https://")):
        raise PluginError(f"the element source 'detector' needs its address in {ADDRESS_VARIABLE}, such as http://localhost:8000, not {address!r}")
    try:
        httpx.get(address, timeout=_SECONDS)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise PluginError(f"no detector answers at {address} ({ADDRESS_VARIABLE}): {error}. Start it, or correct the address") from None
    return Detector(address)


def _found(one: _Parsed, screen: tuple[int, int]) -> Found:
    left, top, right, bottom = (round(share * screen[number % 2]) for number, share in enumerate(one.bbox))
    box = (left, top, max(1, right - left), max(1, bottom - top))
    return Found(box, one.content or "", _KINDS.get(one.type, "icon"), "detector", 0.5, one.interactivity)
