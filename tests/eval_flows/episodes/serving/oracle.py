"""The oracle at the other end of a server: it finds elements in what the client observes, and acts by steps alone.

The oracle of a run looks at its machine without acting while it waits for an element; here it calls `look`, which is no step. Where it waits until
the screen is still, it sends WAIT. What its programs' windows are called it knows from the declaration of the image.
"""

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from queue import SimpleQueue
from types import SimpleNamespace
from typing import Any, cast

from eval_flows.episodes.agents.choice import Setting
from eval_flows.episodes.agents.follower import Follower
from eval_flows.episodes.environment import WAIT, Observation
from eval_flows.episodes.environment.desktop import Desktop
from eval_flows.episodes.serving.client import ServedEnvironment, Server
from eval_flows.episodes.tasks.task import Task, TaskStep
from machines.client import Window
from machines.errors import MachineError
from machines.machine import Offers

_WAITS_FOR_FILE = 3


class _Desktop(Desktop):
    """The desktop as a client sees it."""

    def __init__(self, seen: "Seen", offers: Offers) -> None:
        super().__init__(cast("Any", self), offers)
        self._seen = seen

    def file(self, path: str) -> bytes:
        """No client sees the files of a machine: the oracle waits instead, and takes the file to be there."""
        for _ in range(_WAITS_FOR_FILE):
            self.settle()
        return b""

    def look(self, *more: str) -> Observation:
        return self._seen.look()

    def windows(self) -> Sequence[Window]:
        return self._seen.look().windows

    def settle(self, quiet: float = 0, limit: float = 0) -> bool:
        self._seen.observation = self._seen.played.step(WAIT)
        return True


class Seen:
    """What the oracle asks of an environment, answered by a client."""

    def __init__(self, played: ServedEnvironment, task: Task, offers: Offers, observation: Observation) -> None:
        self.played, self.task, self.observation = played, task, observation
        self._here = task.on(offers.home)
        self.desktop = _Desktop(self, offers)

    def look(self) -> Observation:
        self.observation = self.played.look()
        return self.observation

    @cached_property
    def steps_left(self) -> Sequence[TaskStep]:
        return self._here.steps[self._here.steps[0].preload is not None :]


@dataclass(frozen=True)
class Played:
    """An episode that was played through a server; `end` is how it ended, or the text of a fault of the machine."""

    task: Task
    reward: float | None
    steps: int
    end: str | None


def play_through(played: ServedEnvironment, task: Task, offers: Offers) -> Played:
    """Play one episode by the oracle."""
    seen = Seen(played, task, offers, played.reset(task.episode_id))
    oracle = Follower(cast("Setting", SimpleNamespace(environment=seen)))
    while played.state.end is None:
        seen.observation = played.step(oracle.decide(cast("Any", None)).actions)
    return Played(task, played.evaluate().value, played.state.step, played.state.end)


def play_all(address: str, token: str, suite: str, tasks: Iterable[Task], offers: Offers, sessions: int) -> list[Played]:
    """Play the episodes in so many sessions at once, each session one episode after another."""
    waiting: SimpleQueue[Task | None] = SimpleQueue()
    for task in (*tasks, *[None] * sessions):
        waiting.put(task)

    def one_session(_: int) -> list[Played]:
        server = Server(address, token)
        found = []
        with server.environment(suite, "none") as played:
            while (task := waiting.get()) is not None:
                try:
                    found.append(play_through(played, task, offers))
                except MachineError as error:
                    found.append(Played(task, None, 0, str(error)))
        server.close()
        return found

    with ThreadPoolExecutor(sessions) as pool:
        return [one for found in pool.map(one_session, range(sessions)) for one in found]
