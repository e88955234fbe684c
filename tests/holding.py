"""Holding many machines at once in workers, as a run does: what each takes of memory, and how fast it answers.

Each machine opens a program and waits until all have. Then they are looked at one after another, and then each at times of its own, as by agents whose
model thinks between two steps.
"""

import random
import re
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]

from eval_flows.episodes.runs.workers import Ask, Reply, supervised
from machines.errors import MachineError
from machines.machine import Machine, MachineChoice
from machines.sandbox import Sandbox
from machines.turns import turn
from tests.timing import seconds_of

SEEN = ("screenshot", "tree", "windows")
_COME_UP_SECONDS = 60.0
_LOOKS = 2
_LEAST_FREE = 2 * 2**30  # bytes of memory that are left to others
_SECONDS = 3600.0
_FORK_SERVER = "multiprocessing.forkserver import main"


class NoRoom(MemoryError):
    """This host has no memory for so many machines."""


@dataclass(frozen=True)
class _Job:
    """A machine to hold: its number, the choice, the program, and the seconds that a model thinks between two steps."""

    number: int
    choice: MachineChoice
    program: str
    thinks: float


@dataclass
class Held:
    """Machines that were held. Megabytes are proportional shares (PSS): of all of a machine, of the guest server in it, and of what drives it.

    Seconds are those of observations: `alone` one after another, `thinking` with a model between two looks, of all machines at once.
    """

    machine: float = 0.0
    server: float = 0.0
    driver: float = 0.0
    workers: int = 0
    opened: float = 0.0
    alone: list[float] = field(default_factory=list)
    thinking: list[float] = field(default_factory=list)


def hold(choice: MachineChoice, program: str, number: int, thinks: float = 0.0) -> Held:
    """Hold so many sandboxes with a program open. `NoRoom` with the number that fitted if this host has no memory for them.

    Without `thinks`, they are looked at one after another only.
    """
    parent = _Parent(number, Held())
    jobs = [_Job(one, choice, program, thinks) for one in range(number)]
    for done in supervised(jobs, _held, number, _SECONDS, tries=1, respond=parent.respond):
        if done.fault is not None:
            raise MachineError(f"machine {done.job.number} was not held: {done.fault}")
    return parent.held


def opened(machine: Machine, program: str) -> None:
    """Open a program, and wait until its window is there and still."""
    machine.client.launch(machine.offers.programs[program].command)
    until = time.monotonic() + _COME_UP_SECONDS
    while not machine.client.observe(["windows"]).windows:
        if time.monotonic() > until:
            raise MachineError(f"{program} showed no window within {_COME_UP_SECONDS:.0f} s")
        time.sleep(0.1)
    machine.client.settle(1.0, _COME_UP_SECONDS)


def _held(job: _Job, ask: Ask) -> None:
    """Hold one machine, in a worker, for as long as the parent does not answer."""
    choice = random.Random(job.number)
    machine = job.choice.make()
    assert isinstance(machine, Sandbox)
    with ExitStack() as end:
        end.callback(machine.stop)
        with turn():
            machine.start()
            opened(machine, job.program)
        assert machine._process is not None
        ask(machine._process.pid)
        ask([seconds_of(lambda: machine.client.observe(SEEN)) for _ in range(_LOOKS)])
        seconds = []
        for _ in range(_LOOKS if job.thinks else 0):
            time.sleep(choice.uniform(0.5, 1.5) * job.thinks)
            seconds.append(seconds_of(lambda: machine.client.observe(SEEN)))
        ask(seconds)


class _Parent:
    """Answers machines that wait: all of them once the last has opened its program, one after another, and all of them at the end."""

    def __init__(self, number: int, held: Held) -> None:
        self.held = held
        self._number = number
        self._begun = time.monotonic()
        self._waiting: list[Reply] = []
        self._processes: list[int] = []

    def respond(self, told: Any, reply: Reply) -> None:
        """Take what a machine tells: its process, its looks one after another, or those beside the others."""
        if isinstance(told, int):
            if psutil.virtual_memory().available < _LEAST_FREE:
                reply(NoRoom(f"{len(self._processes)} machines fitted, and less than {_LEAST_FREE / 2**30:.0f} GB are left"))
                return
            self._processes.append(told)
            self._waiting.append(reply)
            if len(self._processes) == self._number:
                self.held.opened = time.monotonic() - self._begun
                self._looking = iter(self._waiting)
                self._waiting = []
                next(self._looking)(None)
        elif len(self.held.alone) < self._number * _LOOKS:
            self.held.alone += told
            self._waiting.append(reply)
            following = next(self._looking, None)
            if following is not None:
                following(None)
            else:
                self._release()
        else:
            self.held.thinking += told
            self._waiting.append(reply)
            if len(self._waiting) == self._number:
                self._measure()
                self._release()

    def _release(self) -> None:
        waiting, self._waiting = self._waiting, []
        for reply in waiting:
            reply(None)

    def _measure(self) -> None:
        inside = [one for process in self._processes for one in (psutil.Process(process), *psutil.Process(process).children(recursive=True))]
        servers = [one for one in inside if "machines.guest" in one.cmdline() and "bwrap" not in one.name()]
        drivers = [psutil.Process(), *_forked()]
        self.held.workers = len(drivers) - 2  # without this process and the fork server
        self.held.machine, self.held.server, self.held.driver = (sum(map(pss, kind)) / self._number for kind in (inside, servers, drivers))


def _forked() -> Iterator[psutil.Process]:
    """Yield the fork server and the workers of this process."""
    for one in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):  # it has just ended
            if _FORK_SERVER in " ".join(one.cmdline()):
                yield one


def pss(process: psutil.Process) -> float:
    """Return the megabytes of a process, shared pages by its share; 0 if it has just ended."""
    try:
        found = re.search(r"^Pss:\s+(\d+) kB", Path(f"/proc/{process.pid}/smaps_rollup").read_text(), re.MULTILINE)
    except (ProcessLookupError, FileNotFoundError):
        return 0.0
    return int(found.group(1)) / 1024 if found else 0.0
