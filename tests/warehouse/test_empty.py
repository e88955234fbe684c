"""Protects the empty warehouse that is kept for the next load: it is what its declarations say, never out of date, and nothing depends on it."""

import contextlib
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import copy_of
from warehouse import empty, loader
from warehouse.empty import SQL_ROOT, attached, write_empty
from warehouse.layout import DataFolder
from warehouse.loader import load_warehouse

DECLARED = (
    "select table_name, comment from duckdb_tables() where not temporary order by all",
    "select view_name, comment, sql from duckdb_views() where not internal order by all",
    "select table_name, column_name, data_type, comment from duckdb_columns() where not internal order by all",
    "select function_name, macro_definition from duckdb_functions() where not internal order by all",
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of caches of somebody who has none yet."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    return tmp_path / "caches" / "deskmill"


def told(path: Path) -> list[Any]:
    """All that is declared in a warehouse, and the rows of every table; DuckDB adds up fractions in the order in which its threads come."""
    with contextlib.closing(attached(path)) as connection:
        declared: list[Any] = [connection.execute(query).fetchall() for query in DECLARED]
        tables = [connection.execute(f'from "{name}" order by all').fetchall() for name, _ in declared[0]]
    return [*declared, *([tuple(round(one, 9) if isinstance(one, float) else one for one in row) for row in rows] for rows in tables)]


def test_a_load_into_the_kept_one_is_a_load_by_the_files_as_they_stand(
    folder: Path, tiny: DataFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tables that are derived are filled by insertions, and their files say how to make them."""
    data = copy_of(tiny, tmp_path / "data")
    loads = []
    for _ in range(2):
        load_warehouse(data)
        loads.append(told(data.warehouse))
    assert len(list(folder.iterdir())) == 1
    views = empty._views()
    monkeypatch.setattr(empty, "_views", list)
    monkeypatch.setattr(loader, "derive", lambda connection: [connection.execute(path.read_text()) for path in views])
    load_warehouse(data)
    assert told(data.warehouse) == loads[0] == loads[1] and sum(map(len, loads[0])) > 3_000


def test_a_declaration_that_changed_is_made(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_empty(tmp_path / "before.duckdb")
    changed = shutil.copytree(SQL_ROOT, tmp_path / "sql")
    (changed / "views" / "999_more.sql").write_text("create view more as select 1 as one;\n")
    monkeypatch.setattr(empty, "SQL_ROOT", changed)
    write_empty(tmp_path / "after.duckdb")
    names = [{name for name, *_ in told(tmp_path / f"{one}.duckdb")[1]} for one in ("before", "after")]
    assert names[1] - names[0] == {"more"} and len(list(folder.iterdir())) == 2


@pytest.mark.parametrize("content", [b"", b"garbage", b"\0" * 10_000])
def test_a_damaged_one_counts_as_none(content: bytes, folder: Path, tmp_path: Path) -> None:
    write_empty(tmp_path / "first.duckdb")
    (path,) = folder.iterdir()
    path.write_bytes(content)
    write_empty(tmp_path / "second.duckdb")
    assert told(tmp_path / "second.duckdb") == told(tmp_path / "first.duckdb") and path.stat().st_size > 10_000


def test_a_folder_that_cannot_be_written_costs_only_time(folder: Path, tmp_path: Path) -> None:
    folder.parent.write_text("not a folder")
    write_empty(tmp_path / "made.duckdb")
    assert len(told(tmp_path / "made.duckdb")[0]) > 40
