"""The changes that the tasks of an episode may make, as their catalog entries declare them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Change = Mapping[str, Any]
_WHOLE = "file"


@dataclass(frozen=True)
class Changes:
    """The changes that the tasks of an episode may make, by path."""

    declared: Sequence[Change]

    @property
    def paths(self) -> list[str]:
        """Return every path that is named in full, without a star."""
        return sorted({path for change in self.declared for path in (_path(change),) if "*" not in path})

    def with_own_keys(self, own_keys: Mapping[str, Sequence[str]]) -> "Changes":
        """Return these changes, and for each settings file among them also the keys that programs set by themselves."""
        named = {path for path in self.paths if any(kind == "settings" for kind, _ in self.about(path))}
        return Changes([*self.declared, *({"settings": {"path": path, "keys": keys}} for path, keys in own_keys.items() if path in named)])

    def about(self, path: str) -> list[tuple[str, Change]]:
        """Return kind and keys of the changes that concern this path."""
        return [
            (kind, asked if isinstance(asked, Mapping) else {})
            for change in self.declared
            for kind, asked in change.items()
            if _fits(_path(change), path)
        ]

    def has_below(self, folder: str) -> bool:
        """Tell whether something in the folder may change: then the agent may make the folder for it."""
        return any(_path(change).startswith(f"{folder}/") for change in self.declared)

    def frees(self, path: str) -> bool:
        """Tell whether the file, or a folder that it is in, may be made, changed and deleted as a whole."""
        around = [path, *(path[: found.start()] for found in re.finditer("/", path))]
        return any(kind == _WHOLE for one in around for kind, _ in self.about(one))


def _path(change: Change) -> str:
    ((_, asked),) = change.items()
    return str(asked if isinstance(asked, str) else asked["path"])


def _fits(declared: str, path: str) -> bool:
    return re.fullmatch(".*".join(map(re.escape, declared.split("*"))), path) is not None
