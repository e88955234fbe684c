"""A campaign of kills: commands are killed at random moments and run again, and what they leave is compared with uninterrupted runs.

`python -m tests.campaign --kills 100` builds, also by a flow of Prefect, selects with a model, and plays episodes, also with a model and on a cluster of
Dask. Each kill (SIGKILL) is of the command or the flow, of one of its workers, or of the scheduler. What goes on by itself after a kill has to end well.
At the end nothing is lost or doubled, no answer of the model was asked for again but those that were in flight at a kill, and no process and no mount is
left. It prints what it did, and ends with 1 if something does not hold.
"""

import argparse
import contextlib
import ctypes
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]

from tests.campaign_parts import AT_ONCE, PARTS, Facts, Part, answer
from tests.campaign_services import Scheduler, command_line, environment, kill_one, prefect, workers_below
from tests.conftest import REPOSITORY
from tests.language_models.fake_server import FakeServer, fake_server
from warehouse.layout import DataFolder

_LATEST = 0.9  # of the time of an uninterrupted run: a kill comes before it
_SECONDS = 900.0  # of one command, however often it was killed before
_ROUNDS = 10  # more than kills: a command may end before its kill
_ADOPTS = 36  # PR_SET_CHILD_SUBREAPER of prctl(2)


@dataclass
class Told:
    """What the campaign did and found."""

    kills: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Scene:
    """Where a part is played: its server of a model, its scheduler if it has one, and what else its commands have in their environment."""

    server: FakeServer
    scheduler: Scheduler | None
    environment: Mapping[str, str]


def campaign(
    kills: int, seed: int, parts: tuple[Part, ...], machines: Path, say: Callable[[str], None], victims: Collection[str] | None = None
) -> Told:
    """Carry out so many kills, shared out over the parts, and return what was found. `victims` are what may be killed; by default all that a part has."""
    draw, told = random.Random(seed), Told()
    mounts = _mounts()
    earlier = {one.pid for one in _left()}
    with _adopting(), tempfile.TemporaryDirectory() as folder, fake_server(answer, latency=0.02) as server:
        whole = _made(Path(folder) / "whole", machines)
        if any(part.needs_dataset for part in parts):
            _run(["deskmill.py", "build", "tiny"], whole, Scene(server, None, {}))
        left = kills
        for number, part in enumerate(parts):
            share = left // (len(parts) - number)
            left -= share
            with _scene(part, server, Path(folder)) as scene:
                _killed(part, share, Path(folder) / str(number), whole, scene, draw, told, say, victims or part.victims)
        _await_quiet(earlier)
        if here := [one for one in _left() if one.pid not in earlier]:
            told.wrong.append(f"processes are left: {', '.join(' '.join(command_line(one))[:100] for one in here)}")
    if new := _mounts() - mounts:
        told.wrong.append(f"mounts are left: {', '.join(sorted(new))}")
    return told


def _killed(
    part: Part,
    kills: int,
    folder: Path,
    whole: DataFolder,
    scene: Scene,
    draw: random.Random,
    told: Told,
    say: Callable[[str], None],
    victims: Collection[str],
) -> None:
    """Kill one part so often, in as many rounds as that takes; each round begins afresh, ends by itself, and is compared with an uninterrupted run."""
    needed, words = whole if part.needs_dataset else None, part.words(scene.server)
    first = _made(folder / "uninterrupted", whole.machines, needed)
    begun = time.monotonic()
    scene.server.paid.clear()
    _run(words, first, scene)
    seconds, wanted, questions = time.monotonic() - begun, part.facts(first), set(scene.server.paid)
    done = number = 0
    while done < kills:
        number += 1
        if number > _ROUNDS + kills:
            raise RuntimeError(f"{part.name}: of {number} rounds only {done} had something to kill")
        data = _made(folder / f"round-{number}", whole.machines, needed)
        scene.server.paid.clear()
        in_round = 0
        while done < kills and in_round < 5:
            name = f"{part.name}, round {number}"
            if not _killed_once(name, words, data, scene, draw.uniform(0.05, _LATEST) * seconds, draw.choice(sorted(victims)), told):
                break
            done, in_round = done + 1, in_round + 1
        _run(words, data, scene)
        _compare(f"{part.name}, round {number}", wanted, part.facts(data), told)
        told.wrong += [f"{part.name}, round {number}: {one}" for one in asked_again(part, scene.server.paid, questions, in_round)]
        say(f"{part.name}: {done} of {kills} kills, {len(told.wrong)} wrong")


