"""The prompts of the protocols: Jinja files, and the hash that makes them part of a run's identity."""

import hashlib
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

_ROOT = Path(__file__).parent
_ENVIRONMENT = Environment(loader=FileSystemLoader(_ROOT), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)


def rendered(name: str, **parts: Any) -> str:
    """The text of a prompt."""
    return _ENVIRONMENT.get_template(f"{name}.md.j2").render(parts).strip()


def prompt_hash(*names: str) -> str:
    """A hash of the templates of those names."""
    return hashlib.blake2b("\0".join((_ROOT / f"{name}.md.j2").read_text() for name in names).encode(), digest_size=6).hexdigest()
