"""Which tasks of a suite a machine can play: each is runnable there, or has its one reason. The table adds up."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from eval_flows.episodes.tasks.needs import lacking_by_reason
from eval_flows.episodes.tasks.suite import Suite
from eval_flows.episodes.tasks.suite_task import SuiteTask
from machines.machine import Offers

_REASONS = ("platform", "home", "application", "machine")  # in the order in which they are looked for
_RUNNABLE, _ALL = "runnable", "all"


@dataclass(frozen=True)
class Fit:
    """A task: its name, its first application, and why the machine cannot play it, in a word and in full; None if it can."""

    name: str
    application: str
    reason: str | None
    what: str = ""


def fits_of(suite: Suite, tasks: Sequence[SuiteTask], offers: Offers) -> list[Fit]:
    """Return how each task fits a machine."""
    return [_fit(suite, one, offers) for one in tasks]


def told_fits(fits: Sequence[Fit]) -> str:
    """Return the table by application and reason, the sum, and every task with its reason or `runnable`."""
    counted = Counter((fit.application, fit.reason or _RUNNABLE) for fit in fits)
    used = [_RUNNABLE, *(reason for reason in _REASONS if any(found == reason for _, found in counted))]
    counts = {name: [counted[name, reason] for reason in used] for name in sorted({fit.application for fit in fits})}
    counts[_ALL] = [sum(column) for column in zip(*counts.values(), strict=True)]
    cells = [["application", *used, _ALL], *([name, *map(str, line), str(sum(line))] for name, line in counts.items())]
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    table = "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells)
    runnable = sum(fit.reason is None for fit in fits)
    each = "\n".join(f"{fit.name}: {f'{fit.reason}: the machine lacks {fit.what}' if fit.reason else _RUNNABLE}" for fit in fits)
    return f"{table}\n\n{len(fits)} tasks: {runnable} runnable on this machine, {len(fits) - runnable} not\n\n{each}"


def _fit(suite: Suite, one: SuiteTask, offers: Offers) -> Fit:
    name = f"{one.task.episode_id} ({', '.join(dict.fromkeys(step.task for step in one.task.steps))})"
    application = one.task.applications[0]
    for reason, what in lacking_by_reason(suite, [one.task], offers):
        return Fit(name, application, reason, what)
    return Fit(name, application, None)
