"""Versions of the stages and of the libraries that shape bytes; they are part of every shard's address.

Raise a stage's version when a change to its code changes its output; the golden test fails if you forget this.
"""

import hashlib
from functools import cache
from importlib.metadata import version

from atomic_tasks.arguments.locales import LOCALES_ROOT

STAGES = {"compose": 6, "bind": 7, "narrate": 8, "near_duplicates": 1, "assemble": 7}
PARAPHRASE = 3  # the version of the stage that follows the shards, and so is no part of their addresses
_SHAPING = ("faker", "jinja2", "pyarrow")


@cache
def shaping_versions() -> dict[str, str]:
    """Stage and library versions, by name, and the hash of the locales, which computed generators read."""
    values = hashlib.blake2b(digest_size=8)
    for path in sorted(LOCALES_ROOT.glob("*.yaml")):
        values.update(path.name.encode() + path.read_bytes())
    return {"locales": values.hexdigest(), **{stage: str(number) for stage, number in STAGES.items()}, **{name: version(name) for name in _SHAPING}}
