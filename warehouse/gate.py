"""The gate: what must hold of user tasks before they are published.

Great Expectations takes seconds to load, so it runs in a process of its own, which loads it while the rows are made.
"""

import atexit
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

from warehouse.errors import WarehouseError


class Gate:
    """The process that holds datasets against the expectations, one after another."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._asking = ThreadPoolExecutor(1, "gate")  # one dataset at a time

    def start(self) -> None:
        """Begin to load Great Expectations, if that has not begun; this returns at once."""
        if self._process is None or self._process.poll() is not None:
            command = [sys.executable, "-m", "warehouse.expectations"]
            paths = [str(Path(__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
            self._process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            atexit.register(self._process.kill)

    def ask(self, dataset: Path, candidates: Sequence[str], categories: Sequence[str], rows: int) -> Callable[[], list[str]]:
        """Begin to hold the user tasks in `dataset` against the suite and to write Data Docs beside them; what waits for the outcome.

        The outcome is a line for each expectation that fails, naming rows. WarehouseError where the process ended, which then says why on its own.
        """
        asked = json.dumps({"dataset": str(dataset), "candidates": list(candidates), "categories": list(categories), "rows": rows})
        return self._asking.submit(self._failures, asked).result

    def _failures(self, asked: str) -> list[str]:
        self.start()
        assert self._process and self._process.stdin and self._process.stdout
        try:
            print(asked, file=self._process.stdin, flush=True)
            answer = self._process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            raise WarehouseError("the process of the Great Expectations gate ended without an answer; what it printed above says why")
        failures: list[str] = json.loads(answer)
        return failures


@cache
def gate() -> Gate:
    """The gate of this process: one for all datasets, since loading it takes seconds."""
    return Gate()
