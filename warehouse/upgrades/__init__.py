"""Upgraders of Parquet files: one SQL file takes a table from one version to the next. Never change an upgrader."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb

from warehouse.parquet import VERSIONS, checked_version
from warehouse.query import rows_of

UPGRADES_ROOT = Path(__file__).parent


def current_relation(table: str, version: int, files: Sequence[Path]) -> str:
    """Return a SQL relation over files of that version, in the columns of the current version.

    `<table>/<n>_to_<n+1>.sql` is a select over `{source}`; the steps are nested.
    """
    listed = ", ".join("'" + str(file).replace("'", "''") + "'" for file in files)
    relation = f"read_parquet([{listed}])"
    for step in range(version, VERSIONS[table]):
        select = (UPGRADES_ROOT / table / f"{step}_to_{step + 1}.sql").read_text()
        relation = f"({select.replace('{source}', relation)})"
    return relation


def current_relations(paths: Iterable[Path], table: str) -> Iterator[str]:
    """Yield one SQL relation for each schema version of the files, each in the columns of the current version.

    WarehouseError as in `checked_version`.
    """
    by_version: dict[int, list[Path]] = defaultdict(list)
    for path in sorted(paths):
        by_version[checked_version(path, table)].append(path)
    for version, files in sorted(by_version.items()):
        yield current_relation(table, version, files)


def read_rows(paths: Iterable[Path], table: str) -> list[dict[str, Any]]:
    """Return the rows of files of any version, in the columns of the current version; WarehouseError as in `checked_version`."""
    with duckdb.connect() as connection:
        return [row for relation in current_relations(paths, table) for row in rows_of(connection, f"from {relation}")]
