"""The episodes at which people can be present: found by their cards in the folders of runs, and visited once each."""

import threading
from typing import Any

from eval_flows.episodes.people.reception import FOLDER, EpisodeGone, Visit
from eval_flows.episodes.runs.store import read_trajectory
from warehouse.errors import WarehouseError
from warehouse.layout import DataFolder

Json = dict[str, Any]
Key = tuple[str, str]  # the id of a run, and the name of a trajectory in it
_TOLD = ("instruction", "level", "application", "status", "reward", "is_success", "side_effects", "checks", "steps", "seconds", "ready_seconds")


class Halls:
    """The episodes that are played now: of one run, or of all runs in the data folder."""

    def __init__(self, data: DataFolder, run: str | None = None) -> None:
        self._runs = data.runs
        self._run = run
        self._visits: dict[Key, Visit] = {}
        self._lock = threading.Lock()

    def open(self) -> list[Key]:
        """Return the keys of the episodes that are played, in the order of their names."""
        return sorted((card.parents[1].name, card.stem) for card in self._runs.glob(f"{self._run or '*'}/{FOLDER}/*.json"))

    def visit(self, key: Key) -> Visit:
        """Return the visit to an episode, which all viewers share; `EpisodeGone` if it is not played."""
        with self._lock:
            if key not in self._visits:
                self._visits[key] = self.new_visit(key)
            return self._visits[key]

    def new_visit(self, key: Key) -> Visit:
        """Return another visit to an episode, for one who does not share it; `EpisodeGone` if it is not played."""
        if key not in self.open():
            raise EpisodeGone("no such episode is played now")
        return Visit(self._runs / key[0] / FOLDER / f"{key[1]}.json")

    def state(self, key: Key) -> Json:
        """Return the state of an episode; `EpisodeGone` if it is over."""
        try:
            return self.visit(key).state()
        except EpisodeGone:
            with self._lock:
                if (gone := self._visits.pop(key, None)) is not None:
                    gone.close()
            raise

    def states(self) -> list[tuple[Key, Json]]:
        """Return the states of all episodes that are played."""
        found = []
        for key in self.open():
            try:
                found.append((key, self.state(key)))
            except EpisodeGone:
                continue
        return found

    def result(self, key: Key) -> Json | None:
        """Return what came of an episode that is over; None if nothing was kept of it."""
        folder = self._runs / key[0] / "trajectories" / key[1]
        if (self._run and key[0] != self._run) or folder.parent.parent.parent != self._runs or not folder.is_dir():
            return None
        try:
            trajectory = read_trajectory(folder)
        except WarehouseError:
            return None
        return {name: trajectory["episode"].get(name) for name in _TOLD} | {"interventions": len(trajectory["interventions"])}
