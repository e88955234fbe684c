"""The files that an episode of an open-ended task (L4) leaves, kept for judges: those that the task declares as its result, and no more.

Their contents come from a machine on which an agent worked. They are kept as bytes under numbers, and are not read here.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from eval_flows.episodes.environment import Environment
from eval_flows.episodes.tasks.changes import Changes
from eval_flows.episodes.tasks.task import Task

FOLDER = "files"  # within the folder of a trajectory
_LEVEL = "L4"  # the other levels have checks that see everything, and no judge
_MOST_FILES = 20
_LARGEST, _MOST_TOGETHER = 5 * 2**20, 20 * 2**20  # bytes


@dataclass(frozen=True)
class LeftFile:
    """A file below the home folder; `content` is None if it was too large to be kept."""

    path: str
    size: int
    content: bytes | None


def left_files(environment: Environment, task: Task) -> Sequence[LeftFile]:
    """Return the files that the episode of an open-ended task left where the task may change something; none for tasks of other levels.

    Left out are places with a star, files that are not there, and files that are larger than a machine hands over (`machines.guest.files`).
    `MachineError` if the machine fails.
    """
    return list(islice(_found(environment, task), _MOST_FILES)) if task.level == _LEVEL else []


def _found(environment: Environment, task: Task) -> Iterator[LeftFile]:
    left, changes = _MOST_TOGETHER, Changes([change for step in task.steps for change in step.changes])
    for path in changes.paths:
        content = environment.desktop.client.file(path)
        if content is None:
            continue
        fits = len(content) <= min(_LARGEST, left)
        left -= len(content) if fits else 0
        yield LeftFile(path, len(content), content if fits else None)


def rows_of(files: Sequence[LeftFile]) -> list[Mapping[str, Any]]:
    """Return the files as a trajectory tells them: path, size in bytes, and the name of the kept file, if it was kept."""
    return [{"path": one.path, "bytes": one.size, "kept": name if one.content is not None else None} for name, one in named(files)]


def named(files: Sequence[LeftFile]) -> Iterator[tuple[str, LeftFile]]:
    """Yield the files with the names under which they are kept: numbers, since nothing of the machine decides over a name on this host."""
    return ((f"{FOLDER}/{number:02}", one) for number, one in enumerate(files, 1))
