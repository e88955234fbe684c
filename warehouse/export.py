"""Export tables and views of the warehouse as Parquet or CSV files in a folder, with a data dictionary."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import duckdb
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from warehouse.errors import WarehouseError
from warehouse.layout import written_folder
from warehouse.query import connect, rows_of

ExportFormat = Literal["parquet", "csv"]
_ROOT = Path(__file__).parent
_MARK = "export.json"  # every folder that an export made has this file, which lists the written files
_DICTIONARY = "README.md"
_NESTED = ("[]", "STRUCT", "MAP", "UNION")


@dataclass(frozen=True)
class Exported:
    """The folder that was written, and the number of rows of each table and view in it."""

    folder: Path
    rows: dict[str, int]

    def __str__(self) -> str:
        return f"{self.folder}: {len(self.rows)} tables and views, {sum(self.rows.values()):,} rows, described in {self.folder / _DICTIONARY}"


def export(warehouse: Path, destination: Path, file_format: ExportFormat, names: Sequence[str] = ()) -> Exported:
    """Write the named tables and views, or all of them, into the folder `destination`. A failed export writes nothing.

    CSV has no lists, so nested columns become JSON text. An earlier export is replaced. WarehouseError if a name is unknown,
    or if `destination` is not the folder of an export or holds other files as well.
    """
    connect(warehouse).close()  # raises an error if there is no warehouse
    destination = destination.resolve()
    _check_destination(destination)
    connection = duckdb.connect(str(warehouse), read_only=True)
    try:
        described = _described(connection, names)
        with written_folder(destination) as folder:
            rows = {name: _write(connection, folder / f"{name}.{file_format}", described[name], file_format) for name in described}
            text = _dictionary(described, rows, file_format)
            (folder / _DICTIONARY).write_text(text, encoding="utf-8")
            mark = {"made_by": "deskmill export", "exported_at": datetime.now(UTC).isoformat(timespec="seconds"), "format": file_format, "rows": rows}
            (folder / _MARK).write_text(json.dumps(mark, indent=2) + "\n")
    finally:
        connection.close()
    return Exported(destination, rows)


def _check_destination(destination: Path) -> None:
    """Refuse to replace a file, a folder that no export made, or a folder to which files were added."""
    if not destination.exists():
        return
    remedy = "name a folder that does not exist yet"
    if not destination.is_dir():
        raise WarehouseError(f"{destination} is a file; {remedy}")
    mark = destination / _MARK
    if not mark.is_file():
        raise WarehouseError(f"{destination} exists already and no export made it, so it is not replaced; {remedy}")
    written = json.loads(mark.read_text())
    ours = {_MARK, _DICTIONARY, *(f"{name}.{written['format']}" for name in written["rows"])}
    others = sorted(str(path.relative_to(destination)) for path in destination.rglob("*") if str(path.relative_to(destination)) not in ours)
    if others:
        raise WarehouseError(f"{destination} holds files that the export did not write, such as {others[0]}, so it is not replaced; {remedy}")


def _described(connection: duckdb.DuckDBPyConnection, names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return the wanted tables and views by name, tables first, with columns and comments; WarehouseError lists the known names."""
    columns = rows_of(connection, (_ROOT / "sql" / "described_columns.sql").read_text())
    described: dict[str, dict[str, Any]] = {}
    for row in columns:
        entry = described.setdefault(row["name"], {"name": row["name"], "kind": row["kind"], "comment": row["comment"], "columns": []})
        entry["columns"].append({"name": row["column_name"], "type": row["data_type"], "comment": row["column_comment"]})
    unknown = [name for name in names if name not in described]
    if unknown:
        raise WarehouseError(f"no table or view '{unknown[0]}' in the warehouse; it has: {', '.join(sorted(described))}")
    return {name: entry for name, entry in described.items() if not names or name in names}


def _write(connection: duckdb.DuckDBPyConnection, path: Path, entry: dict[str, Any], file_format: ExportFormat) -> int:
    """Write one table or view in its order; return the number of its rows."""
    nested = [column["name"] for column in entry["columns"] if file_format == "csv" and _is_nested(column["type"])]
    as_text = ", ".join(f'to_json("{name}")::varchar as "{name}"' for name in nested)
    columns = f"* replace ({as_text})" if nested else "*"
    options = "format parquet, compression zstd" if file_format == "parquet" else "format csv, header"
    target = str(path).replace("'", "''")
    ((rows,),) = connection.execute(f"copy (select {columns} from \"{entry['name']}\") to '{target}' ({options})").fetchall()
    return int(rows)


def _is_nested(column_type: str) -> bool:
    return any(mark in column_type for mark in _NESTED)


def _dictionary(described: dict[str, dict[str, Any]], rows: dict[str, int], file_format: ExportFormat) -> str:
    environment = Environment(loader=FileSystemLoader(_ROOT / "templates"), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters["cell"] = lambda text: str(text).replace("|", "\\|").replace("\n", " ")
    environment.tests["nested"] = _is_nested
    return environment.get_template("data_dictionary.md.j2").render(entries=described.values(), rows=rows, file_format=file_format)
