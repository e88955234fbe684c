"""Judgements of people and models, and labels of errors: read from the lines that judges left, and loaded with the scores that follow from them.

data/judging/judgements/<judge>.jsonl   a line for each time that the judge preferred a result to another
data/judging/labels/<labeller>.jsonl    a line for each failed episode that was labelled
A later line of the same judge about the same thing replaces the earlier one. A line that a kill cut off does not count.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import yaml

from warehouse.errors import WarehouseError
from warehouse.layout import DataFolder
from warehouse.query import answer, rows_of

Row = dict[str, Any]
_KINDS = Path(__file__).parent / "error_kinds.yaml"
_QUERIES = Path(__file__).parent / "sql" / "judged"
_MARK = pa.struct([("criterion", pa.string()), ("mark_a", pa.float64()), ("mark_b", pa.float64())])
_BY = [("seconds", pa.float64()), ("cost_usd", pa.float64())]

JUDGED: Mapping[str, pa.Schema] = {
    "judgements": pa.schema(
        [
            *((name, pa.string()) for name in ("pair_id", "judge", "judge_kind", "left_run_id", "suite", "episode_id")),
            ("repeat", pa.int32()),
            *((name, pa.string()) for name in ("run_a", "run_b", "preferred_run_id")),
            ("marks", pa.list_(_MARK)),
            ("note", pa.string()),
            *_BY,
            ("judged_at", pa.string()),
        ]
    ),
    "labels": pa.schema(
        [
            *((name, pa.string()) for name in ("run_id", "suite", "episode_id")),
            ("repeat", pa.int32()),
            *((name, pa.string()) for name in ("labeller", "labeller_kind", "kind")),
            ("step", pa.int32()),
            ("note", pa.string()),
            ("saw_proposal", pa.bool_()),
            *_BY,
            ("labelled_at", pa.string()),
        ]
    ),
}
KEYS: Mapping[str, tuple[str, ...]] = {
    "judgements": ("pair_id", "judge", "left_run_id"),
    "labels": ("run_id", "episode_id", "repeat", "labeller"),
}


@dataclass(frozen=True)
class ErrorKind:
    """A kind of error: its name in tables, its title and description for people, and whose it is."""

    kind: str
    title: str
    of: str
    description: str


@cache
def error_kinds() -> tuple[ErrorKind, ...]:
    """Return the declared kinds of errors, in the order in which people see them."""
    return tuple(ErrorKind(**one) for one in yaml.safe_load(_KINDS.read_text()))


def lines_of(folder: Path, table: str) -> list[Row]:
    """Return the current lines of all judges in a folder; WarehouseError names a line that is none of that table."""
    found: dict[tuple[Any, ...], Row] = {}
    for path in sorted(folder.glob("[!.]*.jsonl")):
        for number, row in _read(path):
            if set(row) != set(JUDGED[table].names):
                odd = ", ".join(sorted(set(row) ^ set(JUDGED[table].names)))
                raise WarehouseError(f"{path}, line {number}: it is no line of {table}, because of the keys {odd}: correct or remove it")
            found[tuple(row[key] for key in KEYS[table])] = row
    return list(found.values())


def _read(path: Path) -> Iterator[tuple[int, Row]]:
    for number, line in enumerate(path.read_text().splitlines(), 1):
        try:
            row = json.loads(line)
        except ValueError:
            continue  # a kill cut it off
        if isinstance(row, dict):
            yield number, row


def load_judging(connection: duckdb.DuckDBPyConnection, data: DataFolder) -> None:
    """Load judgements, labels, kinds of errors, and the scores that follow from the judgements."""
    kinds = [[number, one.kind, one.title, one.of, one.description] for number, one in enumerate(error_kinds(), 1)]
    connection.executemany("insert into error_kinds values (?, ?, ?, ?, ?)", kinds)
    for table, schema in JUDGED.items():
        rows = lines_of(data.judging / table, table)
        if unknown := sorted({row["kind"] for row in rows if table == "labels"} - {one.kind for one in error_kinds()}):
            raise WarehouseError(f"labels in {data.judging / table} name kinds that {_KINDS.name} does not have: {', '.join(unknown)}")
        try:
            given = pa.Table.from_pylist(rows, schema=schema)
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            raise WarehouseError(f"a line in {data.judging / table} has a value of a wrong type ({error}): correct or remove it") from None
        connection.register("given", given)
        connection.execute(f"insert into {table} by name from given")
        connection.unregister("given")
    _score(connection)


def _score(connection: duckdb.DuckDBPyConnection) -> None:
    """Fill the table `bradley_terry`, for each suite and kind of judge, and for each group of runs that comparisons join."""
    observed: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows_of(connection, (_QUERIES / "observed_pairs.sql").read_text()):
        observed[row["suite"], row["judge_kind"]].append(row)
    if not observed:
        return
    from warehouse.bradley_terry import Compared, scores, share  # scipy would slow every load

    known = {row["run_id"]: row["agent"] for row in rows_of(connection, "select run_id, agent from suite_runs")}
    for of, rows in observed.items():
        for group in _groups(rows):
            agents = {name: known.get(name, "") for row in group for name in (row["run_a"], row["run_b"])}
            reference = min(agents, key=lambda name: (agents[name] != "person", agents[name] != "oracle", name))
            compared = [Compared(row["run_a"], row["run_b"], row["wins"], row["comparisons"]) for row in group]
            found = scores(compared, reference)
            values = []
            for run_id, one in sorted(found.items()):
                ends = (one.score, one.low, one.high)
                values.append([*of, run_id, reference, *_tally(group, run_id), *ends, *map(share, ends)])
            connection.executemany("insert into bradley_terry values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values)


def _groups(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """Yield the comparisons of runs that comparisons join, directly or over others."""
    left = list(rows)
    while left:
        names = {left[0]["run_a"]}
        while more := [row for row in left if len(names & {row["run_a"], row["run_b"]}) == 1]:
            names |= {name for row in more for name in (row["run_a"], row["run_b"])}
        yield [row for row in left if row["run_a"] in names]
        left = [row for row in left if row["run_a"] not in names]


def _tally(rows: Sequence[Row], run_id: str) -> tuple[float, float]:
    """Return the comparisons of a run, and how many of them it won; a tie is half a win."""
    mine = [row for row in rows if run_id in (row["run_a"], row["run_b"])]
    won = sum(row["wins"] if row["run_a"] == run_id else row["comparisons"] - row["wins"] for row in mine)
    return sum(row["comparisons"] for row in mine), won


def shown(data: DataFolder, query: str, suite: str) -> str:
    """Return what follows from all that was judged of a suite (`judged`) or labelled (`labelled`), as a table for a person."""
    quoted = suite.replace("'", "''")
    return answer(data.warehouse, (_QUERIES / f"{query}.sql").read_text().format(suite=quoted), "table")
