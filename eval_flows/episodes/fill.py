"""Values put into what a task declares: `{argument}` in any text of nested lists and mappings."""

from collections.abc import Mapping
from typing import Any

from atomic_tasks.schema import PLACEHOLDER

HOME = "/home/agent"


def fill(declared: Any, values: Mapping[str, str]) -> Any:
    """The same with every placeholder that has a value replaced; other braces stay, as JSON and SQL have them."""
    if isinstance(declared, str):
        return PLACEHOLDER.sub(lambda found: values.get(found[1], found[0]), declared)
    if isinstance(declared, Mapping):
        return {fill(key, values): fill(part, values) for key, part in declared.items()}
    if isinstance(declared, list | tuple):
        return [fill(part, values) for part in declared]
    return declared


def place(path: str) -> str:
    """A path in the machine: it begins at the agent's home unless it begins with a slash."""
    return path if path.startswith("/") else f"{HOME}/{path}"
