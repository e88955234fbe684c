"""The explorer's data: columns of codes, pieces of texts and shards of rows, written as script files."""

import base64
import json
from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from warehouse.query import rows_of

_QUERIES = Path(__file__).parent / "queries"
_PIECE_BYTES = 300_000
SHARD_DIGITS = 2
Json = dict[str, Any]

# Rows as arrays by task id, with their column names once; DuckDB writes the text, many times faster than Python
_SHARDS = """
    with rows as ({query})
    select left(task_id, {digits}) as shard,
           '{{' || string_agg(entry, ',' order by task_id) || '}}' as by_id
    from (select task_id, to_json(task_id)::varchar || ':' || json_array(*columns(* exclude (task_id)))::varchar as entry from rows)
    group by shard order by shard
"""


def query_text(name: str) -> str:
    """Return the text of a query of `queries/`."""
    return (_QUERIES / f"{name}.sql").read_text(encoding="utf-8")


def write_script(folder: Path, name: str, value: Any) -> None:
    """Write a value as the script file of that name."""
    path = folder / f"{name}.js"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_put(name, json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_as_text)), encoding="utf-8")


def read_datasets(connection: duckdb.DuckDBPyConnection) -> list[Json]:
    """Return the shown datasets with their newest runs: first the datasets with runs, then the others, newest first."""
    return [row | {"runs": rows_of(connection, query_text("explorer_runs"), [row["dataset_id"]])} for row in _rows(connection, "explorer_datasets")]


def write_index(connection: duckdb.DuckDBPyConnection, folder: Path, datasets: list[Json]) -> None:
    """Write the datasets, runs and applications to choose from, and the titles of atomic tasks."""
    write_script(folder, "index", {"datasets": datasets, "applications": _rows(connection, "explorer_applications")})
    steps = {row.pop("atomic_task_id"): row for row in _rows(connection, "explorer_atomic_tasks")}
    write_script(folder, "atomic_tasks", steps)


def write_dataset(connection: duckdb.DuckDBPyConnection, folder: Path, dataset: Json) -> list[str]:
    """Write all tasks of a dataset and the results of its runs; return the names of its shards."""
    identity = dataset["dataset_id"]
    starts = _write_texts(connection, folder, identity)
    columns = _columns(connection, "explorer_columns", identity)
    write_script(folder, f"columns/{identity}", {"columns": columns, "starts": starts})
    only_sameness = {name: column | {"values": []} for name, column in _columns(connection, "explorer_compositions", identity).items()}
    write_script(folder, f"compositions/{identity}", only_sameness)
    place = f"tasks/{identity}"
    shards = _write_shards(connection, folder, "explorer_tasks", identity, place, "")
    for run in dataset["runs"]:
        write_script(folder, f"outcomes/{run['run_id']}", _columns(connection, "explorer_outcomes", run["run_id"]))
        query = "explorer_model_answers" if run["asks_model"] else "explorer_answers"
        _write_shards(connection, folder, query, run["run_id"], place, f"/{run['run_id']}")
    return shards


def _rows(connection: duckdb.DuckDBPyConnection, query: str) -> list[Json]:
    return rows_of(connection, query_text(query))


def _columns(connection: duckdb.DuckDBPyConnection, query: str, parameter: str) -> dict[str, Json]:
    """Return the columns of a query, each as its distinct values and a code for every row."""
    table = connection.sql(query_text(query), params=[parameter]).to_arrow_table()
    return {name: _coded(table.column(name)) for name in table.column_names}


def _coded(column: pa.ChunkedArray) -> Json:
    """Return the distinct values, and codes of one, two or four bytes (little-endian) in base64."""
    encoded = pa.concat_arrays(column.chunks or [pa.array([], column.type)]).dictionary_encode(null_encoding="encode")
    width = next(width for width in (1, 2, 4) if len(encoded.dictionary) <= 256**width)
    codes = encoded.indices.to_numpy(zero_copy_only=False).astype(f"<u{width}")
    return {"values": encoded.dictionary.to_pylist(), "width": width, "codes": base64.b64encode(codes.tobytes()).decode()}


def _write_texts(connection: duckdb.DuckDBPyConnection, folder: Path, dataset_id: str) -> list[int]:
    """Write ids and texts in pieces of about 300 kB, a line for each task; return the first task of each piece."""
    rows = connection.execute(query_text("explorer_texts"), [dataset_id]).fetchall()
    starts, size = [0], 0
    for number, (task_id, text) in enumerate(rows):
        length = len(json.dumps(text, ensure_ascii=False).encode()) + len(task_id) + 2
        if size and size + length > _PIECE_BYTES:
            starts.append(number)
            size = 0
        size += length
    for piece, (start, end) in enumerate(zip(starts, [*starts[1:], len(rows)], strict=True)):
        lines = {"ids": "\n".join(row[0] for row in rows[start:end]), "texts": "\n".join(row[1] for row in rows[start:end])}
        write_script(folder, f"texts/{dataset_id}/{piece}", lines)
    return starts


def _write_shards(connection: duckdb.DuckDBPyConnection, folder: Path, query: str, parameter: str, place: str, part: str) -> list[str]:
    """Append the rows of a query to the shard files of a place, each put as `<place>/<xx><part>`; return the shards with rows."""
    text = query_text(query)
    names = [column[0] for column in connection.execute(f"from ({text}) limit 0", [parameter]).description]
    head = json.dumps([name for name in names if name != "task_id"])
    (folder / place).mkdir(parents=True, exist_ok=True)
    result = connection.execute(_SHARDS.format(query=text, digits=SHARD_DIGITS), [parameter])
    shards = []
    while row := result.fetchone():
        shard, rows = row
        with (folder / place / f"{shard}.js").open("a", encoding="utf-8") as file:
            file.write(_put(f"{place}/{shard}{part}", f'{{"columns":{head},"rows":{rows}}}'))
        shards.append(shard)
    return shards


def _put(name: str, value: str) -> str:
    return f"deskmill.put({json.dumps(name)},{value});\n"


def _as_text(value: object) -> str:
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M UTC")
    raise TypeError(f"no JSON for {type(value).__name__}")
