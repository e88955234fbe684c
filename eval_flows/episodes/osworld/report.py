"""The table of an import: how many task files of each application are runnable, and how many are not, by their reason. It adds up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from eval_flows.episodes.osworld.needs import reasons

if TYPE_CHECKING:
    from eval_flows.episodes.osworld.importing import Row

_RUNNABLE, _REFUSED, _ALL = "runnable", "refused", "all"
_SHOWN = 200  # characters of what a task needs; tasks.json has all


def told(rows: Sequence[Row]) -> str:
    """Return the table by application and reason, the reasons in words with their sums, and every task that is not run with its reason."""
    return "\n\n".join(part for part in (_table(rows), _summary(rows), _not_run(rows)) if part)


def with_what(rows: Sequence[Row]) -> str:
    """Return in words how many of the runnable tasks have stand-ins, and how many use the mirror of sites; nothing if none does."""
    runnable = [row for row in rows if row.reason is None]
    counts = {
        "stand-ins for files that they fetch": sum(row.has_stand_ins for row in runnable),
        "the mirror": sum(row.mirror is not None for row in runnable),
    }
    told = [f"{count} of them with {what}" for what, count in counts.items() if count]
    return f" ({', '.join(told)})" if told else ""


def _table(rows: Sequence[Row]) -> str:
    counted = Counter((row.application, row.reason or _RUNNABLE) for row in rows)
    used = [name for name in (_RUNNABLE, *reasons(), _REFUSED) if name == _RUNNABLE or any(reason == name for _, reason in counted)]
    names = sorted({row.application for row in rows})
    counts = {name: [counted[name, column] for column in used] for name in names}
    counts[_ALL] = [sum(column) for column in zip(*counts.values(), strict=True)]
    cells = [["application", *used, _ALL], *([name, *map(str, line), str(sum(line))] for name, line in counts.items())]
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    return "\n".join(
        "  ".join([row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]) for row in cells
    )


def _summary(rows: Sequence[Row]) -> str:
    counted = Counter(row.reason for row in rows)
    lines = [f"{len(rows)} task files: {counted[None]} runnable here{with_what(rows)}, {len(rows) - counted[None]} not"]
    lines += [f"{counted[name]:>5} {name}: {reason.title}; {reason.remedy}" for name, reason in reasons().items() if counted[name]]
    if counted[_REFUSED]:
        lines.append(f"{counted[_REFUSED]:>5} {_REFUSED}: has mistakes; correct them, or leave the file out")
    return "\n".join(lines)


def _not_run(rows: Sequence[Row]) -> str:
    return "\n".join(f"{row.task}: {row.reason}: {_cut(row.what)}" for row in rows if row.reason is not None)


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]} ..."
