"""The results of a run as judges see them: trajectories that were played to the end, with their pictures."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from atomic_tasks.catalog import sound_catalog
from atomic_tasks.problems import BadInput
from eval_flows.episodes.rollouts.source import find_run
from eval_flows.episodes.runs.store import Key, Row, key_of, read_trajectory
from eval_flows.episodes.tasks.suite import read_suite, suite_names, suite_tasks
from eval_flows.episodes.tasks.suite_task import WrittenTask
from warehouse.layout import DataFolder, fetch

_PICTURE = re.compile(r"(?P<step>\d+)(_(?P<place>\d+))?\.(png|jpg)")


@dataclass(frozen=True)
class Result:
    """An episode that was played to its end: its row, its steps, the folder with its pictures, and what is told of the files that it left."""

    episode: Row
    steps: Sequence[Row]
    folder: Path
    files: Sequence[Row] = ()

    @property
    def run_id(self) -> str:
        """Return the run."""
        return str(self.episode["run_id"])

    @property
    def key(self) -> Key:
        """Return the id of the episode, and the repeat."""
        return key_of(self.episode)

    @cached_property
    def pictures(self) -> Mapping[int, Sequence[Path]]:
        """Return the pictures by step, in the order of steps; those of one step in the order in which the agent got them."""
        found = [(match, path) for path in self.folder.iterdir() if (match := _PICTURE.fullmatch(path.name))]
        by_step: dict[int, list[Path]] = {}
        for match, path in sorted(found, key=lambda one: (int(one[0]["step"]), int(one[0]["place"] or 0))):
            by_step.setdefault(int(match["step"]), []).append(path)
        return by_step

    @property
    def last_pictures(self) -> Sequence[Path]:
        """Return the pictures of the last step, such as the parts of one screen; empty if the run kept none."""
        return self.pictures[max(self.pictures)] if self.pictures else ()


@dataclass(frozen=True)
class PlayedRun:
    """A run of episodes with its results, by episode and repeat."""

    run_id: str
    suite: str
    agent: str
    results: Mapping[Key, Result]


def read_run(asked: str, data: DataFolder) -> PlayedRun:
    """Return the run with that id or its unique beginning; BadInput if there is none, or if nothing of it was played to the end."""
    run_id = find_run(asked, data)
    folder = data.runs / run_id
    fetch(folder)
    described: Any = json.loads((folder / "suite_run.json").read_text())
    paths = sorted(path.parent for path in (folder / "trajectories").glob("[!.]*/trajectory.json"))
    read = [(path, read_trajectory(path)) for path in paths]
    if not read:
        raise BadInput(f"no episode of run {run_id} was played to its end, so there is nothing to judge: play it with `deskmill episodes`")
    results = [Result(one["episode"], one["steps"], path, one["files"]) for path, one in read]
    return PlayedRun(run_id, described["suite"], described["agent"]["name"], {one.key: one for one in results})


def rubrics_of(suite: str) -> Mapping[str, Sequence[str]]:
    """Return the rubric of each episode of a suite that has one; a suite that is gone or imported has none."""
    if suite not in suite_names() or (read := read_suite(suite)).imported or not read.jobs:
        return {}
    made = suite_tasks(read, sound_catalog())
    return {one.task.episode_id: one.job.rubric for one in made if isinstance(one, WrittenTask) and one.job.rubric}
