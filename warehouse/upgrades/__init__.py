"""Upgraders of Parquet files: one SQL file takes a table from a version to the next, and none is ever changed."""

from collections.abc import Sequence
from pathlib import Path

from warehouse.parquet import VERSIONS

UPGRADES_ROOT = Path(__file__).parent


def current_relation(table: str, version: int, files: Sequence[Path]) -> str:
    """A SQL relation over files of that version, in the columns of the current version.

    `<table>/<n>_to_<n+1>.sql` is a select over `{source}`; the steps are put around each other.
    """
    listed = ", ".join("'" + str(file).replace("'", "''") + "'" for file in files)
    relation = f"read_parquet([{listed}])"
    for step in range(version, VERSIONS[table]):
        select = (UPGRADES_ROOT / table / f"{step}_to_{step + 1}.sql").read_text()
        relation = f"({select.replace('{source}', relation)})"
    return relation
