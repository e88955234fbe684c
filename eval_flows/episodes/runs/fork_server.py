"""The fork server: the process that workers and sessions are forked from, which has imported what they need.

A process of its own imports for a second, and holds 130 MB that no other shares. A forked one begins at once, and holds what it changes.
"""

import multiprocessing
from multiprocessing import forkserver
from multiprocessing.context import BaseContext

_PRELOADED = ["eval_flows.episodes.runs.preloaded"]


def fork_server() -> BaseContext:
    """Return the context of processes that are forked; the fork server starts now, and imports while its caller does other work."""
    forkserver.set_forkserver_preload(_PRELOADED)
    forkserver.ensure_running()
    return multiprocessing.get_context("forkserver")
