"""The Parquet tables: their columns, and writing and reading files that carry a schema version."""

from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from warehouse.episode_tables import EPISODE_SCHEMAS, ROLLOUTS, SUITE_EPISODES
from warehouse.errors import WarehouseError
from warehouse.imports import without
from warehouse.layout import written_file

_STRINGS = pa.list_(pa.string())
_ARGUMENT = pa.struct([("name", pa.string()), ("generator", pa.string()), ("value", pa.string())])
_NODE = pa.struct([("target_application", pa.string()), ("valid_applications", _STRINGS)])
_EDGE = pa.struct([("source", pa.int16()), ("target", pa.int16())])

_ROW = [
    ("text", pa.string()),
    ("masked_text", pa.string()),
    ("target_application", pa.string()),
    ("naming", pa.string()),
    ("names_application", pa.bool_()),
    ("style", pa.string()),
    ("voice", pa.string()),
    ("says_goal", pa.bool_()),
    ("has_typo", pa.bool_()),
    ("composition_id", pa.string()),
    ("composition_kind", pa.string()),
    ("workflow", pa.string()),
    ("atomic_tasks", _STRINGS),
    ("dropped_steps", pa.list_(pa.int16())),
    ("said_tasks", _STRINGS),
    ("drop_out_rate", pa.float64()),
    ("locale", pa.string()),
    ("world", pa.string()),
    ("arguments", pa.list_(_ARGUMENT)),
    ("row_seed", pa.string()),
    ("paraphrase_status", pa.string()),
    ("paraphrase_call", pa.string()),
    ("paraphrase_model", pa.string()),
    ("paraphrase_prompt", pa.string()),
    ("narrated_text", pa.string()),
]

SCHEMAS: Mapping[str, pa.Schema] = {
    **EPISODE_SCHEMAS,
    "suite_episodes": SUITE_EPISODES,
    "rollouts": ROLLOUTS,
    "shard": pa.schema(
        [
            ("task_id", pa.string()),
            *_ROW,
            ("said_capabilities", _STRINGS),
            ("named", _STRINGS),
            ("text_key", pa.int64()),
            ("masked_key", pa.int64()),
            ("node_applications", _STRINGS),
            ("node_capabilities", pa.list_(_STRINGS)),
            ("edges", pa.list_(_EDGE)),
            ("rejected_stage", pa.string()),
            ("rejected_reason", pa.string()),
        ]
    ),
    "user_tasks": pa.schema(
        [
            ("task_id", pa.string()),
            *_ROW,
            ("valid_applications", _STRINGS),
            ("category", pa.string()),
            ("split", pa.string()),
            ("shape", pa.string()),
            ("nodes", pa.list_(_NODE)),
            ("edges", pa.list_(_EDGE)),
        ]
    ),
    "rejected": pa.schema([("stage", pa.string()), ("reason", pa.string()), *_ROW]),
    "applications": pa.schema(
        [
            ("application", pa.string()),
            ("title", pa.string()),
            ("aliases", _STRINGS),
            ("vendor", pa.string()),
            ("platform", pa.string()),
            ("category", pa.string()),
            ("also_in", _STRINGS),
            ("description", pa.string()),
        ]
    ),
    "atomic_tasks": pa.schema(
        [
            ("atomic_task_id", pa.string()),
            ("application", pa.string()),
            ("title", pa.string()),
            ("capability", pa.string()),
            ("generic", pa.bool_()),
            ("capable_applications", _STRINGS),
            ("phrasings", pa.int32()),
        ]
    ),
    "ratings": pa.schema(
        [
            ("study_id", pa.string()),
            ("rater", pa.string()),
            ("rater_kind", pa.string()),
            ("task_id", pa.string()),
            ("grammar", pa.int8()),
            ("realism", pa.int8()),
            ("ground_truth", pa.string()),
            ("comment", pa.string()),
        ]
    ),
    "mixture_ratings": pa.schema(
        [
            ("study_id", pa.string()),
            ("rater", pa.string()),
            ("rater_kind", pa.string()),
            ("text_id", pa.string()),
            ("grammar", pa.int8()),
            ("realism", pa.int8()),
            ("origin", pa.int8()),
            ("recognised", pa.bool_()),
            ("signs", pa.string()),
        ]
    ),
    "predictions": pa.schema(
        [
            ("run_id", pa.string()),
            ("task_id", pa.string()),
            ("position", pa.int64()),
            ("predicted_application", pa.string()),
            ("predicted_applications", _STRINGS),
            ("predicted_edges", pa.list_(_EDGE)),
            ("status", pa.string()),
            ("is_correct", pa.bool_()),
            ("node_precision", pa.float64()),
            ("node_recall", pa.float64()),
            ("node_f1", pa.float64()),
            ("edge_f1", pa.float64()),
            ("kendall_tau", pa.float64()),
            ("is_exact", pa.bool_()),
            ("retrieved", _STRINGS),
            ("said", pa.string()),
            ("calls", _STRINGS),
            ("input_tokens", pa.int64()),
            ("output_tokens", pa.int64()),
            ("latency_ms", pa.float64()),
            ("cost_usd", pa.float64()),
        ]
    ),
}


