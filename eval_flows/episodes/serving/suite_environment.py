"""An environment for the episodes of a suite: they are named by number or id, actions may be text, and the budget of steps holds."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any, Literal

from atomic_tasks.problems import BadInput
from eval_flows.episodes.environment import DONE, FAIL, WAIT, Environment, Observation, PictureForm, Reward, picture_form
from eval_flows.episodes.environment.stage import Start
from eval_flows.episodes.tasks.needs import refuse_form
from eval_flows.episodes.tasks.suite import tasks_of
from eval_flows.episodes.tasks.task import Task
from machines.actions import ACTIONS, Action, MalformedAction, made, read_actions
from machines.machine import MachineChoice
from warehouse.layout import DataFolder

Deed = Action | Sequence[Action] | str
"""What one step does: an action, several that were decided together, or text in the language of the action space."""
End = Literal["DONE", "FAIL", "out of steps"]
_OF_EPISODE = {action.name: action for action in (WAIT, DONE, FAIL)}


class EpisodeOver(RuntimeError):
    """No step is possible: the episode has ended, or none was set up."""


class SuiteEnvironment:
    """A machine on which one episode of a suite after another is played. As a context manager it is always closed."""

    def __init__(
        self,
        tasks: Sequence[Task],
        machine: MachineChoice,
        sees: Iterable[str] = ("screenshot", "clipboard"),
        most_steps: int | None = None,
        form: PictureForm | None = None,
    ) -> None:
        """Take the tasks of a suite, and a choice of machine; the machine starts with the first `reset`.

        `sees` lists what observations hold besides elements and windows. `most_steps` lowers the budgets of the tasks. `form` is the
        form of `pictures`; `picture_form` reads one from a text.
        """
        self.tasks = tasks
        self.steps = 0
        self._is_set_up = False
        self._malformed = ""  # why the last step's text held no action
        self._most_steps = most_steps
        self._environment = Environment(machine.make(), sees, form)

    def __enter__(self) -> "SuiteEnvironment":
        """Return the environment."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Close it."""
        self.close()

    def reset(self, episode: int | str | Task = 0, start: Start = "preloaded") -> Observation:
        """Set an episode up, and observe. `BadInput` if there is no such episode.

        The episode is given by its number in the suite (from 0), by its id, or as a task.
        """
        task = episode if isinstance(episode, Task) else find_task(self.tasks, episode)
        self.steps, self._is_set_up, self._malformed = 0, False, ""
        observation = self._environment.reset(task, start)
        self._is_set_up = True
        return observation

    def step(self, deed: Deed) -> Observation:
        """Carry out a step and observe. `feedback` says why something was not carried out, also if the text holds no action: such a step counts.

        `EpisodeOver` if the episode has ended or its budget of steps is used up.
        """
        self._check_set_up()
        if self.end is not None:
            raise EpisodeOver(f"the episode has ended ({self.end}): evaluate it, or reset the environment")
        try:
            actions, malformed = read_deed(deed) if isinstance(deed, str) else deed, ""
        except MalformedAction as error:
            actions, malformed = (), str(error)
        observation = self._environment.step(actions)
        self.steps, self._malformed = self.steps + 1, malformed
        return self._told(observation)

    def look(self) -> Observation:
        """Observe elements and windows again without acting; it is no step, and what the last one came to stays."""
        self._check_set_up()
        return self._told(self._environment.look())

    def evaluate(self) -> Reward:
        """Judge the state of the machine; possible at any time after a reset."""
        self._check_set_up()
        return self._environment.evaluate()

    def close(self) -> None:
        """Stop the machine."""
        self._environment.close()
        self._is_set_up = False

    @property
    def end(self) -> End | None:
        """Return how the episode has ended; None while a step is possible."""
        if not self._is_set_up:
            return None
        return self._environment.observation.ended or ("out of steps" if self.steps >= self.budget else None)

    @property
    def budget(self) -> int:
        """Return the most steps of this episode."""
        return min(self.task.budget, self._most_steps or self.task.budget)

    @property
    def task(self) -> Task:
        """Return the task that is played."""
        return self._environment.task

    @property
    def screen(self) -> tuple[int, int]:
        """Return the width and the height of the screen in pixels."""
        return self._environment.offers.screen

    def _told(self, observation: Observation) -> Observation:
        return replace(observation, feedback=self._malformed) if self._malformed else observation

    def _check_set_up(self) -> None:
        if not self._is_set_up:
            raise EpisodeOver("no episode is set up: reset the environment")


def open_environment(
    suite: str,
    machine: str = "sandbox",
    machine_options: Mapping[str, str] | None = None,
    data: DataFolder | None = None,
    picture: str = "native,png,pointer",
) -> SuiteEnvironment:
    """Return the environment of a suite, on a machine of that kind; images are in the data folder. `picture` is read by `picture_form`.

    `BadInput` if there is no such suite or form of pictures, `MachineNeeds` or `PluginError` if the machine cannot be started here, or
    cannot give such pictures; nothing is started yet.
    """
    from eval_flows.episodes.runs.pipeline import ready_machine  # it imports the warehouse, which the processes of sessions do not need

    tasks, form = tasks_of(suite), picture_form(picture)
    choice = ready_machine(suite, tasks, data or DataFolder.from_environment(), machine, machine_options or {})
    refuse_form(form, machine, choice.offers)
    return SuiteEnvironment(tasks, choice, form=form)


def find_task(tasks: Sequence[Task], episode: int | str) -> Task:
    """Return the task of an episode, given by number or id; `BadInput` lists what there is."""
    if isinstance(episode, int) and 0 <= episode < len(tasks):
        return tasks[episode]
    for task in tasks:
        if task.episode_id == episode:
            return task
    ids = ", ".join(task.episode_id for task in tasks)
    raise BadInput(f"the suite has no episode {episode!r}: give a number from 0 to {len(tasks) - 1}, or one of the ids {ids}")


def read_deed(text: str) -> list[Action]:
    """Return the actions of a text: one of WAIT, DONE and FAIL, or calls of actions. `MalformedAction` if it is anything else."""
    word = text.strip().removesuffix("()")
    return [_OF_EPISODE[word]] if word in _OF_EPISODE else read_actions(text)


def named_action(name: str, arguments: Mapping[str, Any]) -> Action:
    """Return the action of a name with its arguments; `MalformedAction` if there is no such action, or the arguments do not fit."""
    if name in _OF_EPISODE and not arguments:
        return _OF_EPISODE[name]
    if name not in ACTIONS:
        raise MalformedAction(f"there is no action '{name}'; there are {', '.join([*ACTIONS, *_OF_EPISODE])}")
    return made(name, (), arguments.items())
