"""What is said when a disk is full: libraries say it in many ways, and none says what to do."""

import contextlib
import errno
from collections.abc import Iterator
from pathlib import Path

from warehouse.errors import WarehouseError

_WORDS = ("No space left on device", "disk is full", "Disk quota exceeded")  # of the system, DuckDB and Polars; of SQLite; of quotas


@contextlib.contextmanager
def roomy(folder: Path) -> Iterator[None]:
    """Turn errors of a full disk, while something is written into a folder, into a WarehouseError that says what to do."""
    try:
        yield
    except Exception as error:
        if getattr(error, "errno", None) in {errno.ENOSPC, errno.EDQUOT} or any(words in str(error) for words in _WORDS):
            raise full(folder) from None
        raise


def full(folder: Path) -> WarehouseError:
    """Return what is said of a folder on a full disk."""
    return WarehouseError(
        f"the disk of {folder} is full: free some of it, or have the data on a larger one (DESKMILL_DATA; of an object store, DESKMILL_CACHE for its "
        "mirror). What is written completely is kept: the same command goes on from there"
    )