VERSION_KEY = b"deskmill_schema"
VERSIONS: Mapping[str, int] = dict.fromkeys(SCHEMAS, 1) | {
    "predictions": 2,
    "user_tasks": 6,
    "shard": 6,
    "rejected": 5,
    "episodes": 4,
    "steps": 2,
    "suite_episodes": 2,
    "interventions": 2,
}


ROW_GROUP = 10_000  # rows
_ROW_GROUPS = {"rollouts": 50}  # a rollout is a whole conversation, up to a megabyte: so many at once are held in memory
_ROWS_AT_ONCE = 1_000  # rows as Python objects, which take ten times what they do in a table
_COMPRESSION = {"shard": "lz4"}  # a shard is written and read once or twice: less work counts more than a smaller file


def write_rows(path: Path, table: str, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write rows as one Parquet file of that table's schema, some at once. A killed process leaves no half file."""
    left = iter(rows)
    with written_file(path) as temporary, TableWriter(temporary, table) as writer:
        while some := list(islice(left, _ROWS_AT_ONCE)):
            writer.write(pa.Table.from_pylist(some, schema=SCHEMAS[table]))


def write_table(path: Path, table: str, data: pa.Table) -> None:
    """Write an Arrow table with that table's columns as one file. The same rows give the same bytes; a killed process leaves no half file."""
    with written_file(path) as temporary, TableWriter(temporary, table) as writer:
        writer.write(data)


def spare_pandas() -> None:
    """Keep pyarrow from loading pandas in this process, for commands and workers of ours that make no pandas frames.

    pyarrow loads pandas when it gets its first Python list, which takes 0.4 s, to find out whether the list is a frame. It asks only once:
    from then on `to_pandas` is an error here.
    """
    with without("pandas"):
        pa.array([0])


class TableWriter:
    """Writes one Parquet file of a table in pieces of any size; its row groups have one size."""

    def __init__(self, path: Path, table: str) -> None:
        self.rows = 0
        self._schema = SCHEMAS[table].with_metadata({VERSION_KEY: f"{table}:{VERSIONS[table]}".encode()})
        self._writer = pq.ParquetWriter(path, self._schema, compression=_COMPRESSION.get(table, "zstd"))
        self._waiting: list[pa.Table] = []
        self._group = _ROW_GROUPS.get(table, ROW_GROUP)

    def __enter__(self) -> "TableWriter":
        return self

    def __exit__(self, *error: object) -> None:
        if error[0] is None:
            self._write_groups(all_of_it=True)
        self._writer.close()

    def write(self, data: pa.Table) -> None:
        """Add rows with the table's columns, in any order."""
        self.rows += data.num_rows
        self._waiting.append(data.select(self._schema.names).cast(self._schema))
        if sum(piece.num_rows for piece in self._waiting) >= self._group:
            self._write_groups(all_of_it=False)

    def _write_groups(self, all_of_it: bool) -> None:
        """Write whole row groups, and at the end the remaining rows."""
        waiting = pa.concat_tables(self._waiting) if self._waiting else self._schema.empty_table()
        ready = waiting.num_rows if all_of_it else waiting.num_rows - waiting.num_rows % self._group
        if ready:
            self._writer.write_table(waiting.slice(0, ready).combine_chunks(), row_group_size=self._group)
        self._waiting = [waiting.slice(ready)] if ready < waiting.num_rows else []


def schema_version(path: Path) -> tuple[str, int]:
    """Return the table and the schema version that a Parquet file states; ('', 0) if it states none."""
    stated = (pq.read_schema(path).metadata or {}).get(VERSION_KEY, b":0").decode()
    table, _, version = stated.partition(":")
    return table, int(version)


def checked_version(path: Path, table: str) -> int:
    """Return the schema version of a file of that table; WarehouseError if it is of another table, or newer than this program."""
    stated, version = schema_version(path)
    if stated != table:
        raise WarehouseError(f"{path} is not a Parquet file of '{table}' that Deskmill wrote (it says: {stated or 'nothing'})")
    if version > VERSIONS[table]:
        raise WarehouseError(f"{path} has version {version} of the schema of '{table}', and this Deskmill knows {VERSIONS[table]}: update Deskmill")
    return version
