"""A campaign of kills: commands are killed at random moments and run again, and what they leave is compared with uninterrupted runs.

`python -m tests.campaign --kills 100` builds, selects with a model, and plays episodes, also on a cluster of Dask. Each kill (SIGKILL) is of the
command, of one of its workers, or of the scheduler. At the end nothing is lost or doubled, no answer of the model was asked for again but those that were
in flight at a kill, and no process and no mount is left. It prints what it did, and ends with 1 if something does not hold.
"""

import argparse
import contextlib
import ctypes
import hashlib
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]

from tests.commands import free_port
from tests.conftest import REPOSITORY
from tests.language_models.fake_server import FakeServer, fake_server
from warehouse.layout import DataFolder
from warehouse.query import connect, rows_of

_AT_ONCE = 4  # calls of the model at once: so many may be in flight at a kill
_LATEST = 0.9  # of the time of an uninterrupted run: a kill comes before it
_SECONDS = 900.0  # of one command, however often it was killed before
_EPISODES = ["episodes", "smoke", "--agent", "oracle", "--limit", "4"]
_ADOPTS = 36  # PR_SET_CHILD_SUBREAPER of prctl(2)
Facts = Mapping[str, Any]


@dataclass(frozen=True)
class Part:
    """A command that is killed: its arguments, what it leaves as facts that are compared, and whether it needs a scheduler or a dataset."""

    name: str
    arguments: Callable[[FakeServer], list[str]]
    facts: Callable[[DataFolder], Facts]
    has_scheduler: bool = False
    needs_dataset: bool = False


@dataclass
class Told:
    """What the campaign did and found."""

    kills: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


