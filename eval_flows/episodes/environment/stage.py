"""The stage of a task: how it is set up on a desktop, and how the end is judged. Another kind of task has a stage of its own."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import singledispatch
from typing import Literal

from eval_flows.episodes.environment.desktop import Desktop
from eval_flows.episodes.environment.observation import Ending
from eval_flows.episodes.environment.reward import Before, Reward, look_before, rewarded
from eval_flows.episodes.environment.side_effects.home import Home
from eval_flows.episodes.tasks.makers.maker import make
from eval_flows.episodes.tasks.task import Task, TaskStep

Start = Literal["preloaded", "bare"]
"""How an episode starts: with the first application of the task open, or on an empty desktop."""


class Stage(ABC):
    """Where one task is played once. `before` is the state that its end is compared with, once it is set up. `judges_damage` tells whether it is."""

    before = Before({}, Home({}))
    judges_damage = True

    @abstractmethod
    def set_up(self, desktop: Desktop, start: Start) -> None:
        """Make what the task needs, and open what it begins with."""

    @abstractmethod
    def judge(self, desktop: Desktop, ended: Ending | None, seconds: float) -> Reward:
        """Judge the state of the desktop; a check that fails may be looked at again for `seconds`."""

    @property
    def steps_left(self) -> Sequence[TaskStep]:
        """Return the steps of the task that setting up has not done."""
        return ()


class OwnStage(Stage):
    """The stage of a task from the catalog: makers set it up, and checkers judge it."""

    def __init__(self, task: Task) -> None:
        self._task = task  # until it is set up, without the home folder of a machine
        self._opened = 0

    def set_up(self, desktop: Desktop, start: Start) -> None:
        """Make what the task needs, and open its first application unless `start` is bare."""
        self._task = self._task.on(desktop.offers.home)
        for entry in (entry for step in self._task.steps for entry in step.setup):
            make(desktop, entry)
        first = self._task.steps[0]
        self._opened = 1 if start == "preloaded" and first.preload is not None else 0
        if start == "preloaded":
            desktop.open(first.program, first.preload or ())
        self.before = look_before(desktop, self._task)

    def judge(self, desktop: Desktop, ended: Ending | None, seconds: float) -> Reward:
        """Judge the checks, and then the damage."""
        return rewarded(desktop, self._task, self.before, ended, seconds)

    @property
    def steps_left(self) -> Sequence[TaskStep]:
        """Return the steps that opening the first application has not done."""
        return self._task.steps[self._opened :]


@singledispatch
def stage_of(task: Task) -> Stage:
    """Return a stage for a task; a kind of task registers its own."""
    return OwnStage(task)
