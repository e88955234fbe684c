"""How long something takes, for the figures of `make bench`."""

import time
from collections.abc import Callable


def seconds_of(action: Callable[[], object]) -> float:
    """Return the seconds that the action takes."""
    started = time.perf_counter()
    action()
    return time.perf_counter() - started
