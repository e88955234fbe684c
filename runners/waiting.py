"""Waiting for the items of a cluster: it ends with an error when all workers are gone for long, since an engine keeps what it has begun for ever."""

import time
from collections.abc import Callable, Collection
from typing import Any

from runners.errors import RunnerError

BACK_WITHIN = 60  # seconds, until a cluster that lost all its workers has one again
LOOKED_AGAIN = 5.0  # seconds between looks at what the cluster has
Look = Callable[[float | None], Collection[Any]]
"""Waits at most so many seconds, or without a limit, until something has ended, and returns what has: nothing when the seconds are over."""


def until_ended(look: Look, workers: Callable[[], int], engine: str, resource: str | None) -> Collection[Any]:
    """Look until something has ended, and return it; `RunnerError` if for `BACK_WITHIN` seconds no worker may do items.

    `workers` counts the workers that may, now: those that have the resource, if items take one.
    """
    alone_since: float | None = None
    while not (ended := look(LOOKED_AGAIN)):
        alone_since = None if workers() else alone_since or time.monotonic()
        if alone_since and time.monotonic() - alone_since > BACK_WITHIN:
            of_them = f" that have the resource '{resource}'" if resource else ""
            raise RunnerError(f"all workers of {engine}{of_them} are gone: start some, and run the same command again. What is made stays")
    return ended
