"""The prompts of the agents that ask a model: Jinja files, and the hash that makes them part of a run's identity."""

import hashlib
from pathlib import Path
from typing import Any

from language_models.prompts import prompt_templates

_ROOT = Path(__file__).parent
_TEMPLATES = prompt_templates(_ROOT)


def rendered(name: str, **parts: Any) -> str:
    """Return the text of a prompt."""
    return _TEMPLATES.get_template(f"{name}.j2").render(parts)


def prompts_hash() -> str:
    """Return a hash of the prompts."""
    made_from = hashlib.blake2b(digest_size=8)
    for path in sorted(_ROOT.glob("*.j2")):
        made_from.update(path.name.encode() + path.read_bytes())
    return made_from.hexdigest()
