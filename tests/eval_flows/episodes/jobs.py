"""Jobs for workers in tests: each is done by a process of its own that has to find it by name."""

import os
import re
import signal
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]

from eval_flows.episodes.checkers.care import within
from eval_flows.episodes.runs.workers import Ask


def work(job: tuple[str, Any], ask: Ask) -> Any:
    """Do what the job's first word says."""
    kind, told = _now(*job)
    if kind.startswith("ask"):
        return _asked(kind, told, ask)
    if kind == "limited":
        return _limited()
    if kind in _TAKE:
        return _TAKE[kind]()
    match kind:
        case "raise":
            raise ValueError(f"no {told} here")
        case "exit":
            os._exit(7)
        case "leave":
            sys.exit(3)
        case "kill" | "interrupt":
            os.kill(os.getpid(), signal.SIGKILL if kind == "kill" else signal.SIGINT)
        case "kill the host":  # the worker of a runner: it started the fork server that this process comes from
            os.kill(psutil.Process().parent().ppid(), signal.SIGKILL)
            time.sleep(600)
        case "await":
            _await(_again(told))
        case "count":
            with Path(told).open("a") as file:
                file.write("one\n")
        case "unsendable":
            return lambda: told
        case "pid" | "pid and hold":
            Path(told).write_text(str(os.getpid()))
            _hold() if "hold" in kind else time.sleep(600)
    return os.getpid(), told


def _hold() -> None:
    """While a match goes on, no other thread runs."""
    re.match("(a+)+$", "a" * 60 + "!")


_TAKE: Mapping[str, Callable[[], None]] = {"hang": lambda: time.sleep(600), "wait a moment": lambda: time.sleep(1), "hold": _hold}


def _limited() -> str:
    try:
        within(0.2, _hold)
    except TimeoutError as error:
        return type(error).__name__
    return "it ended"


def _now(kind: str, told: Any) -> tuple[str, Any]:
    """What a job is now: one that goes wrong once does what its other words say the first time only."""
    if kind.startswith("once "):
        if Path(told).exists():
            _again(told).touch()
        else:
            Path(told).write_text(str(os.getpid()))
            kind = kind.removeprefix("once ")
    return kind, told


def _await(path: Path) -> None:
    while not path.exists():
        time.sleep(0.05)


def _again(told: str) -> Path:
    """The file that tells that a job which goes wrong once was begun again."""
    return Path(told).with_suffix(".again")


def _asked(kind: str, told: Any, ask: Ask) -> Any:
    match kind:
        case "ask for the pid":
            ask(told)
            return os.getpid()
        case "ask and hang":
            ask(told)
            time.sleep(600)
        case "ask for ever":
            while True:
                ask(told)
    return [ask(told), ask(f"{told} again")]
