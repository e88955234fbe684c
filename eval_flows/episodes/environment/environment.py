"""The environment: everything that plays a task goes through it, so there is one way to play an episode.

`reset` sets a task up, `step` carries out what an agent decided, `evaluate` judges the state of the machine, and `close` ends it.

An agent acts by the actions of `machines.actions`. Three more actions are about the episode and not about the machine, so they live here:
WAIT waits until the screen is still, or for its `seconds`, DONE ends the episode, and FAIL ends it and says that the task cannot be done.
A fourth, ASK, asks a person for help. Who plays carries it out, since people come to an episode and not to its environment.
"""

import contextlib
import socket
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from types import TracebackType

from eval_flows.episodes.environment.code import Ran, run_code
from eval_flows.episodes.environment.desktop import Desktop, LateWindow
from eval_flows.episodes.environment.observation import Ending, Observation, with_outcome
from eval_flows.episodes.environment.picture import PictureForm, Place, in_form
from eval_flows.episodes.environment.reward import CHECK_SECONDS, Reward
from eval_flows.episodes.environment.side_effects.home import look_at_home
from eval_flows.episodes.environment.side_effects.spoil import Spoil, spoils
from eval_flows.episodes.environment.stage import Stage, Start, stage_of
from eval_flows.episodes.tasks.task import Task, TaskStep
from machines.actions import RUN_CODE, Action, MalformedAction
from machines.client import WITHOUT_POINTER
from machines.errors import RefusedAction
from machines.machine import Machine, Offers
from machines.observation import Element
from machines.turns import turn

WAIT, DONE, FAIL = Action("WAIT", {}), Action("DONE", {}), Action("FAIL", {})
ASK = "ASK"  # its arguments: `reason`, and `request`, what the person is asked to do or to say
_ACTED_QUIET = 0.25  # seconds without a change before the next action that follows without a look
_ENDINGS: dict[str, Ending] = {"DONE": "DONE", "FAIL": "FAIL"}
LONGEST_WAIT = 20.0  # seconds
_WAIT_QUIET, _WAIT_LIMIT = 0.5, 3.0  # seconds: the stillness that WAIT waits for, and its limit


@dataclass(frozen=True)
class _Done:
    """What became of actions that were decided together: the reason why one was not carried out, how many were, and what code printed."""

    feedback: str
    pointer: Place | None
    ended: Ending | None
    carried_out: int
    printed: str


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
        self._stage: Stage | None = None
        self._observation: Observation | None = None

    def __enter__(self) -> "Environment":
        """Return the environment; its machine starts with the first `reset`."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Close it."""
        self.close()

    def reset(self, task: Task, start: Start = "preloaded") -> Observation:
        """Bring the machine to its snapshot, make what the task needs, open its first application unless `start` is bare, and observe.

        It waits for a turn, for all that takes much of a processor of this host. A machine that exists once takes none: its start waits for others.
        """
        with contextlib.nullcontext() if self._machine.exists_once else turn():
            if self._is_started:
                self._machine.reset()
            else:
                self._is_started = True
                self._machine.start()
            self._task, self._stage, self._observation = task, None, None
            self._desktop = Desktop(self._machine.client, self._machine.offers)
            stage = stage_of(task)
            stage.set_up(self._desktop, start)
            self._stage = stage
            return self._observed()

    def step(self, action: Action | Sequence[Action], elements: Sequence[Element] | None = None) -> Observation:
        """Carry out an action, or several that were decided together, and return the next observation.

        The numbers of elements are those in `elements`, or in the last observation. An action that is malformed, or that the machine refuses, is not
        carried out, nor are those after it; `feedback` says why, and why code did not run to its end. A step without actions only looks.
        `RuntimeError` if the episode has ended.
        """
        done = self._carry_out(action, elements)
        if not done.ended or done.carried_out:
            self._observed(done.pointer)
        self._observation = replace(
            self.observation, feedback=done.feedback, printed=done.printed, pointer=done.pointer, ended=done.ended, carried_out=done.carried_out
        )
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
        return self._played.judge(self.desktop, ended, 0.0 if ended == "FAIL" else seconds)

    def spoils(self) -> Iterator[Spoil]:
        """Yield kinds of damage that a proof can do to the state of the machine: each must be found by `evaluate`. None where none is judged."""
        if not self._played.judges_damage:
            return iter(())
        before, changes = self._played.before.home, self.task.changes
        after = look_at_home(self.desktop, changes.paths, with_contents=False)
        return spoils(before, after, changes, lambda path: self.desktop.client.file(self.desktop.place(path)))

    def close(self) -> None:
        """Stop the machine."""
        if self._is_started:
            self._machine.stop()
        self._is_started, self._desktop, self._observation, self._stage = False, None, None, None

    def look(self, *more: str) -> Observation:
        """Observe the elements and the windows again without acting, with `more` the screenshot too. It is no step: the last one's outcome stays."""
        seen = self.desktop.look(*more)
        self._observation = seen if self._observation is None else with_outcome(seen, self._observation)
        return self._observation

    def live_screen(self) -> socket.socket:
        """Return a connection on which a VNC server of the machine's screen speaks; `MachineError` if there is none. Any thread may ask."""
        return self._machine.live_screen()

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
        return self._played.steps_left

    @property
    def _played(self) -> Stage:
        if self._stage is None:
            raise RuntimeError("nothing was played: reset the environment with a task")
        return self._stage

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
        feedback, printed, pointer, ended, carried_out = "", "", None, None, 0
        for one in actions:
            if ended := _ENDINGS.get(one.name):
                break
            try:
                ran = self._do(one, shown)
            except LateWindow as error:
                feedback, carried_out = f"{one} was carried out, but {error}: nothing was done after it", carried_out + 1
                break
            except (MalformedAction, RefusedAction) as error:
                feedback = f"{one} was not carried out: {error}"
                break
            printed, pointer, carried_out = printed + ran.printed, ran.pointer or pointer, carried_out + 1
            if ran.why:
                feedback = f"the code did not run to its end: {ran.why}"
                break
        return _Done(feedback, pointer, ended, carried_out, printed)

    def _do(self, action: Action, elements: Sequence[Element]) -> Ran:
        if action.name == RUN_CODE:
            return run_code(self.desktop, action.arguments["code"], elements)
        if action.name == WAIT.name:
            self._wait(action.arguments.get("seconds"))
            return Ran()
        return Ran(pointer=self.desktop.do(action, elements))

    def _wait(self, seconds: float | None) -> None:
        """Wait until the screen is still, or for so many seconds if the agent says how long."""
        if seconds is not None:
            if not 0 < seconds <= LONGEST_WAIT:
                raise MalformedAction(f"a wait takes at most {LONGEST_WAIT:.0f} seconds, not {seconds}")
            self.desktop.settle(seconds, seconds)
        self.desktop.settle(_WAIT_QUIET, _WAIT_LIMIT)
