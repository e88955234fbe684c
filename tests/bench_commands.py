"""Whole commands, as people wait for them: building `tiny`, `demo` and `paper` in an empty data folder, and
`tiny` and `demo` after one phrasing changed.

Run as `python -m tests.bench_commands RECIPE` it is `deskmill build RECIPE` with one phrasing of Excel changed.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from flows.recipe import read_recipe
from tests import bench_data_designer
from tests.timing import seconds_of

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
    yield _paper()


def _paper() -> Figure:
    """The rows a second of the paper recipe, as a whole command with its gate and the warehouse, beside those of NeMo Data Designer."""
    with tempfile.TemporaryDirectory() as folder:
        taken = _seconds([sys.executable, "deskmill.py", "build", "paper"], {"DESKMILL_DATA": folder})
    rate = read_recipe("paper")[1].tasks / taken
    return "command_build_paper_rows_per_second", rate, "rows/s", bench_data_designer.NAME, bench_data_designer.rows_per_second()


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
    return seconds_of(lambda: subprocess.run(command, check=True, cwd=REPOSITORY, env={**os.environ, **environment}, stdout=subprocess.DEVNULL))


if __name__ == "__main__":
    build_changed(sys.argv[1])
