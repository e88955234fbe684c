"""Results of runs, made by tests without a machine, and a command that is killed at every moment at which it changes them.

`python -m tests.eval_flows.episodes.runs.results COMMAND FOLDER OUT` lets a command work on copies of a folder. The copy `OUT/<n>` is what a kill before
the n-th change leaves; the last one is what the command leaves when nobody kills it. The program forks, and so it is a process of its own.
"""

import os
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from eval_flows.episodes.runs.store import Key, Results, Row, write_trajectory
from eval_flows.episodes.runs.upgrade import upgrade
from tests.conftest import REPOSITORY
from tests.warehouse.episode_rows import episode_row, step_row

KEPT = Path(__file__).parent / "kept" / "layout_1"  # a run of before there was a layout: its second command was killed before it wrote its tables
FAULT = "GuestSilent: no answer within 30 s"
_OF_EPISODE = ("run_id", "episode_id", "repeat")
_WRITING = {"w", "wb", "a+b"}  # modes of files; a file that is opened to be synced has none
_CHANGES = {"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir"}


def about(episode_id: str, repeat: int = 1) -> Row:
    """What is known of an episode before it is played."""
    played = (
        "status",
        "reward",
        "is_success",
        "steps",
        "malformed",
        "ready_seconds",
        "seconds",
        "first_application",
        "is_valid_choice",
        "input_tokens",
    )
    later = {*played, "output_tokens", "cost_usd", "model_seconds", "checks", "side_effects", "tries", "fault"}
    return {name: value for name, value in episode_row("run", episode_id, repeat).items() if name not in later}


def play(folder: Path, episode_id: str, repeat: int = 1, **more: Any) -> Row:
    """Leave the trajectory of an episode, as a worker does. Its row, without the number of tries."""
    row = {name: value for name, value in episode_row("run", episode_id, repeat, **more).items() if name not in ("tries", "fault")}
    steps = [{name: value for name, value in step_row(row, number).items() if name not in _OF_EPISODE} for number in (1, 2, 3)]
    write_trajectory(Results(folder).trajectory((episode_id, repeat)), row, steps, {1: [b"a picture"]})
    return row


def table(folder: Path, name: str) -> list[Row]:
    """The rows that the warehouse takes: those of the parts whose episodes are there."""
    parts = [path for path in sorted((folder / "episodes").glob("*.parquet")) if (folder / name / path.name).is_file()]
    return [row for part in parts for row in pq.read_table(folder / name / part.name).to_pylist()]


def assert_nothing_is_doubled(folder: Path) -> None:
    """Each episode has one row, and each played one has each of its steps once."""
    rows, steps = table(folder, "episodes"), table(folder, "steps")
    assert max(Counter((row["episode_id"], row["repeat"]) for row in rows).values(), default=1) == 1
    assert Counter((step["episode_id"], step["repeat"]) for step in steps) == {
        (row["episode_id"], row["repeat"]): row["steps"] for row in rows if row["fault"] is None
    }


def go_on(folder: Path) -> dict[Key, Row]:
    """A command that plays what is missing of four episodes. One of them fails once before it ends, and one fails always. All rows."""
    upgrade(folder)
    results = Results(folder)
    results.sweep()
    rows = results.update()
    for number, episode_id in enumerate(("ended", "failed_once", "new", "lost")):
        if (episode_id, 1) in rows and rows[episode_id, 1]["fault"] is None:
            continue
        if episode_id in ("failed_once", "lost"):
            results.note_fault(about(episode_id), FAULT, 30.0)
        if episode_id != "lost" and not results.trajectory((episode_id, 1)).is_dir():
            play(folder, episode_id, seconds=float(number))
    return results.update()


def look(folder: Path) -> dict[Key, Row]:
    """A command that goes on with a run, and plays nothing. All rows."""
    upgrade(folder)
    results = Results(folder)
    results.sweep()
    return results.update()


def killed_everywhere(command: str, folder: Path, out: Path) -> list[Path]:
    """Let a command of this module work on copies of a folder, killed before each of its changes. The copies; the last one was not killed."""
    arguments = [sys.executable, "-m", __name__, command, str(folder), str(out)]
    subprocess.run(arguments, check=True, cwd=REPOSITORY, env={**os.environ, "PYTHONPATH": str(REPOSITORY)})
    return sorted(out.iterdir(), key=lambda path: int(path.name))


def _main(command: Callable[[Path], object], folder: Path, out: Path) -> None:
    killed, number = True, 0
    while killed:
        number += 1
        copy = Path(shutil.copytree(folder, out / str(number)))
        child = os.fork()
        if child == 0:
            _kill_at(number, copy)
            command(copy)
            os._exit(0)
        status = os.waitpid(child, 0)[1]
        killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
        if not killed and status:
            sys.exit(f"{command.__name__} failed without a kill")


def _kill_at(number: int, folder: Path) -> None:
    """Kill this process before the change of that number below the folder."""
    left = [number]

    def watch(event: str, args: tuple[Any, ...]) -> None:
        if event in _CHANGES and str(args[0]).startswith(f"{folder}/") and (event != "open" or args[1] in _WRITING):
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(watch)


if __name__ == "__main__":
    _main({"go_on": go_on, "look": look}[sys.argv[1]], Path(sys.argv[2]), Path(sys.argv[3]))
