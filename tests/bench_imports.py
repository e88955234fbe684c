"""Imported episodes an hour, by an agent that answers at once, beside the same episodes with fixed sleeps.

Ours is measured: two task files of each application in `eval_flows/episodes/osworld/examples`, imported and played one after the other on one machine
of this host, with their set-up, steps and evaluation, the reset of the machine, and what a run does around its episodes. The model is a server that answers
at once: it moves the pointer four times, then says DONE. Theirs is arithmetic: 60 seconds after the reset, 20 before the evaluation, and 2 after each
step, as OSWorld's harness sleeps, for as many episodes of as many steps, and nothing for all else that it does.

The image `osworld` has to be there; `make bench` builds it if it is not.
"""

import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

from eval_flows.episodes.agents.choice import AgentChoice
from eval_flows.episodes.osworld.file_cache import FileCache
from eval_flows.episodes.osworld.importing import Asked, Imported, import_suite
from eval_flows.episodes.runs.pipeline import EpisodeOptions, evaluate_episodes
from language_models.endpoint import Endpoint
from machines.build import build_image
from tests.conftest import REPOSITORY, quiet
from tests.language_models.fake_server import fake_server
from warehouse.layout import DataFolder

EXAMPLES = REPOSITORY / "eval_flows" / "episodes" / "osworld" / "examples"
SUITE, IMAGE = "imported", "osworld"
STEPS = 5
_OF_EACH = 2  # task files of an application
_AFTER_RESET, _BEFORE_EVALUATION, _A_STEP = 60.0, 20.0, 2.0  # seconds that OSWorld's harness sleeps
_HOUR = 3600.0
Figure = tuple[str, float, str, str, float]


def figures() -> Iterator[Figure]:
    """Ours beside theirs, each in episodes an hour."""
    machines = DataFolder.from_environment().machines
    build_image(IMAGE, machines, lambda _: None)
    with tempfile.TemporaryDirectory() as folder, patch.dict(os.environ, {"DESKMILL_DATA": folder}):
        data = DataFolder(Path(folder))
        data.machines.symlink_to(machines.resolve())
        imported(data, Path(folder) / "tasks")
        yield figure_of(*_played(data))


def figure_of(rows: Sequence[Mapping[str, Any]], seconds: float) -> Figure:
    """Return the figure of episodes that took so many seconds; those that the machine spoiled count for neither side, though their seconds do for ours."""
    steps = [int(row["steps"]) for row in rows if row.get("reward") is not None]
    if not steps:
        raise RuntimeError(f"none of {len(rows)} episodes was played: {[row.get('fault') for row in rows]}")
    words = f"arithmetic: the same with {_AFTER_RESET:g} s after reset, {_BEFORE_EVALUATION:g} s before evaluation and {_A_STEP:g} s a step, no other time"
    return "imported_episodes_an_hour", _HOUR * len(steps) / seconds, "episodes/h", words, _HOUR * len(steps) / seconds_of_sleeps(steps)


def seconds_of_sleeps(steps: Sequence[int]) -> float:
    """Return the seconds that episodes of so many steps sleep in OSWorld's harness."""
    return sum(_AFTER_RESET + _BEFORE_EVALUATION + _A_STEP * count for count in steps)


def imported(data: DataFolder, folder: Path) -> Imported:
    """Import the first task files of each application, with stand-ins for what they fetch."""
    for application in sorted(path for path in EXAMPLES.iterdir() if path.is_dir()):
        for path in sorted(application.glob("*.json"))[:_OF_EACH]:
            (folder / application.name).mkdir(parents=True, exist_ok=True)
            shutil.copy(path, folder / application.name)
    cache = FileCache.of(data.task_files, may_make=True)
    return import_suite(Asked(folder, SUITE, IMAGE, cache), data, is_dry=False)


def reply(request: Mapping[str, Any]) -> str:
    """Return what the model answers: it moves the pointer, and at the last step says DONE."""
    step = int(str(request["messages"][1]["content"]).partition("Step ")[2].partition(" of")[0])
    if step == STEPS:
        return "```decision\nDONE\n```"
    return f"```decision\nCOMMAND\n```\n```python\ncomputer.mouse.move_abs(x=0.{step}, y=0.5)\n```"


def _played(data: DataFolder) -> tuple[list[dict[str, Any]], float]:
    """Return the rows of the episodes, and the seconds that all of them took on one machine."""
    with fake_server(reply, 0.0) as server:
        options = EpisodeOptions(workers=1, endpoint=Endpoint("m", server.base_url))
        begun = time.monotonic()
        run = evaluate_episodes(SUITE, AgentChoice("model", model="m"), options, data, quiet)
        return run.rows, time.monotonic() - begun


if __name__ == "__main__":
    for name, value, unit, reference, reference_value in figures():
        print(f"{name}: {value:.1f} {unit}; {reference}: {reference_value:.1f}")
