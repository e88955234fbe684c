"""A connection to the X server, which is opened again after a restart of the screen."""

import threading
from collections.abc import Callable
from typing import TypeVar

from Xlib import display, error

Made = TypeVar("Made")
_CLOSED = (error.ConnectionClosedError, error.DisplayConnectionError, BrokenPipeError, ConnectionResetError)


class Connection:
    """One connection, for one use at a time."""

    def __init__(self) -> None:
        self._display: display.Display | None = None
        self._lock = threading.Lock()

    def use(self, work: Callable[[display.Display], Made]) -> Made:
        """Return what `work` makes of the display; if the server was gone, try once more with the new server."""
        with self._lock:
            try:
                return work(self._open())
            except _CLOSED:
                self._display = None
                return work(self._open())

    def _open(self) -> display.Display:
        if self._display is None:
            self._display = display.Display(":0")
            self._display.set_error_handler(lambda *_: None)  # a window may close while it is read
        return self._display
