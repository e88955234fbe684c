"""Waiting until nothing moves on the screen."""

import time
from collections.abc import Callable
from itertools import chain, repeat

_LOOK_EVERY = 0.03
_FIRST_LOOKS = (0.003, 0.009)  # seconds after the look before: most programs have drawn by then what a key does, and stillness counts from there


def settled(look: Callable[[], object], is_pending: Callable[[], bool], quiet: float, limit: float) -> bool:
    """Wait until what `look` gives has not changed for `quiet` seconds; tell whether that happened within `limit` seconds.

    While something is pending, as when a program has work to do, the screen may still change: on a busy host that can be long after the request.
    """
    begun = changed = time.monotonic()
    seen = look()
    took = time.monotonic() - begun
    pauses = chain(_FIRST_LOOKS, repeat(_LOOK_EVERY))
    while (now := time.monotonic()) - begun < limit:
        if now - changed >= quiet:
            return True
        time.sleep(max(min(next(pauses), quiet - (now - changed)), took))  # on a slow machine looks must leave half of the processor to who works
        if (current := look()) != seen or is_pending():
            seen, changed = current, time.monotonic()
    return False
