"""What a store of the data folder can do: one protocol, of which `folder` and `s3` are the two kinds."""

from collections.abc import Collection
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol


class Store(Protocol):
    """Keeps what lies in a data folder. Every path is one in that folder; WarehouseError if the store cannot be reached or refuses something."""

    def locked(self, lock: Path) -> AbstractContextManager[None]:
        """Hold a lock, by the path of its file, among all who share the store; it becomes free when its holder ends, also by a kill."""
        ...

    def free(self, lock: Path) -> AbstractContextManager[bool]:
        """Yield whether a lock is free; if so, hold it during the block."""
        ...

    def fetch(self, *places: Path, without: Collection[str] = ()) -> None:
        """Bring to the folder what the store has at and below the places, save in folders of the names `without`; remove what it no longer has."""
        ...

    def keep(self, content: Path, path: Path) -> bool:
        """Keep a file or a folder, whole, that is about to take the place `path`.

        False if `path` has its content already: that of another host, which was first.
        """
        ...

    def keep_label(self, label: Path, target: str) -> None:
        """Keep that a label leads to `target`, a path relative to the label's folder."""
        ...

    def remove(self, path: Path, found_by: Collection[str]) -> None:
        """Remove a file or a folder; first the files `found_by` in it, by which others find it."""
        ...

    def sweep(self, folder: Path) -> None:
        """Remove what killed processes left of things in `folder`."""
        ...
