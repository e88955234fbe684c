"""A connection to the X server, which is opened again after a restart of the screen."""

import contextlib
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from Xlib import display, error

Made = TypeVar("Made")
_TRIES, _PAUSE = 8, 0.5  # the pause in seconds
_CLOSED = (error.ConnectionClosedError, error.DisplayConnectionError, BrokenPipeError, ConnectionResetError)


class Connection:
    """One connection, for one use at a time."""

    def __init__(self) -> None:
        self._display: display.Display | None = None
        self._lock = threading.Lock()

    def use(self, work: Callable[[display.Display], Made]) -> Made:
        """Return what `work` makes of the display; if the server was gone, try again with the new one, which a fork bomb may keep from coming."""
        with self._lock:
            for _ in range(_TRIES - 1):
                with contextlib.suppress(*_CLOSED):
                    return work(self._open())
                self._display = None
                time.sleep(_PAUSE)
            return work(self._open())

    def _open(self) -> display.Display:
        if self._display is None:
            self._display = display.Display(":0")
            self._display.set_error_handler(lambda *_: None)  # a window may close while it is read
        return self._display
