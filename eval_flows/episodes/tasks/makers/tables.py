"""The maker of simulated tables: the truth about the data is known, because it is declared."""

import csv
import io
from collections.abc import Mapping
from random import Random
from typing import Any

from eval_flows.episodes.tasks.makers.maker import Json, Makers

Row = dict[str, Any]


def _simulated(asked: Json) -> bytes:
    file = io.StringIO()
    columns: Mapping[str, Json] = asked["columns"]
    out = csv.DictWriter(file, list(columns), lineterminator="\n")
    out.writeheader()
    random = Random(str(asked["seed"]))
    for number in range(int(asked["rows"])):
        row: Row = {}
        for name, column in columns.items():
            row[name] = _rounded(_value(column, number, row, random), column)
        out.writerow(row)
    return file.getvalue().encode()


def _value(column: Json, number: int, row: Row, random: Random) -> Any:
    """Return the value of one cell; the cells to its left are in `row`."""
    if "count" in column:
        return int(column["count"]) + number
    if "choice" in column:
        return random.choice(list(column["choice"]))
    if "cycle" in column:
        return column["cycle"][number % len(column["cycle"])]
    if "normal" in column:
        return random.gauss(*map(float, column["normal"]))
    if "uniform" in column:
        return random.uniform(*map(float, column["uniform"]))
    return _drawn(column, row, random)


def _drawn(column: Json, row: Row, random: Random) -> Any:
    """Return a value that depends on the cells to its left."""
    if "chance" in column:
        share = float(column["chance"][str(row[column["chance"]["of"]])])
        return "yes" if random.random() < share else "no"
    known = {**row, "constant": 1.0}
    return sum(float(factor) * float(known[name]) for name, factor in column["linear"].items()) + random.gauss(0, float(column.get("noise", 0)))


def _rounded(value: Any, column: Json) -> Any:
    if not isinstance(value, float):
        return value
    digits = int(column.get("digits", 2))
    return f"{value:.{digits}f}"


MAKERS = Makers(of_files={"simulated": _simulated})
