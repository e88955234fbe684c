"""The parts of the campaign of kills: commands, what they need, and what they leave, as facts that are compared."""

import contextlib
import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.language_models.fake_server import FakeServer
from warehouse.layout import DataFolder
from warehouse.query import connect, rows_of

AT_ONCE = 4  # calls of the model at once: so many may be in flight at a kill
_EPISODES = ("deskmill.py", "episodes", "smoke", "--limit", "4")
_ON_DASK = ("--runner", "dask", "--address", "{scheduler}")
_FLOW = "from flows.build_dataset import build_dataset\nif __name__ == '__main__':\n    build_dataset('tiny', workers=2)\n"
_STEP = re.compile(r"Step (\d+) of")
Facts = Mapping[str, Any]


@dataclass(frozen=True)
class Part:
    """A command that is killed: the words after `python`, what it leaves, and whether it needs a scheduler of Dask, a server of Prefect, or a dataset.

    `has_workers` tells whether it does its items in processes of its own. `asks_the_same` tells whether it asks the model the same questions each time; an episode asks about what it sees.
    """

    name: str
    words: Callable[[FakeServer], list[str]]
    facts: Callable[[DataFolder], Facts]
    has_scheduler: bool = False
    has_prefect: bool = False
    has_workers: bool = True
    needs_dataset: bool = False
    asks_the_same: bool = True

    @property
    def victims(self) -> tuple[str, ...]:
        """What of it can be killed."""
        if self.has_scheduler:
            return ("command", "scheduler", "worker of dask")
        return ("command", "worker") if self.has_workers else ("command",)


def answer(request: dict[str, Any]) -> str:
    """The model: an application for a task of selection; a key and then the end for an episode."""
    step = _STEP.search(str(request["messages"]))
    if step is None:
        return "excel"
    return "```python\ncomputer.keyboard.press(key='ctrl+end')\n```" if step[1] == "1" else "```decision\nDONE\n```"


def built(data: DataFolder) -> Facts:
    """The bytes of every file of the dataset by its name; its manifest tells the time, and is left out."""
    files = sorted(path for path in data.datasets.rglob("*.parquet"))
    return {str(path.relative_to(data.datasets)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def selected(data: DataFolder) -> Facts:
    """The answer to every task."""
    return _counted(data, "select task_id, predicted_application, status from predictions order by all")


def played(data: DataFolder) -> Facts:
    """Every episode, and what came of it."""
    return _counted(data, "select episode_id, repeat, status, reward, steps from episodes order by all")


def _counted(data: DataFolder, query: str) -> Facts:
    with contextlib.closing(connect(data.warehouse)) as connection:
        rows = [tuple(row.values()) for row in rows_of(connection, query)]
    return {"rows": len(rows), "different": len(set(rows)), "content": sorted(map(str, rows))}


def _by_model(server: FakeServer) -> list[str]:
    return ["--model", "m", "--base-url", server.base_url, "--at-once", str(AT_ONCE)]


PARTS = (
    Part("build", lambda server: ["deskmill.py", "build", "tiny", "--workers", "2"], built),
    Part("build on dask", lambda server: ["deskmill.py", "build", "tiny", *_ON_DASK], built, has_scheduler=True),
    Part("flow", lambda server: ["-c", _FLOW], built, has_prefect=True),
    Part(
        "select",
        lambda server: ["deskmill.py", "select", "tiny", "--protocol", "zero_shot", *_by_model(server)],
        selected,
        needs_dataset=True,
        has_workers=False,
    ),
    Part("episodes", lambda server: [*_EPISODES, "--agent", "oracle"], played),
    Part("episodes of a model", lambda server: [*_EPISODES, *_by_model(server)], played, asks_the_same=False),
    Part("episodes on dask", lambda server: [*_EPISODES, "--agent", "oracle", *_ON_DASK], played, has_scheduler=True),
)
