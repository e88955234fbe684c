"""What a difference between their metric and ours is."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml


class TheirCrash(Exception):
    """Where their metric raises an error, and their harness has no reward."""


@dataclass(frozen=True)
class Difference:
    """What their function does, and what ours does, in words."""

    theirs: str
    ours: str


@cache
def differences() -> Mapping[str, Difference]:
    """Return the differences by the names of the functions."""
    return {name: Difference(**words) for name, words in yaml.safe_load(Path(__file__).with_name("differences.yaml").read_text()).items()}
