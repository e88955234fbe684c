"""The results of a run on disk. Each fact has one source, and the tables for the warehouse are made from the sources.

The sources:
trajectories/<episode_id>_<repeat>/   an episode that was played to its end: trajectory.json with its row and steps, pictures, events, files it left
faults.jsonl                          a line for every fault of the infrastructure: what is known about the episode, the fault and its seconds

The tables:
episodes/<part>.parquet               rows of trajectories; a part is made once, of the trajectories that no part holds yet
steps/<part>.parquet                  the steps of the same trajectories
interventions/<part>.parquet          the interventions of people in them, if there were any
episodes/faults.parquet               rows of the episodes that have faults and no trajectory; each command replaces it

A kill at any moment loses nothing and doubles nothing, because of the order of writing. A trajectory is written completely or not at all. An
episode leaves the table of faults before a part holds it. Steps and interventions of a part are written before its episodes; without episodes they
do not count.
"""

import json
import os
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from eval_flows.episodes.runs.left_files import FOLDER, LeftFile, named, rows_of
from warehouse.errors import WarehouseError
from warehouse.layout import keep, sweep, written_folder
from warehouse.parquet import write_rows
from warehouse.stores.disk import roomy

Row = dict[str, Any]
Key = tuple[str, int]  # the id of an episode, and the repeat
JPEG = b"\xff\xd8\xff"  # how a file of that format begins
_NAME_OF_TRAJECTORY = re.compile(r"(?P<episode_id>[^.].*)_(?P<repeat>\d+)")
_OF_EPISODE = ("run_id", "episode_id", "repeat")
_FAULTY: Mapping[str, Any] = {"status": "infrastructure fault", "input_tokens": 0, "output_tokens": 0, "cost_usd": 0.0, "checks": []}


