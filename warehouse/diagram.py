"""Draw the picture of the warehouse, docs/er.svg, from its schema: tables with keys, columns and joins, and the views.

After a change of the schema, write it again: python -m warehouse.diagram
"""

import sys
import tempfile
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import yaml
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from warehouse.layout import DataFolder, written_file
from warehouse.loader import CHECKED_KEYS, load_warehouse
from warehouse.query import connect, rows_of

_ROOT = Path(__file__).parent
_PICTURE = _ROOT.parent / "docs" / "er.svg"
# all in pixels
_LINE, _HEAD, _BOX, _CHANNEL, _SPACE, _LANE, _MARGIN = 17, 26, 236, 84, 22, 8, 24


@dataclass(frozen=True)
class Column:
    """A column of a table; `shown_type` is short and leaves out the parts of structures."""

    name: str
    shown_type: str
    comment: str
    is_key: bool


@dataclass(frozen=True)
class Join:
    """A join: many rows of one table belong to one row of another. `by` is the table that gives the rest of the key, or None."""

    many: tuple[str, str]
    one: tuple[str, str]
    by: str | None


@dataclass(eq=False)
class Box:
    """A box in a layer: a table, or, without a name, the lane of a line that passes."""

    name: str = ""
    comment: str = ""
    columns: tuple[Column, ...] = ()
    layer: int = 0
    top: float = 0.0
    left_of_it: list["Box"] = field(default_factory=list)

    @property
    def x(self) -> float:
        """Return the left edge."""
        return _MARGIN + self.layer * (_BOX + _CHANNEL)

    @property
    def height(self) -> float:
        """Return the height, from the upper to the lower edge."""
        return _HEAD + _LINE * len(self.columns) + 6 if self.name else _LANE

    def height_of(self, column: str) -> float:
        """Return the height at which a line meets a column."""
        names = [one.name for one in self.columns]
        return self.top + _HEAD + _LINE * (names.index(column) + 0.5)