def asked_again(part: Part, paid: Counter[str], questions: Collection[str], kills: int) -> Iterator[str]:
    """Yield what is wrong with the answers that were paid for: more of them to one question than kills can explain, or other questions."""
    again = sum(paid.values()) - len(paid)
    if again > kills * AT_ONCE:
        yield f"{again} answers were asked for again after {kills} kills"
    if part.asks_the_same and set(paid) != set(questions):
        yield f"{len(paid)} questions, of which {len(set(paid) & set(questions))} are the {len(questions)} of the uninterrupted run"


def _killed_once(name: str, words: list[str], data: DataFolder, scene: Scene, moment: float, victim: str, told: Told) -> bool:
    """Start the command, kill something of it from a moment on, and wait for its end; False if it had ended before, and nothing was killed."""
    command = _started(words, data, scene)
    with contextlib.suppress(subprocess.TimeoutExpired):
        command.wait(moment)
    is_killed = _until_it_ends(command, _killing(victim, command, scene))
    if is_killed and victim == "scheduler":
        command.kill()  # without a scheduler it would wait for a minute; that is told, and tested elsewhere
    code = command.wait(_SECONDS)
    if code != 0 and not (is_killed and victim in ("command", "scheduler")):
        told.wrong.append(f"{name}: it did not go on after the kill of a {victim}, but ended with {code}: {_said(data)[-5000:]}")
    if is_killed:
        told.kills[f"{name.partition(',')[0]}: {victim}"] += 1
    return is_killed


def _killing(victim: str, command: "subprocess.Popen[bytes]", scene: Scene) -> Callable[[], bool]:
    """Return what kills a victim, and tells whether it was there."""

    def kill_command() -> bool:
        command.kill()
        return True

    def kill_worker() -> bool:
        return kill_one(workers_below(command.pid))

    kills = {"command": kill_command, "worker": kill_worker}
    if scene.scheduler is not None:
        kills |= {"scheduler": scene.scheduler.kill, "worker of dask": scene.scheduler.kill_worker}
    return kills[victim]


def _until_it_ends(command: "subprocess.Popen[bytes]", kill: Callable[[], bool]) -> bool:
    """Try to kill until something was there to be killed; False if the command ends before: workers come, go, and come back."""
    while command.poll() is None:
        if kill():
            return True
        time.sleep(0.05)
    return False


def _compare(name: str, wanted: Facts, found: Facts, told: Told) -> None:
    for what in sorted({*wanted, *found}):
        if wanted.get(what) != found.get(what):
            told.wrong.append(f"{name}: {what} differs from the uninterrupted run: {str(found.get(what))[:200]}")


@contextlib.contextmanager
def _scene(part: Part, server: FakeServer, folder: Path) -> Iterator[Scene]:
    with contextlib.ExitStack() as stack:
        around = stack.enter_context(prefect(folder)) if part.has_prefect else {}
        scheduler = Scheduler() if part.has_scheduler else None
        if scheduler is not None:
            stack.callback(scheduler.stop)
        yield Scene(server, scheduler, around)


def _made(folder: Path, machines: Path, with_dataset_of: DataFolder | None = None) -> DataFolder:
    """Return a new data folder with the images of machines and, if asked, a dataset."""
    folder.mkdir(parents=True)
    (folder / "machines").symlink_to(machines.resolve())
    data = DataFolder(folder)
    if with_dataset_of is not None:
        for name in ("datasets", "store"):
            (folder / name).symlink_to((with_dataset_of.root / name).resolve())
    return data


def _started(words: list[str], data: DataFolder, scene: Scene) -> "subprocess.Popen[bytes]":
    filled = [word.replace("{scheduler}", scene.scheduler.address) if scene.scheduler else word for word in words]
    with (data.root / "said.txt").open("ab") as said:
        around = environment(DESKMILL_DATA=str(data.root), **scene.environment)
        return subprocess.Popen([sys.executable, *filled], cwd=REPOSITORY, env=around, stdout=said, stderr=said)


def _run(words: list[str], data: DataFolder, scene: Scene) -> None:
    if _started(words, data, scene).wait(_SECONDS) != 0:
        raise RuntimeError(f"{' '.join(words)} failed:\n{_said(data)[-3000:]}")


def _said(data: DataFolder) -> str:
    return (data.root / "said.txt").read_text()


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
    return [
        one for one in below if any(word in " ".join(command_line(one)) for word in ("machines.guest", "forkserver", "spawn_main", "deskmill.py"))
    ]


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
