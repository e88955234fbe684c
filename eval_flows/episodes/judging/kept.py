"""What judges said, kept on disk at once: a line in the file of each judge, so that a kill loses nothing that a page has confirmed."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from eval_flows.episodes.runs.store import append_line
from warehouse.judging import KEYS, lines_of
from warehouse.layout import DataFolder, fetch

Row = dict[str, Any]


class Kept:
    """The lines of one table (`judgements` or `labels`) in the data folder. A later line about the same thing replaces the earlier one."""

    def __init__(self, data: DataFolder, table: str) -> None:
        self._data = data
        self._folder = data.judging / table
        self._table = table
        fetch(self._folder)
        self._who = "judge" if table == "judgements" else "labeller"

    def add(self, row: Row) -> None:
        """Keep a line for good."""
        add_line(self._data, self._folder / file_name(row[self._who]), row)

    def rows(self) -> list[Row]:
        """Return the current lines of all judges."""
        return lines_of(self._folder, self._table)

    def of(self, who: str) -> Iterator[Row]:
        """Yield the current lines of one judge."""
        return (row for row in self.rows() if row[self._who] == who)

    def add_changed(self, rows: list[Row], now: str) -> None:
        """Keep the lines that say something else than before, such as those of a model that was asked again; `now` is the key of their time."""
        there = {tuple(row[key] for key in KEYS[self._table]): row for row in self.rows()}
        for row in rows:
            before = there.get(tuple(row[key] for key in KEYS[self._table]))
            if before is None or {**before, now: None} != {**row, now: None}:
                self.add(row)


def add_line(data: DataFolder, path: Path, row: Row) -> None:
    """Keep a line in a file of the folder of judging for good, after the lines that other hosts have added to it."""
    with data.locked(f"judging-{path.parent.name}-{path.stem}"):
        fetch(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        append_line(path, row)


def file_name(who: str) -> str:
    """Return the name of the file of a judge; judges whose names differ only in signs share one."""
    return re.sub(r"[^\w.+-]", "_", who)[:80] + ".jsonl"


def now() -> str:
    """Return the time as it stands in lines."""
    return datetime.now(UTC).isoformat(timespec="seconds")
