"""Progress for a person who waits: bars on a terminal, a line now and then in a log."""

import contextlib
import time
from collections.abc import Callable, Iterator

Progress = Callable[[str, int, int], None]
"""Shows a stage, how much of it is done, and how much there is."""
_LINE_EVERY = 30.0  # seconds


@contextlib.contextmanager
def progress_bars() -> Iterator[Callable[..., None]]:
    """Yield a function `(stage, done, total, note="")` that shows a bar for each stage, with its rate and the time left."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TaskID,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class RateColumn(ProgressColumn):
        def render(self, task: Task) -> Text:
            speed = task.finished_speed or task.speed
            return Text("" if speed is None else f"{speed:,.1f}/s")

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), RateColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, TextColumn("{task.fields[note]}"), console=console, disable=not console.is_terminal) as bars:
        stages: dict[str, TaskID] = {}
        log = _Log()

        def show(stage: str, done: int, total: int, note: str = "") -> None:
            if not console.is_terminal:
                log.show(stage, done, total, note)
                return
            if stage not in stages:
                stages[stage] = bars.add_task(stage, total=total, note=note)
            bars.update(stages[stage], completed=done, total=total, note=note)

        yield show


class _Log:
    """Lines without a terminal: progress, rate and time left."""

    def __init__(self) -> None:
        self._begun: dict[str, tuple[float, int]] = {}
        self._shown_at = time.monotonic()

    def show(self, stage: str, done: int, total: int, note: str) -> None:
        now = time.monotonic()
        started_at, already = self._begun.setdefault(stage, (now, done))
        if now - self._shown_at < _LINE_EVERY or done <= already:
            return
        self._shown_at = now
        rate = (done - already) / (now - started_at)
        from click import echo

        echo(f"{stage}: {done:,} of {total:,}, {rate:,.1f}/s, {(total - done) / rate / 60:,.1f} min left {note}".rstrip(), err=True)
