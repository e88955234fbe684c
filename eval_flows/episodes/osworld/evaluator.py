"""Judging the end of a task as its file says: `postconfig`, then for each function its result, what is expected, and the metric; `conj` joins them.

With `and` the share is 0 once a function gives 0, else the mean; with `or` it is 1 once a function gives 1, else the largest.
What the agent left never stops an evaluation: a step, a getter or a metric that fails on it is a failed check that says why. Only a machine that no
longer answers, a host that lacks something, and a task whose own rules are wrong, are faults.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean
from typing import Any

from eval_flows.episodes.checkers.care import within
from eval_flows.episodes.checkers.checks import Checked
from eval_flows.episodes.osworld.getters import GETTERS
from eval_flows.episodes.osworld.guest import Guest
from eval_flows.episodes.osworld.metrics import Metrics, TaskError
from eval_flows.episodes.osworld.metrics.in_machine import on_machine
from eval_flows.episodes.osworld.metrics.metric import is_of_host
from eval_flows.episodes.osworld.setup import Hand
from eval_flows.episodes.osworld.task_file import FETCHED, Evaluator, TaskFile, listed, part_of
from machines.errors import MachineError

_SECONDS = 60.0  # of the processor, for what a getter reads
_SHOWN = 500  # characters of a value


@dataclass(frozen=True)
class Compared:
    """What one function compared, the share from 0 to 1 that it gave, and why it could not compare, if so."""

    function: str
    result: Any
    expected: Any
    share: float
    why: str = ""

    @property
    def told(self) -> Mapping[str, Any]:
        """Return it as JSON, with long values cut."""
        told = {"func": self.function, "result": _short(self.result), "expected": _short(self.expected), "share": round(self.share, 4)}
        return {**told, "why": self.why} if self.why else told


@dataclass(frozen=True)
class Guests:
    """The machine as getters see it: those of fetched files (`cloud_file`) have a folder of their own.

    Else a result that is kept under the name of the file that it is compared with would be compared with itself.
    """

    fetched: Guest
    others: Guest

    def get(self, declared: Mapping[str, Any]) -> Any:
        """Return what the getter of a result gets."""
        return GETTERS[declared["type"]](self.fetched if declared["type"] == FETCHED else self.others, declared)


def evaluate(task: TaskFile, hand: Hand, guests: Guests, metrics: Metrics) -> Checked:
    """Judge the end of a feasible task by these metrics. `MachineError` if the machine does not answer, or if the task's own rules are wrong.

    `MachineNeeds`, `PluginError` or `OSError` if this host lacks what a getter or a metric needs.
    """
    notes = []
    for number, step in enumerate(task.evaluator.postconfig):
        _, why = _tried(partial(hand.carry_out, step), hand)
        if why:
            notes.append(f"postconfig[{number}] ({step.type}): {why}")
    compared: list[Compared] = []
    metrics = on_machine(metrics, guests.others)
    for number in range(len(task.functions)):
        try:
            compared.append(_compare(task.evaluator, number, hand, guests, metrics))
        except TaskError as error:
            raise MachineError(f"the task is wrong, not its end: {task.functions[number]}: {error}") from error
        if compared[-1].share == (0.0 if task.evaluator.conj == "and" else 1.0):
            break
    entry = task.evaluator.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return Checked(entry, [*(one.told for one in compared), *notes], joined(task.evaluator.conj, [one.share for one in compared]))


def joined(conj: str, shares: Sequence[float]) -> float:
    """Return the share of several functions together."""
    if conj == "or":
        return max(shares)
    return 0.0 if 0.0 in shares else fmean(shares)


def _compare(evaluator: Evaluator, number: int, hand: Hand, guests: Guests, metrics: Metrics) -> Compared:
    function = listed(evaluator.func)[number]
    result, expected, options = (part_of(given, number) for given in (evaluator.result, evaluator.expected, evaluator.options))
    got, why = _got(result, hand, guests)
    aim, why_not = _got(expected, hand, guests)
    if why or why_not:
        return Compared(function, got, aim, 0.0, why or why_not)
    compared = (got, aim) if expected else (got,)
    share, why = _tried(lambda: within(_SECONDS, partial(metrics[function], *compared, **options)), hand)
    return Compared(function, got, aim, float(share or 0.0), why or getattr(share, "why", ""))


def _got(declared: Mapping[str, Any], hand: Hand, guests: Guests) -> tuple[Any, str]:
    """Return what the getter of a result got, and why it got nothing, if so; nothing at all if none is declared."""
    if not declared:
        return None, ""
    got, why = _tried(lambda: within(_SECONDS, partial(guests.get, declared)), hand)
    return got, f"{declared['type']}: {why}" if why else ""


def _tried(work: Callable[[], Any], hand: Hand) -> tuple[Any, str]:
    """Return what some work gave, and why it failed, if it did; what tells of the machine, of this host or of the task's own rules is raised."""
    try:
        return work(), ""
    except TaskError:
        raise
    except MachineError as error:
        hand.desktop.client.state()
        return None, str(error)
    except Exception as error:  # getters and metrics read what an agent left, by a dozen parsers
        if is_of_host(error):
            raise
        return None, f"{type(error).__name__}: {error}"


def _short(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float):
        return value
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
