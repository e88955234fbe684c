"""Upgraders of Parquet files: one SQL file takes a table from one version to the next. Never change an upgrader."""

from collections.abc import Sequence
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


def read_rows(file: Path, table: str) -> list[dict[str, Any]]:
    """Return the rows of a file of any version, in the columns of the current version; WarehouseError as in `checked_version`."""
    with duckdb.connect() as connection:
        return rows_of(connection, f"from {current_relation(table, checked_version(file, table), [file])}")
