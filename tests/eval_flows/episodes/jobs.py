"""Jobs for workers in tests: each is done by a process of its own that has to find it by name."""

import os
import re
import signal
import sys
import time
from pathlib import Path
from typing import Any

from eval_flows.episodes.runs.workers import Ask


def work(job: tuple[str, Any], ask: Ask) -> Any:
    """Do what the job's first word says."""
    kind, told = job
    if kind.startswith("once ") and not Path(told).exists():  # goes wrong the first time only
        Path(told).write_text(str(os.getpid()))
        kind = kind.removeprefix("once ")
    match kind:
        case "raise":
            raise ValueError(f"no {told} here")
        case "exit":
            os._exit(7)
        case "leave":
            sys.exit(3)
        case "kill" | "interrupt":
            os.kill(os.getpid(), signal.SIGKILL if kind == "kill" else signal.SIGINT)
        case "hang":
            time.sleep(600)
        case "unsendable":
            return lambda: told
        case "ask":
            return [ask(told), ask(f"{told} again")]
        case "ask and hang":
            ask(told)
            time.sleep(600)
        case "ask for ever":
            while True:
                ask(told)
        case "pid" | "pid and hold":
            Path(told).write_text(str(os.getpid()))
            re.match("(a+)+$", "a" * 60 + "!") if "hold" in kind else time.sleep(600)  # while a match goes on, no other thread runs
    return os.getpid(), told
