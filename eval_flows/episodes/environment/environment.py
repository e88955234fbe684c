"""The environment: everything that plays a task goes through it, so there is one way to play an episode.

`reset` sets a task up, `step` carries out what an agent decided, `evaluate` judges the state of the machine, and `close` ends it.

An agent acts by the actions of `machines.actions`. Three more actions are about the episode and not about the machine, so they live here:
WAIT waits until the screen is still, DONE ends the episode, and FAIL ends it and says that the task cannot be done.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Literal

from eval_flows.episodes.environment.desktop import Desktop
from eval_flows.episodes.environment.observation import Ending, Observation
from eval_flows.episodes.environment.picture import PictureForm, Place, in_form
from eval_flows.episodes.environment.reward import CHECK_SECONDS, Before, Reward, look_before, rewarded
from eval_flows.episodes.environment.side_effects.home import look_at_home
from eval_flows.episodes.environment.side_effects.spoil import Spoil, spoils
from eval_flows.episodes.tasks.makers.maker import make
from eval_flows.episodes.tasks.task import Task, TaskStep
from machines.actions import Action, MalformedAction
from machines.client import WITHOUT_POINTER
from machines.errors import RefusedAction
from machines.machine import Machine, Offers
from machines.observation import Element

WAIT, DONE, FAIL = Action("WAIT", {}), Action("DONE", {}), Action("FAIL", {})
_ACTED_QUIET = 0.25  # seconds without a change before the next action that follows without a look
_ENDINGS: dict[str, Ending] = {"DONE": "DONE", "FAIL": "FAIL"}
_WAIT_QUIET, _WAIT_LIMIT = 0.5, 3.0  # seconds: the stillness that WAIT waits for, and its limit
Start = Literal["preloaded", "bare"]
"""How an episode starts: with the first application of the task open, or on an empty desktop."""


@dataclass(frozen=True)
class _Done:
    """What became of actions that were decided together: the reason why one was not carried out, and how many were."""

    feedback: str
    pointer: Place | None
    ended: Ending | None
    carried_out: int


class Environment:
    """A machine of its own, on which one task after another can be played."""

    def __init__(self, machine: Machine, sees: Iterable[str] = ("screenshot", "clipboard"), form: PictureForm | None = None) -> None:
        """Take a machine that is not started. `sees` lists what observations hold besides elements and windows; `form` is that of their pictures."""
        self.sees = frozenset(sees)
        self.form = form or PictureForm()
        self._machine = machine
        self._is_started = False
        self._desktop: Desktop | None = None
        self._task: Task | None = None
        self._here: Task | None = None  # the task with the home folder of this machine
        self._before: Before | None = None
        self._observation: Observation | None = None
        self._opened = 0

    def __enter__(self) -> "Environment":
        """Return the environment; its machine starts with the first `reset`."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Close it."""
        self.close()

    def reset(self, task: Task, start: Start = "preloaded") -> Observation:
        """Bring the machine to its snapshot, make what the task needs, open its first application unless `start` is bare, and observe."""
        if self._is_started:
            self._machine.reset()
        else:
            self._is_started = True
            self._machine.start()
        self._task, self._here, self._observation, self._before = task, task.on(self.offers.home), None, None
        self._desktop = desktop = Desktop(self._machine.client, self._machine.offers)
        for entry in (entry for step in self._here.steps for entry in step.setup):
            make(desktop, entry)
        first = self._here.steps[0]
        self._opened = 1 if start == "preloaded" and first.preload is not None else 0
        if start == "preloaded":
            desktop.open(first.program, first.preload or ())
        self._before = look_before(desktop, self._here)
        return self._observed()

    def step(self, action: Action | Sequence[Action], elements: Sequence[Element] | None = None) -> Observation:
        """Carry out an action, or several that were decided together, and return the next observation.

        The numbers of elements are those in `elements`, or in the last observation. An action that is malformed, or that the machine refuses, is not
        carried out, nor are those after it; `feedback` says why. A step without actions only looks. `RuntimeError` if the episode has ended.
        """
        done = self._carry_out(action, elements)
        if not done.ended or done.carried_out:
            self._observed(done.pointer)
        self._observation = replace(self.observation, feedback=done.feedback, pointer=done.pointer, ended=done.ended)
        return self._observation

    def act(self, action: Action | Sequence[Action]) -> str:
        """Do the same without observing, and return the feedback: a proof looks only where its oracle names an element, since a look takes long.

        The numbers of elements are those in the last observation, which stays as it is.
        """
        done = self._carry_out(action, None)
        self.desktop.settle(_ACTED_QUIET)
        return done.feedback

    def evaluate(self, seconds: float = CHECK_SECONDS) -> Reward:
        """Judge the state of the machine; a check that fails is looked at again for `seconds`, since an application may still be writing.

        After FAIL the checks do not decide the reward, so they are looked at once.
        """
        ended = self.observation.ended
        return rewarded(self.desktop, self._here or self.task, self._begun, ended, 0.0 if ended == "FAIL" else seconds)

    def spoils(self) -> Iterator[Spoil]:
        """Yield kinds of damage that a proof can do to the state of the machine: each must be found by `evaluate`."""
        before, changes = self._begun.home, self.task.changes
        after = look_at_home(self.desktop, changes.paths, with_contents=False)
        return spoils(before, after, changes, lambda path: self.desktop.client.file(self.desktop.place(path)))

    def close(self) -> None:
        """Stop the machine."""
        if self._is_started:
            self._machine.stop()
        self._is_started, self._desktop, self._observation, self._before = False, None, None, None

    def look(self, *more: str) -> Observation:
        """Observe the elements and the windows again without acting, with `more` the screenshot too, for an oracle that waits; it is no step."""
        self._observation = self.desktop.look(*more)
        return self._observation

    @property
    def observation(self) -> Observation:
        """Return the last observation."""
        if self._observation is None:
            raise RuntimeError("nothing was observed: reset the environment with a task")
        return self._observation

    @property
    def offers(self) -> Offers:
        """Return what its machine offers."""
        return self._machine.offers

    @property
    def desktop(self) -> Desktop:
        """Return the desktop, for those who set up, check or prove; an agent acts by `step` alone."""
        if self._desktop is None:
            raise RuntimeError("no machine is running: reset the environment with a task")
        return self._desktop

    @property
    def task(self) -> Task:
        """Return the task that is played."""
        if self._task is None:
            raise RuntimeError("there is no task: reset the environment with one")
        return self._task

    @property
    def steps_left(self) -> Sequence[TaskStep]:
        """Return the steps of the task that opening its first application has not done."""
        return (self._here or self.task).steps[self._opened :]

    @property
    def _begun(self) -> Before:
        if self._before is None:
            raise RuntimeError("nothing was played: reset the environment with a task")
        return self._before

    def _observed(self, place: Place | None = None) -> Observation:
        """Observe after an action at a place, if it had one."""
        seen = self.desktop.look(*sorted(WITHOUT_POINTER if part == "screenshot" and not self.form.pointer else part for part in self.sees))
        pictures = () if seen.screenshot is None else in_form(seen.screenshot, self.form, place)
        self._observation = replace(seen, pictures=pictures)
        return self._observation

    def _carry_out(self, action: Action | Sequence[Action], elements: Sequence[Element] | None) -> "_Done":
        if self.observation.ended:
            raise RuntimeError("the episode has ended: evaluate it, or reset the environment")
        shown = self.observation.elements if elements is None else elements
        actions = [action] if isinstance(action, Action) else list(action)
        feedback, pointer, ended, carried_out = "", None, None, 0
        for one in actions:
            if ended := _ENDINGS.get(one.name):
                break
            try:
                pointer = self._do(one, shown) or pointer
            except (MalformedAction, RefusedAction) as error:
                feedback = f"{one} was not carried out: {error}"
                break
            carried_out += 1
        return _Done(feedback, pointer, ended, carried_out)

    def _do(self, action: Action, elements: Sequence[Element]) -> tuple[int, int] | None:
        if action.name == WAIT.name:
            self.desktop.settle(_WAIT_QUIET, _WAIT_LIMIT)
            return None
        return self.desktop.do(action, elements)
