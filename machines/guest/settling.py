"""Waiting until nothing moves on the screen."""

import time
from collections.abc import Callable

_LOOK_EVERY = 0.03


def settled(look: Callable[[], int], is_busy: Callable[[], bool], quiet: float, limit: float) -> bool:
    """Wait until what `look` gives has not changed for `quiet` seconds; tell whether that happened within `limit` seconds.

    While something has work to do, the screen may still change: on a busy host that can be long after the request.
    """
    begun = changed = time.monotonic()
    seen = look()
    while (now := time.monotonic()) - begun < limit:
        if now - changed >= quiet:
            return True
        time.sleep(_LOOK_EVERY)
        if (current := look()) != seen or is_busy():
            seen, changed = current, time.monotonic()
    return False
