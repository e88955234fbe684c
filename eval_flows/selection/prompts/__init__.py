"""The prompts of the protocols: Jinja files, and the hash that makes them part of a run's identity."""

import hashlib
from pathlib import Path
from typing import Any

from language_models.prompts import prompt_templates

_ROOT = Path(__file__).parent
_TEMPLATES = prompt_templates(_ROOT)


def rendered(name: str, **parts: Any) -> str:
    """Return the text of a prompt."""
    return _TEMPLATES.get_template(f"{name}.md.j2").render(parts).strip()


def prompt_hash(*names: str) -> str:
    """Return a hash of the templates with these names."""
    return hashlib.blake2b("\0".join((_ROOT / f"{name}.md.j2").read_text() for name in names).encode(), digest_size=6).hexdigest()