def draw(connection: duckdb.DuckDBPyConnection) -> str:
    """Return the picture as SVG text; the same schema gives the same text."""
    described = rows_of(connection, (_ROOT / "sql" / "described_columns.sql").read_text())
    boxes, joins = _tables(described), declared_joins()
    _set_layers(boxes, joins)
    routes = [(join, _lanes(boxes[join.one[0]], boxes[join.many[0]])) for join in joins]
    everything = [*boxes.values(), *(lane for _, lanes in routes for lane in lanes)]
    _set_tops(everything)
    bottom = max(box.top + box.height for box in boxes.values()) + 2 * _SPACE
    derived = dict(sorted((row["name"], row["comment"]) for row in described if row["name"] not in boxes))
    environment = Environment(
        loader=FileSystemLoader(_ROOT / "templates"), undefined=StrictUndefined, autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    return environment.get_template("er.svg.j2").render(
        boxes=list(boxes.values()),
        lines=[_path(boxes, join, lanes) for join, lanes in routes],
        derived=[{"y": bottom + _LINE * (number + 2), "name": name, "comment": comment} for number, (name, comment) in enumerate(derived.items())],
        derived_top=bottom,
        width=max(box.x for box in boxes.values()) + _BOX + _MARGIN,
        height=bottom + _LINE * (len(derived) + 2) + _MARGIN,
        line=_LINE,
        head=_HEAD,
        box=_BOX,
        margin=_MARGIN,
    )


def declared_joins() -> list[Join]:
    """Return the joins that `sql/joins.yaml` declares."""

    def column(text: str) -> tuple[str, str]:
        table, _, name = text.partition(".")
        return table, name

    entries = yaml.safe_load((_ROOT / "sql" / "joins.yaml").read_text())
    return [Join(column(entry["many"]), column(entry["one"]), entry.get("by")) for entry in entries]


def _tables(described: list[dict[str, Any]]) -> dict[str, Box]:
    """Return the tables that schema.sql declares, by name; all others are derived from them."""
    schema = duckdb.connect()
    schema.execute((_ROOT / "sql" / "schema.sql").read_text())
    declared = {row["table_name"] for row in rows_of(schema, "select table_name from duckdb_tables()")}
    keys = rows_of(schema, "select table_name, constraint_column_names as names from duckdb_constraints() where constraint_type = 'PRIMARY KEY'")
    schema.close()
    key_columns = {(row["table_name"], name) for row in keys for name in row["names"]}
    key_columns |= {(table, name) for table, names in CHECKED_KEYS.items() for name in names}
    columns: dict[str, list[Column]] = defaultdict(list)
    for row in described:
        is_key = (row["name"], row["column_name"]) in key_columns
        columns[row["name"]].append(Column(row["column_name"], _short_type(row["data_type"]), row["column_comment"], is_key))
    comments = {row["name"]: row["comment"] for row in described}
    return {name: Box(name, comments[name], tuple(columns[name])) for name in sorted(declared)}


def _short_type(name: str) -> str:
    short = name.lower().replace("timestamp with time zone", "timestamptz")
    return f"struct{'[]' * short.endswith('[]')}" if short.startswith("struct") else short


def _set_layers(boxes: dict[str, Box], joins: list[Join]) -> None:
    """Put every table to the right of the tables that its rows belong to; a table without joins goes to the layer with most room."""
    ones: dict[str, set[str]] = defaultdict(set)
    for join in joins:
        ones[join.many[0]].add(join.one[0])

    def layer(name: str) -> int:
        return 1 + max((layer(one) for one in ones[name]), default=-1)

    joined = {table for join in joins for table in (join.many[0], join.one[0])}
    heights = [0.0] * (1 + max(map(layer, joined)))
    for name in sorted(boxes, key=lambda name: (name not in joined, name)):
        boxes[name].layer = layer(name) if name in joined else heights.index(min(heights))
        heights[boxes[name].layer] += boxes[name].height


def _lanes(one: Box, many: Box) -> list[Box]:
    """Return a lane for every layer that a line passes, and note for each piece of the line which box is on its left."""
    lanes = [Box(layer=layer) for layer in range(one.layer + 1, many.layer)]
    for left, right in zip([one, *lanes], [*lanes, many], strict=True):
        right.left_of_it.append(left)
    return lanes


def _set_tops(boxes: list[Box]) -> None:
    """Stack every layer; each box is as near as possible to the boxes on its left that it joins, so that few lines cross."""
    for number in range(max(box.layer for box in boxes) + 1):
        layer = [box for box in boxes if box.layer == number]
        wanted = {id(box): _wanted(box) for box in layer}
        top = float(_MARGIN)
        for box in sorted(layer, key=lambda box: (wanted[id(box)], -len(box.columns))):
            box.top = top
            top += box.height + (_SPACE if box.name else _LANE)


def _wanted(box: Box) -> float:
    if not box.left_of_it:
        return 0.0
    return sum(left.top + left.height / 2 for left in box.left_of_it) / len(box.left_of_it)


def _path(boxes: dict[str, Box], join: Join, lanes: list[Box]) -> dict[str, str]:
    """Return the line from the column of the one, along its lanes, to the column of the many, and its tooltip."""
    one, many = boxes[join.one[0]], boxes[join.many[0]]
    x, y = one.x + _BOX, one.height_of(join.one[1])
    parts = [f"M{x:g} {y:g}"]
    for lane in lanes:
        parts += [_curve(x, y, lane.x, lane.top), f"H{lane.x + _BOX:g}"]
        x, y = lane.x + _BOX, lane.top
    parts.append(_curve(x, y, many.x, many.height_of(join.many[1])))
    by = f", within the dataset that {join.by} gives" if join.by else ""
    return {"path": " ".join(parts), "title": f"{'.'.join(join.many)} to {'.'.join(join.one)}{by}"}


def _curve(x: float, y: float, to_x: float, to_y: float) -> str:
    middle = (x + to_x) / 2
    return f"C{middle:g} {y:g} {middle:g} {to_y:g} {to_x:g} {to_y:g}"


def current_picture() -> str:
    """Return the picture of the schema in this checkout."""
    with tempfile.TemporaryDirectory() as folder:
        connection = connect(load_warehouse(DataFolder(Path(folder))))
        try:
            return draw(connection)
        finally:
            connection.close()


if __name__ == "__main__":
    with written_file(_PICTURE) as temporary:
        temporary.write_text(current_picture(), encoding="utf-8")
    sys.stdout.write(f"wrote {_PICTURE}\n")
