"""Whole commands, as people wait for them: building `tiny` and `demo` in an empty data folder, and `demo` after one phrasing changed.

Run as `python -m tests.bench_commands RECIPE` it is `deskmill build RECIPE` with one phrasing of Excel changed.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
Figure = tuple[str, float, str, str, float]


def figures() -> Iterator[Figure]:
    """Each command beside loading Great Expectations, which is the longest of what no build can do without."""
    loading = _seconds([sys.executable, "-c", "import great_expectations.expectations"], {})
    beside = "loading Great Expectations alone"
    for recipe in ("tiny", "demo"):
        with tempfile.TemporaryDirectory() as folder:
            environment = {"DESKMILL_DATA": folder}
            yield f"command_build_{recipe}", _seconds([sys.executable, "deskmill.py", "build", recipe], environment), "s", beside, loading
            changed = _seconds([sys.executable, "-m", "tests.bench_commands", recipe], environment)
            yield f"command_build_{recipe}_after_one_phrasing_changed", changed, "s", beside, loading


def build_changed(recipe: str) -> None:
    """Build the recipe with one more way to say the last task of Excel."""
    from deskmill import main
    from flows import pipeline

    read = pipeline.read_declared

    def changed() -> object:
        catalog, workflows = read()
        excel = catalog.applications["excel"]
        task = excel.tasks[-1].model_copy(update={"say": (*excel.tasks[-1].say, "see to it once more, all over again")})
        altered = excel.model_copy(update={"tasks": (*excel.tasks[:-1], task)})
        return replace(catalog, applications={**catalog.applications, "excel": altered}), workflows

    pipeline.read_declared = changed  # type: ignore[assignment]
    main(["build", recipe])


def _seconds(command: list[str], environment: dict[str, str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, check=True, cwd=REPOSITORY, env={**os.environ, **environment}, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


if __name__ == "__main__":
    build_changed(sys.argv[1])
