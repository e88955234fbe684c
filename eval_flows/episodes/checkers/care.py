"""Care with files that an agent may have made to hurt the checker: archives that unpack to too much, and files that take forever to read."""

import io
import signal
import threading
import time
import zipfile
from collections.abc import Callable
from types import FrameType
from typing import TypeVar

from eval_flows.episodes.main_thread import in_main_thread

T = TypeVar("T")

_LARGEST_UNPACKED = 64 * 2**20  # bytes; made documents and workbooks have a few hundred thousand at most
_MOST_PARTS = 10_000
_PIECE = 2**16
_AGAIN_SECONDS = 0.5  # a library may swallow the first interruption


def read_part(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> bytes:
    """Read a part of an opened archive in pieces, so that a part longer than it claims never fills the memory."""
    with archive.open(part) as packed:
        return b"".join(iter(lambda: packed.read(_PIECE), b""))


def opened(content: bytes) -> zipfile.ZipFile:
    """Return a zip archive; `ValueError`, before anything is unpacked, if its declared size is too large."""
    archive = zipfile.ZipFile(io.BytesIO(content))
    parts = archive.infolist()
    if len(parts) > _MOST_PARTS or sum(part.file_size for part in parts) > _LARGEST_UNPACKED:
        raise ValueError(f"an archive of {len(parts)} parts and {sum(part.file_size for part in parts)} bytes is too large to unpack")
    return archive


def unpacked(content: bytes) -> io.BytesIO:
    """Return the same archive without compression, for libraries that unpack without checking the size."""
    plain = io.BytesIO()
    with opened(content) as archive, zipfile.ZipFile(plain, "w") as made:
        for part in {part.filename: part for part in archive.infolist()}.values():
            made.writestr(part.filename, read_part(archive, part))
    plain.seek(0)
    return plain


def within(seconds: float, read: Callable[[], T]) -> T:
    """Return what `read` gives; `TimeoutError` after so many seconds of processor time of its thread.

    The clock on the wall would not do: on a busy host, an honest file that takes half a second to read can take twenty. It runs in the main thread,
    where signals arrive: those of the processes of runs, proofs and sessions read what threads ask for. Where none does, there is no limit.
    """
    return in_main_thread(lambda: _limited(seconds, read))


def _limited(seconds: float, read: Callable[[], T]) -> T:
    if threading.current_thread() is not threading.main_thread():
        return read()
    until = time.thread_time() + seconds

    def interrupt(number: int, frame: FrameType | None) -> None:
        left = until - time.thread_time()
        if left <= 0:
            raise TimeoutError(f"not read within {seconds:.0f} s")
        signal.setitimer(signal.ITIMER_PROF, left, _AGAIN_SECONDS)  # other threads took a part of the time of this process

    before = signal.signal(signal.SIGPROF, interrupt)
    signal.setitimer(signal.ITIMER_PROF, seconds, _AGAIN_SECONDS)
    try:
        return read()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
