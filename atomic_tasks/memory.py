"""Read much data at once without the garbage collector of Python."""

import atexit
import contextlib
import gc
from collections.abc import Iterator

atexit.register(gc.unfreeze)  # or libraries whose objects were frozen report at the end that they leaked


@contextlib.contextmanager
def without_collecting() -> Iterator[None]:
    """Turn the garbage collector off in a block that makes a million lasting objects. Its search for cycles takes two thirds of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_enabled:
            gc.enable()
