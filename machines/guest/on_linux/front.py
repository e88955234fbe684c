"""Whether the window in front takes keys now. Keys are lost between two windows, and in a dialog whose button has been pressed but has not acted yet.

The window manager gives the focus to a window some time after it has come, or after the one above it has closed. GTK then hands it on to a window of
its own inside, and takes keys from there. What a program does inside after one of its windows has closed, nobody sees. GTK shows a button that a key
activates as pressed for 0.25 seconds, and lets it act then (`ACTIVATE_TIMEOUT` in gtkbutton.c of GTK 2 and 3); nothing moves meanwhile.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

_MOVES_WITHIN = 0.5  # seconds that the focus may take from one window to the next; where no window has it for longer, none will get it
_RETURNS_WITHIN = 0.2  # seconds that a program may take after a window has gone, to give the keys to a field in another one
_ACTS_WITHIN = 0.45  # seconds that a button may take: those 0.25, and what its program does before it closes the dialog
_ACTIVATING = frozenset({"Return", "space"})


@dataclass(frozen=True)
class State:
    """The windows, lowest first, the one in front (0 for none), the one that has the focus, and whether that is, or is in, the one in front."""

    windows: tuple[int, ...]
    front: int
    focus: int
    takes_keys: bool


class Front:
    """Watches the window in front. `look` returns the present state, and `dialog` the window in front if it is a dialog, else 0."""

    def __init__(self, look: Callable[[], State], dialog: Callable[[], int]) -> None:
        self._look = look
        self._dialog = dialog
        self._state = State((), 0, 0, takes_keys=True)
        self._since = self._gone_since = 0.0
        self._handing_on: set[int] = set()  # windows that were seen to hand the focus on
        self._pressed_in, self._acts_until = 0, 0.0

    def state(self) -> State:
        """Return what changes when a window comes, goes, or gets the focus."""
        state = self._look()
        if state != self._state:
            before, self._state, self._since = self._state, state, time.monotonic()
            if not set(before.windows) <= set(state.windows):
                self._gone_since = self._since
            if state.takes_keys and state.focus != state.front:
                self._handing_on.add(state.front)
        return state

    def before_keys(self, keys: Sequence[str]) -> None:
        """Take note of keys that are about to be pressed together, by the names of `machines.guest.keys`: in a dialog they may press a button."""
        if _ACTIVATING & set(keys) or ("Alt_L" in keys and len(keys) > 1):
            dialog = self._dialog()
            self._pressed_in, self._acts_until = dialog, time.monotonic() + _ACTS_WITHIN if dialog else 0.0

    def is_pending(self) -> bool:
        """Tell whether keys would be lost now, by what `state` saw last."""
        state, until = self._state, 0.0
        if state.windows:
            is_on_the_way = not state.takes_keys or (state.front == state.focus and state.front in self._handing_on)
            until = max(self._gone_since + _RETURNS_WITHIN, self._since + _MOVES_WITHIN if is_on_the_way else 0.0)
        if state.front == self._pressed_in:
            until = max(until, self._acts_until)
        return time.monotonic() < until
