"""The episodes at which people can be present: found by their cards in the folders of runs, and visited once each.

All are asked at the same time, and nobody waits long for one: an episode that does not answer hides no other.
"""

import contextlib
import threading
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

from eval_flows.episodes.people.reception import FOLDER, EpisodeGone, EpisodeSilent, Visit
from eval_flows.episodes.runs.store import read_trajectory
from warehouse.errors import WarehouseError
from warehouse.layout import DataFolder

Json = dict[str, Any]
Key = tuple[str, str]  # the id of a run, and the name of a trajectory in it
_TOLD = ("instruction", "level", "application", "status", "reward", "is_success", "side_effects", "checks", "steps", "seconds", "ready_seconds")


_MOST_ASKED = 64  # episodes at the same time
_STATE_SECONDS = 1.0  # that a wall waits for the states of its episodes
SILENT = "silent"  # the phase of an episode that does not answer


class Halls:
    """The episodes that are played now: of one run, or of all runs in the data folder."""

    def __init__(self, data: DataFolder, run: str | None = None) -> None:
        self._runs = data.runs
        self._run = run
        self._visits: dict[Key, Visit] = {}
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(_MOST_ASKED, "hall")
        self._asked: dict[Key, Future[Json]] = {}  # the last question for a state
        self._last: dict[Key, Json] = {}

    def open(self) -> list[Key]:
        """Return the keys of the episodes that are played, in the order of their names."""
        return sorted((card.parents[1].name, card.stem) for card in self._runs.glob(f"{self._run or '*'}/{FOLDER}/*.json"))

    def visit(self, key: Key) -> Visit:
        """Return the visit to an episode, which all viewers share; `EpisodeGone` if it is not played."""
        with self._lock:
            if key in self._visits:
                return self._visits[key]
        new = self.new_visit(key)
        with self._lock:
            kept = self._visits.setdefault(key, new)
        if kept is not new:  # another viewer was faster
            new.close()
        return kept

    def new_visit(self, key: Key) -> Visit:
        """Return another visit to an episode, for one who does not share it; `EpisodeGone` if it is not played."""
        if key not in self.open():
            raise EpisodeGone("no such episode is played now")
        return Visit(self._runs / key[0] / FOLDER / f"{key[1]}.json")

    def state(self, key: Key) -> Json:
        """Return the state of an episode, the last one with the phase `silent` if it does not answer; `EpisodeGone` if it is over."""
        return self._told(key, self._question(key), _STATE_SECONDS)

    def states(self) -> list[tuple[Key, Json]]:
        """Return the states of all episodes that are played, in the order of their names."""
        asked = [(key, self._question(key)) for key in self.open()]
        wait([one for _, one in asked], _STATE_SECONDS)
        found = []
        for key, one in asked:
            with contextlib.suppress(EpisodeGone):
                found.append((key, self._told(key, one, 0)))
        return found

    def _question(self, key: Key) -> "Future[Json]":
        """Return what will be the state of an episode: one question at a time, also of many viewers."""
        with self._lock:
            if key not in self._asked or self._asked[key].done():
                self._asked[key] = self._pool.submit(self._ask, key)
            return self._asked[key]

    def _ask(self, key: Key) -> Json:
        try:
            return self.visit(key).state()
        except EpisodeGone:
            with self._lock:
                if (gone := self._visits.pop(key, None)) is not None:
                    gone.close()
            raise

    def _told(self, key: Key, asked: "Future[Json]", seconds: float) -> Json:
        try:
            self._last[key] = asked.result(seconds)
            return self._last[key]
        except (TimeoutError, EpisodeSilent):
            if key not in self.open():  # it ended while it was asked, and answers no more
                self._last.pop(key, None)
                raise EpisodeGone("the episode is over") from None
            if key in self._last:
                return {**self._last[key], "phase": SILENT}
            raise EpisodeSilent("the episode does not answer") from None
        except EpisodeGone:
            self._last.pop(key, None)
            raise

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
