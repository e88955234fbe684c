"""Versions of the stages and of the libraries that shape bytes; they are part of every shard's address.

Raise a stage's version when a change to its code changes what it makes; the golden test tells when that was forgotten.
"""

from functools import cache
from importlib.metadata import version

STAGES = {"compose": 1, "bind": 3, "narrate": 2, "near_duplicates": 1, "assemble": 2}
_SHAPING = ("faker", "jinja2", "pyarrow")


@cache
def shaping_versions() -> dict[str, str]:
    """Stage and library versions, by name."""
    return {**{stage: str(number) for stage, number in STAGES.items()}, **{name: version(name) for name in _SHAPING}}
