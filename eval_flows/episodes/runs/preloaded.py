"""The imports of workers and of sessions: the fork server runs them once, and every process inherits them and shares their memory."""

import gc

import httpcore
import numpy.random

from eval_flows.episodes.agents.choice import AGENTS
from eval_flows.episodes.checkers.checker import CHECKERS
from eval_flows.episodes.proofs.proof import prove
from eval_flows.episodes.runs.play import play
from eval_flows.episodes.serving.session_process import SessionWork
from eval_flows.episodes.tasks.makers.maker import makers
from machines.sandbox import sandbox

__all__ = ["SessionWork", "httpcore", "numpy", "play", "prove", "sandbox"]  # httpx and makers import the libraries late

makers()

for one in (*CHECKERS.built_in, *AGENTS.built_in):  # a package of the user's may start threads, which a fork does not copy
    one.load()
gc.freeze()  # what is imported stays: the collector would write to the memory that is shared
