"""Filling values into what a task declares: `{argument}` in any text of nested lists and mappings."""

from collections.abc import Mapping
from typing import Any

from atomic_tasks.schema import PLACEHOLDER


def fill(declared: Any, values: Mapping[str, str]) -> Any:
    """Return a copy in which every placeholder with a value is replaced; other braces stay, as in JSON and SQL."""
    if isinstance(declared, str):
        return PLACEHOLDER.sub(lambda found: values.get(found[1], found[0]), declared)
    if isinstance(declared, Mapping):
        return {fill(key, values): fill(part, values) for key, part in declared.items()}
    if isinstance(declared, list | tuple):
        return [fill(part, values) for part in declared]
    return declared
