"""One build of the paper recipe at a size, in a process of its own: its seconds, and its peak memory, with those of the late stage.

Run as `python -m tests.bench_scale ROWS FOLDER [RUNNER]`; prints one JSON line. Memory is the proportional set size of the process and
its workers together, looked at ten times a second, so that shared pages count once.
"""

import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from flows.pipeline import WORKER_IMPORTS, build_dataset
from flows.recipe import Recipe, read_recipe
from runners.runner import RunnerChoice
from warehouse.layout import DataFolder
from warehouse.parquet import TableWriter

WORKERS = 2


def scaled(rows: int) -> Recipe:
    """The paper recipe for a number of rows; at other sizes than its own it limits no recurrences."""
    recipe = read_recipe("paper")[1]
    if rows == recipe.tasks:
        return recipe
    graphs = round(recipe.graph_tasks * rows / recipe.tasks)
    return recipe.model_copy(update={"tasks": rows, "graph_tasks": graphs, "recurrences": None, "uses_every_task": False})


def measured(rows: int, folder: Path, runner: str = "processes") -> dict[str, Any]:
    """Build once, cold, the runner's start included; the seconds and the peak in MB, of all, of making shards and of the late stage, and the seconds of its reference."""
    started = time.perf_counter()
    memory = _Memory()
    stages: dict[str, tuple[float, float]] = {}  # when each began, and the peak until then

    def note(stage: str, done: int, total: int) -> None:
        if stage not in stages:
            stages[stage] = (time.perf_counter(), memory.restart())

    with RunnerChoice(runner, workers=WORKERS, preload=WORKER_IMPORTS).open() as run_map:
        build_dataset("scale", scaled(rows), DataFolder(folder), run_map, note)
    ended, last_peak = time.perf_counter(), memory.stop()
    shards, late, gate = (stages[name] for name in ("making shards", "assembling", "checking expectations"))
    return {
        "rows": rows,
        "seconds": ended - started,
        "peak_mb": max(last_peak, *(peak for _, peak in stages.values())),
        "shard_seconds": late[0] - shards[0],
        "late_seconds": gate[0] - late[0],
        "late_peak_mb": gate[1],
        "copy_seconds": _copied(DataFolder(folder)),
    }


def _copied(data: DataFolder) -> float:
    """The seconds of reading all shards and writing their rows to one file, which is the least that the late stage does."""
    started = time.perf_counter()
    with TableWriter(data.root / "copy.parquet", "shard") as writer:
        for shard in sorted(data.shards.glob("*.parquet")):
            writer.write(pq.read_table(shard))
    return time.perf_counter() - started


class _Memory:
    """Watches the memory of this process and of all below it."""

    def __init__(self) -> None:
        self.peak = 0.0
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def restart(self) -> float:
        """The peak in MB so far; the next one is that of what follows."""
        peak, self.peak = self.peak, 0.0
        return peak

    def stop(self) -> float:
        """The peak in MB."""
        self._stopped.set()
        self._thread.join()
        return self.peak

    def _watch(self) -> None:
        while not self._stopped.wait(0.1):
            self.peak = max(self.peak, _proportional_mb(os.getpid()))


def _proportional_mb(process: int) -> float:
    """Megabytes of a process and its children."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:
        return 0.0  # it has ended
    own = sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024
    return own + sum(_proportional_mb(int(child)) for child in children)


if __name__ == "__main__":
    print(json.dumps(measured(int(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:])))
