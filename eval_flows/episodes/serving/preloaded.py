"""The imports of a session's process: the fork server runs them once, and every session inherits them and shares their memory."""

import gc

from eval_flows.episodes.checkers.checker import CHECKERS
from eval_flows.episodes.serving.session_process import SessionWork
from machines.sandbox import sandbox

__all__ = ["SessionWork", "sandbox"]

for family in CHECKERS.plugins:
    if family.package is None:  # a package of the user's may start threads, which a fork does not copy
        family.load()
gc.freeze()  # what is imported stays: the collector would write to the memory that is shared