def built(data: DataFolder) -> Facts:
    """The bytes of every file of the dataset by its name; its manifest tells the time, and is left out."""
    files = sorted(path for path in data.datasets.rglob("*.parquet"))
    return {str(path.relative_to(data.datasets)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def selected(data: DataFolder) -> Facts:
    """The answer to every task."""
    return _counted(data, "select task_id, predicted_application, status from predictions order by all")


def played(data: DataFolder) -> Facts:
    """Every episode, and what came of it."""
    return _counted(data, "select episode_id, repeat, status, reward from episodes order by all")


def _counted(data: DataFolder, query: str) -> Facts:
    with contextlib.closing(connect(data.warehouse)) as connection:
        rows = [tuple(row.values()) for row in rows_of(connection, query)]
    return {"rows": len(rows), "different": len(set(rows)), "content": sorted(map(str, rows))}


PARTS = (
    Part("build", lambda server: ["build", "tiny", "--workers", "2"], built),
    Part("build on dask", lambda server: ["build", "tiny", "--runner", "dask", "--address", "{scheduler}"], built, has_scheduler=True),
    Part(
        "select",
        lambda server: ["select", "tiny", "--protocol", "zero_shot", "--model", "m", "--base-url", server.base_url, "--at-once", str(_AT_ONCE)],
        selected,
        needs_dataset=True,
    ),
    Part("episodes", lambda server: _EPISODES, played),
    Part("episodes on dask", lambda server: [*_EPISODES, "--runner", "dask", "--address", "{scheduler}"], played, has_scheduler=True),
)


def campaign(kills: int, seed: int, parts: tuple[Part, ...], machines: Path, say: Callable[[str], None]) -> Told:
    """Carry out so many kills, shared out over the parts, and return what was found."""
    draw, told = random.Random(seed), Told()
    mounts = _mounts()
    earlier = {one.pid for one in _left()}
    with _adopting(), tempfile.TemporaryDirectory() as folder, fake_server(lambda request: "excel", latency=0.02) as server:
        whole = _made(Path(folder) / "whole", machines)
        if any(part.needs_dataset for part in parts):
            _run(["build", "tiny"], whole, None)
        left = kills
        for number, part in enumerate(parts):
            share = left // (len(parts) - number)
            left -= share
            _killed(part, share, Path(folder) / str(number), whole, server, draw, told, say)
        _await_quiet(earlier)
        if here := [one for one in _left() if one.pid not in earlier]:
            told.wrong.append(f"processes are left: {', '.join(' '.join(_command_line(one))[:100] for one in here)}")
    if new := _mounts() - mounts:
        told.wrong.append(f"mounts are left: {', '.join(sorted(new))}")
    return told


def _killed(
    part: Part, kills: int, folder: Path, whole: DataFolder, server: FakeServer, draw: random.Random, told: Told, say: Callable[[str], None]
) -> None:
    """Kill one part so often, in as many rounds as that takes; each round begins afresh, ends by itself, and is compared with an uninterrupted run."""
    needed = whole if part.needs_dataset else None
    with _scheduler(part) as scheduler:
        first = _made(folder / "uninterrupted", whole.machines, needed)
        begun = time.monotonic()
        server.paid.clear()
        _run(part.arguments(server), first, scheduler.address)
        seconds, wanted, calls = time.monotonic() - begun, part.facts(first), len(server.paid)
        done = number = 0
        while done < kills:
            number += 1
            data = _made(folder / f"round-{number}", whole.machines, needed)
            server.paid.clear()
            in_round = 0
            while done < kills and in_round < 5 and _killed_once(part, data, server, scheduler, draw.uniform(0.05, _LATEST) * seconds, draw, told):
                done, in_round = done + 1, in_round + 1
            _run(part.arguments(server), data, scheduler.address)
            _compare(f"{part.name}, round {number}", wanted, part.facts(data), told)
            if sum(server.paid.values()) > calls + in_round * _AT_ONCE or len(server.paid) != calls:
                told.wrong.append(f"{part.name}, round {number}: {sum(server.paid.values())} answers for {calls} questions after {in_round} kills")
            say(f"{part.name}: {done} of {kills} kills, {len(told.wrong)} wrong")


def _killed_once(part: Part, data: DataFolder, server: FakeServer, scheduler: "_Scheduler", moment: float, draw: random.Random, told: Told) -> bool:
    """Start the command, kill something of it at a moment, and end what then still runs; False if it had ended before."""
    command = _started(part.arguments(server), data, scheduler.address)
    try:
        command.wait(moment)
        return False
    except subprocess.TimeoutExpired:
        pass
    victim = draw.choice(["command", "worker", *(["scheduler", "worker of dask"] if part.has_scheduler else [])])
    if victim == "scheduler":
        scheduler.kill()
        command.kill()  # without a scheduler it would wait for a minute; that is told, and tested elsewhere
    elif victim == "worker of dask":
        scheduler.kill_worker()
        command.wait(_SECONDS)
    else:
        workers = [one for one in psutil.Process(command.pid).children(recursive=True) if "forkserver" in " ".join(_command_line(one))]
        if victim == "worker" and workers:
            with contextlib.suppress(psutil.Error):
                draw.choice(workers).kill()
            command.wait(_SECONDS)  # it goes on by itself, or says what happened
        else:
            victim = "command"
            command.kill()
    command.wait(_SECONDS)
    told.kills[f"{part.name}: {victim}"] += 1
    return True


def _compare(name: str, wanted: Facts, found: Facts, told: Told) -> None:
    for what in sorted({*wanted, *found}):
        if wanted.get(what) != found.get(what):
            told.wrong.append(f"{name}: {what} differs from the uninterrupted run: {str(found.get(what))[:200]}")


class _Scheduler:
    """A scheduler of Dask with a worker, as processes that can be killed; it comes back at the same address."""

    def __init__(self) -> None:
        self.address = f"tcp://127.0.0.1:{free_port()}"
        self._processes: list[subprocess.Popen[bytes]] = []
        self.start()

    def start(self) -> None:
        """Start both, and wait until the scheduler listens."""
        host, port = self.address.removeprefix("tcp://").split(":")
        self._begin("scheduler", "--host", host, "--port", port, "--no-dashboard")
        until = time.monotonic() + 60
        while socket.socket().connect_ex((host, int(port))) != 0 and time.monotonic() < until:
            time.sleep(0.1)
        self._begin("worker", self.address, "--nworkers", "2", "--nthreads", "1", "--resources", "machine=1", "--no-dashboard")

    def _begin(self, *words: str) -> None:
        command = [str(Path(sys.executable).with_name("dask")), *words]
        quiet = subprocess.DEVNULL
        self._processes.append(subprocess.Popen(command, stdout=quiet, stderr=quiet, cwd=REPOSITORY, env=_environment(None), process_group=0))

    def kill(self) -> None:
        """Kill the scheduler and its workers, and start them again."""
        self.stop()
        self.start()

    def kill_worker(self) -> None:
        """Kill one process that does items; its nanny starts another."""
        with contextlib.suppress(psutil.Error, IndexError):
            nanny = psutil.Process(self._processes[-1].pid)
            next(one for one in nanny.children() if "spawn_main" in " ".join(_command_line(one))).kill()

    def stop(self) -> None:
        """End both."""
        for process in reversed(self._processes):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self._processes.clear()


@contextlib.contextmanager
def _scheduler(part: Part) -> Iterator[Any]:
    if not part.has_scheduler:
        yield argparse.Namespace(address=None)
        return
    scheduler = _Scheduler()
    try:
        yield scheduler
    finally:
        scheduler.stop()


def _made(folder: Path, machines: Path, with_dataset_of: DataFolder | None = None) -> DataFolder:
    """Return a new data folder with the images of machines and, if asked, a dataset."""
    folder.mkdir(parents=True)
    (folder / "machines").symlink_to(machines.resolve())
    data = DataFolder(folder)
    if with_dataset_of is not None:
        for name in ("datasets", "store"):
            (folder / name).symlink_to((with_dataset_of.root / name).resolve())
    return data


def _started(arguments: list[str], data: DataFolder, scheduler: str | None) -> "subprocess.Popen[bytes]":
    words = [word.format(scheduler=scheduler) for word in arguments]
    said = (data.root / "said.txt").open("ab")
    return subprocess.Popen([sys.executable, "deskmill.py", *words], cwd=REPOSITORY, env=_environment(data), stdout=said, stderr=said)


def _run(arguments: list[str], data: DataFolder, scheduler: str | None) -> None:
    if _started(arguments, data, scheduler).wait(_SECONDS) != 0:
        raise RuntimeError(f"deskmill {' '.join(arguments)} failed:\n{(data.root / 'said.txt').read_text()[-3000:]}")


def _environment(data: DataFolder | None) -> dict[str, str]:
    return {**os.environ, "HF_HUB_OFFLINE": "1", **({"DESKMILL_DATA": str(data.root)} if data else {})}


def _command_line(process: Any) -> list[str]:
    try:
        return list(process.cmdline())
    except psutil.Error:
        return []


@contextlib.contextmanager
def _adopting() -> Iterator[None]:
    """Be the parent of processes whose own parent is killed: else they would be those of init, and `_left` would not find them."""
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    if prctl(_ADOPTS, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "processes that are left cannot be found")
    try:
        yield
    finally:
        prctl(_ADOPTS, 0, 0, 0, 0)
        for one in psutil.Process().children():
            with contextlib.suppress(psutil.Error, ChildProcessError):
                if one.status() == psutil.STATUS_ZOMBIE:
                    os.waitpid(one.pid, os.WNOHANG)


def _left() -> list[Any]:
    """What runs below this process: machines, workers, fork servers and commands. A zombie has no command line."""
    below = psutil.Process().children(recursive=True)
    return [one for one in below if any(word in " ".join(_command_line(one)) for word in ("machines.guest", "forkserver", "deskmill.py"))]


def _mounts() -> set[str]:
    """Return the mounts of this host, but for those of an image that is just being made: CI makes one beside its tests."""
    return {line for line in Path("/proc/self/mounts").read_text().splitlines() if "/mmdebstrap." not in line}


def _await_quiet(earlier: set[int], seconds: float = 10.0) -> None:
    """Wait until what was killed has ended: the kernel takes a moment for a machine."""
    until = time.monotonic() + seconds
    while {one.pid for one in _left()} - earlier and time.monotonic() < until:
        time.sleep(0.2)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--part", action="append", choices=[part.name for part in PARTS], help="only this part; may be given several times")
    asked = parser.parse_args()
    chosen = tuple(part for part in PARTS if not asked.part or part.name in asked.part)
    found = campaign(asked.kills, asked.seed, chosen, DataFolder.from_environment().machines, print)
    for what, times in sorted(found.kills.items()):
        print(f"killed {what}: {times}")
    print("\n".join(found.wrong) or "nothing lost, nothing doubled, nothing left")
    sys.exit(bool(found.wrong))
