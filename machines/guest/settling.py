"""Waiting until nothing moves on the screen."""

import time
from collections.abc import Callable

_LOOK_EVERY = 0.03
_FIRST_AFTER = 0.012  # most programs have drawn what a key does by then


def settled(look: Callable[[], object], is_pending: Callable[[], bool], quiet: float, limit: float) -> bool:
    """Wait until what `look` gives has not changed for `quiet` seconds; tell whether that happened within `limit` seconds.

    While something is pending, as when a program has work to do, the screen may still change: on a busy host that can be long after the request.
    """
    begun = changed = time.monotonic()
    seen = look()
    took = time.monotonic() - begun
    pause = _FIRST_AFTER
    while (now := time.monotonic()) - begun < limit:
        if now - changed >= quiet:
            return True
        time.sleep(max(min(pause, quiet - (now - changed)), took))  # on a slow machine looks must leave half of the processor to who works
        pause = _LOOK_EVERY
        if (current := look()) != seen or is_pending():
            seen, changed = current, time.monotonic()
    return False
