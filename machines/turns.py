"""Turns of this host: what keeps a processor busy for seconds, as a machine that comes up, waits until few others do the same.

Else all that begin together are late together: of sixty programs that open at once, the windows come after a minute, and count as lost. The turns are
locked files, so that every process of the user takes part, and one that is killed gives its turn back.
"""

import fcntl
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from machines.errors import MachineError

_EACH = 2  # turns for a processor: who has one waits for a disk or for a window now and then
_ASK_EVERY = 0.1


@contextmanager
def turn() -> Iterator[None]:
    """Wait for a turn, and keep it until the end of the block."""
    folder = _folder()
    while (held := _first_free(folder)) is None:
        time.sleep(_ASK_EVERY)
    with held:
        yield


def _folder() -> Path:
    """Return the folder of the locked files; `MachineError` if it is another user's, who could have made it first."""
    folder = Path(tempfile.gettempdir()) / f"deskmill-turns-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.is_symlink() or folder.stat().st_uid != os.getuid():
        raise MachineError(f"{folder} belongs to another user: remove it, or set TMPDIR to a folder of your own")
    return folder


def _first_free(folder: Path) -> IO[str] | None:
    """Return a file that nobody else has locked, locked; None if there is none."""
    for number in range(_EACH * (os.cpu_count() or 1)):
        file = (folder / str(number)).open("w")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
        else:
            return file
    return None
