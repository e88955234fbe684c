"""The store that is a folder: nothing is to be sent or fetched, and the operating system keeps the locks."""

import contextlib
import fcntl
from collections.abc import Collection, Iterator
from pathlib import Path


class FolderStore:
    """Keeps what lies in a folder by leaving it there."""

    @contextlib.contextmanager
    def locked(self, lock: Path) -> Iterator[None]:
        """Hold a lock; the system releases it when the process ends, also after a kill."""
        lock.parent.mkdir(parents=True, exist_ok=True)
        with lock.open("w") as handle:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield

    @contextlib.contextmanager
    def free(self, lock: Path) -> Iterator[bool]:
        """Yield whether a lock is free; if so, hold it during the block."""
        if not lock.is_file():
            yield True
            return
        with lock.open("r") as handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
            else:
                yield True

    def fetch(self, *places: Path, without: Collection[str] = ()) -> None:
        """Nothing: it is there."""

    def keep(self, content: Path, path: Path) -> bool:
        """Nothing: the content stays where it is put."""
        return True

    def keep_label(self, label: Path, target: str) -> None:
        """Nothing: the label is a link in the folder."""

    def remove(self, path: Path, found_by: Collection[str]) -> None:
        """Nothing: what is removed from the folder is gone."""

    def sweep(self, folder: Path) -> None:
        """Nothing: the temporary files are in the folder."""
