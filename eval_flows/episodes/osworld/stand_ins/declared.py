"""The stand-ins that Deskmill can make: for each address, a maker and what it takes, as the files of `declared/` say."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import Field

from atomic_tasks.problems import BadInput, suggestion
from atomic_tasks.schema import Declared
from atomic_tasks.yaml_source import read_declared_file
from eval_flows.episodes.osworld.stand_ins.makers import MAKERS

_FOLDER = Path(__file__).parent / "declared"
Json = Mapping[str, Any]


class StandIns(Declared):
    """A file of stand-ins: the address that all begin with, and by the rest of each address the one maker with what it takes.

    `are_themselves` is true of files of ours, which nobody else has: what is made is no stand-in.
    """

    base: str
    are_themselves: bool = False
    files: dict[str, dict[str, Any]] = Field(min_length=1)


@dataclass(frozen=True)
class Made:
    """What is made for an address, and whether it stands in for a file that somebody else has."""

    content: bytes
    stands_in: bool


@cache
def stand_ins(folder: Path = _FOLDER) -> Mapping[str, tuple[Json, bool]]:
    """Return by address what is made for it, and whether that is a stand-in; `BadInput` for a maker that is not known."""
    found: dict[str, tuple[Json, bool]] = {}
    for path in sorted(folder.glob("*.yaml")):
        declared = read_declared_file(path, StandIns)
        for rest, made in declared.files.items():
            if len(made) != 1 or next(iter(made)) not in MAKERS:
                name = ", ".join(made)
                raise BadInput(f"{path}: files.{rest}: needs one maker, not '{name}'{suggestion(name, MAKERS)}")
            found[f"{declared.base}{rest}"] = (made, not declared.are_themselves)
    return found


def made_for(address: str) -> Made | None:
    """Return what is made for an address, the same each time; None if Deskmill makes nothing for it."""
    if address not in stand_ins():
        return None
    declared, stands_in = stand_ins()[address]
    ((name, asked),) = declared.items()
    return Made(MAKERS[name](asked), stands_in)
