"""Doing what has a name once: who comes with the same name gets what the first one got, also while the first one is still at it."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Got = TypeVar("Got")
_SECONDS = 120.0
_KEPT, _KEPT_BYTES = 1000, 2**21  # of what was got; the last one is kept whatever its size, since it may be asked for again


class Once(Generic[Got]):
    """Keeps what was got last, by name."""

    def __init__(self, size: Callable[[Got], int]) -> None:
        """Take what tells the bytes of something."""
        self._size = size
        self._done: dict[str, Got | None] = {}
        self._at_work: dict[str, threading.Event] = {}
        self._lock = threading.Lock()

    def do(self, name: str, work: Callable[[], Got | None]) -> Got | None:
        """Return what `work` gives, or gave before under that name; None if the first one has not ended in time."""
        with self._lock:
            if name in self._done:
                return self._done[name]
            first = self._at_work.get(name)
            if first is None:
                self._at_work[name] = threading.Event()
        if first is not None:
            first.wait(_SECONDS)
            with self._lock:
                return self._done.get(name)
        try:
            got = work()
            with self._lock:
                self._done[name] = got
                self._drop()
            return got
        finally:
            self._at_work.pop(name).set()

    def _drop(self) -> None:
        """Drop the oldest ones that are too many, or too large."""
        kept = sum(self._size(one) for one in self._done.values() if one is not None)
        while len(self._done) > 1 and (len(self._done) > _KEPT or kept > _KEPT_BYTES):
            oldest = self._done.pop(next(iter(self._done)))
            kept -= 0 if oldest is None else self._size(oldest)