class Results:
    """The results in the folder of a run. Whoever changes them holds the lock of the run."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._faults = folder / "faults.jsonl"

    def trajectory(self, key: Key) -> Path:
        """Return the folder of a trajectory."""
        return self._folder / "trajectories" / f"{key[0]}_{key[1]}"

    def note_fault(self, about: Row, fault: str, seconds: float) -> None:
        """Add a fault, with what is known about the episode, at once and for good."""
        append_line(self._faults, {**about, "fault": fault, "seconds": round(seconds, 3)})

    def sweep(self) -> None:
        """Remove the temporary files of killed commands, before workers of this command write."""
        for folder in (self._folder, *(self._folder / name for name in ("trajectories", "episodes", "steps", "interventions"))):
            sweep(folder)

    def update(self) -> dict[Key, Row]:
        """Make the tables from the trajectories and faults that they lack, and return all rows. Trajectories in parts are not read."""
        held = {key for key, row in self._rows().items() if row["fault"] is None}
        new = {key: read_trajectory(path) for key, path in self._kept().items() if key not in held}
        faults: dict[Key, list[Row]] = defaultdict(list)
        for line in read_lines(self._faults):
            faults[key_of(line)].append(line)
        self._write_faulty([{**_FAULTY, **told[-1], "tries": len(told)} for key, told in faults.items() if key not in held | new.keys()])
        if new:
            self._write_part({key: {**one, "tries": len(faults[key]) + 1} for key, one in new.items()})
        return self._rows()

    def _kept(self) -> dict[Key, Path]:
        """Return the folders of all trajectories."""
        paths = (self._folder / "trajectories").glob("*")
        named = [(found, path) for path in paths if (found := _NAME_OF_TRAJECTORY.fullmatch(path.name))]
        return {(found["episode_id"], int(found["repeat"])): path for found, path in named}

    def _parts(self) -> list[Path]:
        return sorted((self._folder / "episodes").glob("[0-9]*.parquet"))

    def _rows(self) -> dict[Key, Row]:
        """Return the rows of all tables of episodes, in the columns of today."""
        from warehouse.upgrades import read_rows  # workers import this module and read no table: DuckDB would slow their start

        paths = [*self._parts(), *(self._folder / "episodes").glob("faults.parquet")]
        return {key_of(row): row for row in read_rows(paths, "episodes")}

    def _write_faulty(self, rows: Sequence[Row]) -> None:
        """Replace the table of faults. An empty one stays: a load that has listed it must find it."""
        path = self._folder / "episodes" / "faults.parquet"
        if rows or path.is_file():
            write_rows(path, "episodes", sorted(rows, key=_place))

    def _write_part(self, trajectories: Mapping[Key, Row]) -> None:
        """Write the next part, of trajectories with their number of tries."""
        number = max((int(path.stem) for path in self._parts()), default=-1) + 1
        found = sorted(trajectories.values(), key=lambda one: _place(one["episode"]))
        steps = [{**{name: one["episode"][name] for name in _OF_EPISODE}, **step} for one in found for step in one["steps"]]
        write_rows(self._folder / "steps" / f"{number:05}.parquet", "steps", steps)
        interventions = [row for one in found for row in _intervention_rows(one)]
        if interventions:
            write_rows(self._folder / "interventions" / f"{number:05}.parquet", "interventions", interventions)
        episodes = [{"tries": one["tries"], **one["episode"]} for one in found]  # a trajectory of an earlier version has its own number
        write_rows(self._folder / "episodes" / f"{number:05}.parquet", "episodes", episodes)


def key_of(row: Row) -> Key:
    """Return what tells a row from the others of its run."""
    return row["episode_id"], row["repeat"]


def _intervention_rows(trajectory: Row) -> Iterator[Row]:
    """Yield the interventions in a trajectory as rows of their table: acts as texts, without pictures."""
    for one in trajectory["interventions"]:
        yield {**{name: trajectory["episode"][name] for name in _OF_EPISODE}, **one, "acts": [act["action"] for act in one["acts"]]}


def _place(row: Mapping[str, Any]) -> tuple[int, str]:
    return row["repeat"], row["episode_id"]


def write_trajectory(
    folder: Path,
    episode: Row,
    steps: Sequence[Row],
    pictures: Mapping[int, Sequence[bytes]],
    interventions: Sequence[Row] = (),
    of_people: Mapping[str, bytes] | None = None,
    left: Sequence[LeftFile] = (),
) -> None:
    """Write a trajectory completely or not at all: the row of the episode, the rows of its steps, and pictures by number of the step.

    The picture of step 3 is `003.png` or `003.jpg`; several are `003_1.png`, `003_2.png` and so on, in the order in which the agent got them.
    Interventions of people are kept if there were any, with their pictures and events as files by name; and so are the files that the episode left.
    """
    with written_folder(folder) as temporary:
        for number, files in pictures.items():
            for place, file in enumerate(files, 1):
                name = f"{number:03}" if len(files) == 1 else f"{number:03}_{place}"
                (temporary / f"{name}.{'jpg' if file.startswith(JPEG) else 'png'}").write_bytes(file)
        for name, file in (of_people or {}).items():
            (temporary / name).write_bytes(file)
        if left:
            (temporary / FOLDER).mkdir()
        for name, one in named(left):
            if one.content is not None:
                (temporary / name).write_bytes(one.content)
        more = {"interventions": interventions, "files": rows_of(left)}
        kept = {"episode": episode, "steps": steps} | {name: rows for name, rows in more.items() if rows}
        (temporary / "trajectory.json").write_text(json.dumps(kept, indent=1))


def read_trajectory(folder: Path) -> Row:
    """Return the `episode`, the `steps`, the `interventions` and the `files` of a trajectory; WarehouseError if it is damaged."""
    path = folder / "trajectory.json"
    try:
        found = json.loads(path.read_text())
        return {"episode": found["episode"], "steps": found["steps"]} | {name: found.get(name, []) for name in ("interventions", "files")}
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise WarehouseError(
            f"{path} is damaged ({type(error).__name__}: {error}): remove its folder, and the same command plays the episode again"
        ) from None


def read_lines(path: Path) -> Iterator[Row]:
    """Yield the rows of a file of JSON lines, if it is there. A line that a kill cut off is skipped."""
    for line in path.read_text().splitlines() if path.is_file() else ():
        try:
            yield json.loads(line)
        except ValueError:
            continue


def append_line(path: Path, row: Row) -> None:
    """Add a row to a file of JSON lines, after the end of a line that a kill cut off. WarehouseError if the disk is full."""
    with roomy(path.parent), path.open("a+b") as file:
        cut_off = file.tell() > 0 and file.seek(-1, os.SEEK_END) >= 0 and file.read(1) != b"\n"
        file.write(b"\n" * cut_off + json.dumps(row).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())
    keep(path)
