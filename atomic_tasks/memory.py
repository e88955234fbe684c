"""Reading much at once without Python's collector looking through it again and again."""

import atexit
import contextlib
import gc
from collections.abc import Iterator

atexit.register(gc.unfreeze)  # or libraries whose objects were frozen report at the end that they leaked


@contextlib.contextmanager
def without_collecting() -> Iterator[None]:
    """Around what makes a million small objects that all stay: to look for cycles among them takes two thirds of the time, then and later."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_enabled:
            gc.enable()
