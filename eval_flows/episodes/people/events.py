"""Every key and pointer event of people that a machine got, as `events.jsonl` beside a trajectory keeps them: one event a line."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from eval_flows.episodes.people.keysyms import MODIFIERS, character_of, name_of
from eval_flows.episodes.people.rfb import Key, Pointer

FILE = "events.jsonl"


@dataclass(frozen=True)
class Event:
    """What a person did, and when the machine got it, in seconds since 1970."""

    at: float
    what: Key | Pointer


def lines(events: Iterable[Event], intervention: int | None) -> bytes:
    """Return the lines of events, each with the number of the intervention to which it belongs, if a person only helps."""
    of = {} if intervention is None else {"intervention": intervention}
    return b"".join(json.dumps({**_told(one), **of}).encode() + b"\n" for one in events)


def _told(event: Event) -> dict[str, str | int | bool]:
    at, what = datetime.fromtimestamp(event.at, UTC).isoformat(timespec="milliseconds"), event.what
    if isinstance(what, Pointer):
        return {"at": at, "event": "pointer", "x": what.x, "y": what.y, "buttons": what.buttons}
    name = MODIFIERS.get(what.symbol) or name_of(what.symbol) or character_of(what.symbol) or ""
    return {"at": at, "event": "key", "is_down": what.is_down, "keysym": what.symbol, "key": name}
