"""The proof of a task: doing nothing earns 0, the oracle earns 1, and the oracle with anything missing or changed earns less.

Of a task with graded checks, doing nothing and an oracle with anything missing or changed stay below a threshold.

After the oracle has earned 1, its result is spoiled: a file beside it is deleted, and one more part of a file that it touched is changed.
The damage must be named each time, and must earn 0.

Where a task declares other ways to its result, each must earn 1; where it declares near misses, none may be a success. Both must end well.

The oracle itself must finish. An oracle with something missing or changed may get stuck: what counts is the reward of the state that it leaves.
An oracle with a missing line mostly waits for an element that never comes, so it waits less long. With another value it has everything it needs
and the usual time: otherwise a slow dialog would count as a difference.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict

from eval_flows.episodes.agents.awaited import OracleStuck
from eval_flows.episodes.agents.oracle import ELEMENT_SECONDS, lines, parts_of
from eval_flows.episodes.environment import Environment, Reward
from eval_flows.episodes.environment.desktop import Desktop
from eval_flows.episodes.environment.reward import CHECK_SECONDS
from eval_flows.episodes.environment.shell import remove
from eval_flows.episodes.tasks.suite_task import Variant
from eval_flows.episodes.tasks.task import Task
from machines.machine import MachineChoice

_TWICE = 2
_LACKING_SECONDS = 2.5  # how long an oracle with a missing line waits for an element
_LACKING_CHECK_SECONDS = 1.0
Kind = Literal["nothing", "oracle", "spoiled oracle", "without line", "without step", "changed argument", "other way", "near miss"]


class Trial(BaseModel):
    """One run of a proof, whether its result is right, and otherwise what was seen."""

    model_config = ConfigDict(frozen=True)
    kind: Kind
    what: str
    reward: float
    passed: bool
    seen: str = ""
    seconds: float = 0.0  # that the oracle took, from the first line to the last


@dataclass(frozen=True)
class Subject:
    """What is proven: a task, by argument the same task with another value, and the task with other ways and with near misses as its oracle."""

    task: Task
    changed: Mapping[str, Task]
    ways: Sequence[Variant] = ()
    near_misses: Sequence[Variant] = ()

    def on(self, home: str) -> "Subject":
        """Return the subject on a machine with that home folder."""
        return Subject(
            self.task.on(home),
            {name: other.on(home) for name, other in self.changed.items()},
            [Variant(one.words, one.task.on(home)) for one in self.ways],
            [Variant(one.words, one.task.on(home)) for one in self.near_misses],
        )


@dataclass(frozen=True)
class _Run:
    """A run to make: the task whose oracle works (None for doing nothing), which of its steps, and the lines of a step that are left out."""

    kind: Kind
    what: str
    oracle: Task | None
    steps: Sequence[int] = ()
    left_out: tuple[int, frozenset[int]] | None = None

    @property
    def has_all(self) -> bool:
        """Tell whether the oracle has every line and step."""
        return self.left_out is None and self.kind != "without step"

    @property
    def must_finish(self) -> bool:
        """Tell whether the oracle must not get stuck: a way counts only if it was gone to its end."""
        return self.kind in ("oracle", "other way", "near miss")


def prove(subject: Subject, machine: MachineChoice) -> list[Trial]:
    """Return every trial of the task.

    An infeasible task has nothing to carry out: only the reward's rule, that doing nothing earns 0, can be shown.
    """
    if subject.task.infeasible is not None:
        return []
    here = subject.on(machine.offers.home)
    with Environment(machine.make(), sees=()) as environment:
        return [trial for run in _runs(here) for trial in _tried(environment, here.task, run)]


def _runs(subject: Subject) -> Iterator[_Run]:
    task = subject.task
    first = 1 if task.steps[0].preload is not None else 0
    todo = [number for number in range(first, len(task.steps)) if task.steps[number].oracle]
    for again in range(_TWICE):
        yield _Run("nothing", f"{again + 1}", None)
        yield _Run("oracle", f"{again + 1}", task, todo)
    for number in todo:
        oracle = task.steps[number].oracle
        for words, numbers in parts_of(oracle) if task.level == "L1" or any("step" in entry for entry in oracle) else ():
            yield _Run("without line", f"{task.steps[number].task}: {words}", task, todo, (number, numbers))
    for number in todo if len(todo) > 1 else ():
        yield _Run("without step", task.steps[number].task, task, [other for other in todo if other != number])
    for name, other in subject.changed.items():
        yield _Run("changed argument", f"{name}: {task.values[name]} to {other.values[name]}", other, todo)
    for variant in subject.ways:
        yield _Run("other way", variant.words, variant.task, todo)
    for variant in subject.near_misses:
        yield _Run("near miss", variant.words, variant.task, todo)


def _tried(environment: Environment, task: Task, run: _Run) -> Iterator[Trial]:
    environment.reset(_with_setup_of(run.oracle, task) if run.kind == "changed argument" and run.oracle is not None else task)
    begun = time.monotonic()
    stuck = _carried_out(environment, run)
    seconds = time.monotonic() - begun
    reward = environment.evaluate(CHECK_SECONDS if run.has_all else _LACKING_CHECK_SECONDS)
    got = reward.value if run.must_finish else reward.by_checks  # damage must not hide a check that sees too little
    below = not reward.holds if any("threshold" in one.entry for one in reward.checked) else got == 0
    passed = {
        "oracle": got == 1 and not stuck,
        "other way": got == 1 and not stuck,
        "near miss": not reward.is_success and not stuck,
        "nothing": below and not reward.side_effects,
    }.get(run.kind, not reward.holds)
    yield Trial(kind=run.kind, what=run.what, reward=got, passed=passed, seen="" if passed else _seen(stuck, reward), seconds=seconds)
    if run.kind == "oracle" and run.what == f"{_TWICE}" and reward.value == 1:
        yield from _spoiled(environment)


def _carried_out(environment: Environment, run: _Run) -> str:
    """Let the oracle of a run work, and return why it got stuck, if it did."""
    seconds = ELEMENT_SECONDS if run.has_all else _LACKING_SECONDS
    for number in run.steps if run.oracle else ():
        assert run.oracle is not None
        left_out = run.left_out[1] if run.left_out and run.left_out[0] == number else ()
        try:
            for line in lines(environment, run.oracle.steps[number], left_out, seconds):
                feedback = environment.act(line.actions)
                if feedback:
                    return feedback
        except OracleStuck as error:
            return str(error)
    return ""


def _spoiled(environment: Environment) -> Iterator[Trial]:
    """Make damage after the oracle, one at a time, and yield the trials: it must be named, and must cost the reward."""
    for spoil in environment.spoils():
        _put(environment.desktop, spoil.path, spoil.content)
        reward = environment.evaluate(0)
        passed = reward.value == 0 and any(one.startswith(spoil.path) for one in reward.side_effects)
        what = f"{spoil.path} {'deleted' if spoil.content is None else 'changed' if spoil.before is not None else 'made'}"
        yield Trial(kind="spoiled oracle", what=what, reward=reward.value, passed=passed, seen="" if passed else _seen("", reward))
        _put(environment.desktop, spoil.path, spoil.before)


def _put(desktop: Desktop, path: str, content: bytes | None) -> None:
    if content is None:
        remove(desktop, path)
    else:
        desktop.client.upload(desktop.place(path), content)


def _with_setup_of(changed: Task, original: Task) -> Task:
    """Return the original with the setup of both tasks, its own last, and with what the changed task opens: its checks look at its own files."""
    setup = tuple(entry for one in (changed, original) for step in one.steps for entry in step.setup)
    first = original.steps[0].model_copy(update={"setup": setup, "preload": changed.steps[0].preload})
    return original.model_copy(update={"steps": (first, *(step.model_copy(update={"setup": ()}) for step in original.steps[1:]))})


def _seen(stuck: str, reward: Reward) -> str:
    checks = [f"{'holds' if one.holds else 'fails'} {one.entry} got {one.got!r:.200}" for one in reward.checked]
    return "; ".join([*([f"stuck: {stuck}"] if stuck else []), *(f"side effect: {one}" for one in reward.side_effects), *checks])
