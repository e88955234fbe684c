"""One build of the paper recipe at a size, in a process of its own: its seconds apart from imports, and its peak memory.

Run as `python -m tests.bench_scale ROWS FOLDER`; prints one JSON line. Memory is the proportional set size of the process and
its workers together, looked at ten times a second, so that shared pages count once.
"""

import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

from flows.parallel import process_pool_map
from flows.pipeline import build_dataset
from flows.recipe import Recipe, read_recipe
from warehouse.layout import DataFolder

WORKERS = 2


def scaled(rows: int) -> Recipe:
    """The paper recipe for a number of rows; at other sizes than its own it limits no recurrences."""
    recipe = read_recipe("paper")[1]
    if rows == recipe.tasks:
        return recipe
    graphs = round(recipe.graph_tasks * rows / recipe.tasks)
    return recipe.model_copy(update={"tasks": rows, "graph_tasks": graphs, "recurrences": None, "uses_every_task": False})


def measured(rows: int, folder: Path) -> dict[str, Any]:
    """Build once, cold; the seconds, the peak in MB and the seconds of making shards."""
    import great_expectations.expectations  # noqa: F401  measured apart from imports

    stages: list[tuple[str, float]] = []
    memory = _Memory()
    started = time.perf_counter()
    build_dataset("scale", scaled(rows), DataFolder(folder), process_pool_map(WORKERS), lambda stage, done, total: _first(stages, stage))
    return {"rows": rows, "seconds": time.perf_counter() - started, "peak_mb": memory.stop(), "shard_seconds": stages[1][1] - stages[0][1]}


def _first(stages: list[tuple[str, float]], stage: str) -> None:
    if stage not in [name for name, _ in stages]:
        stages.append((stage, time.perf_counter()))


class _Memory:
    """Watches the memory of this process and of all below it."""

    def __init__(self) -> None:
        self.peak = 0.0
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

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
    print(json.dumps(measured(int(sys.argv[1]), Path(sys.argv[2]))))
