"""Protects exports: the files hold what the tables hold, every column is described, and nothing of others is replaced."""

import csv
import json
from pathlib import Path

import duckdb
import pytest

from tests.warehouse.test_concurrency import TASKS, put_dataset, put_run
from warehouse.errors import WarehouseError
from warehouse.export import ExportFormat, export
from warehouse.layout import DataFolder
from warehouse.loader import load_warehouse
from warehouse.query import connect, rows_of


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = DataFolder(tmp_path_factory.mktemp("export"))
    put_dataset(data)
    put_run(data, "one")
    return load_warehouse(data)


def names(warehouse: Path) -> set[str]:
    connection = connect(warehouse)
    found = rows_of(
        connection,
        "select table_name as name from duckdb_tables() where not internal union all select view_name from duckdb_views() where not internal",
    )
    connection.close()
    return {row["name"] for row in found}


@pytest.mark.parametrize("file_format", ["parquet", "csv"])
def test_every_table_and_view_is_exported_with_its_rows(warehouse: Path, tmp_path: Path, file_format: ExportFormat) -> None:
    exported = export(warehouse, tmp_path / "out", file_format)
    assert set(exported.rows) == names(warehouse) and exported.rows["user_tasks"] == exported.rows["predictions"] == TASKS
    assert {path.stem for path in exported.folder.glob(f"*.{file_format}")} == names(warehouse)
    for name, number in exported.rows.items():
        read = "read_parquet(?)" if file_format == "parquet" else "read_csv(?, header = true, all_varchar = true)"
        assert duckdb.execute(f"select count(*) from {read}", [str(exported.folder / f"{name}.{file_format}")]).fetchall() == [(number,)], name


def test_parquet_keeps_types_and_values(warehouse: Path, tmp_path: Path) -> None:
    folder = export(warehouse, tmp_path / "out", "parquet", ["user_tasks"]).folder
    connection = connect(warehouse)
    expected = connection.execute("select * from user_tasks order by task_id").fetchall()
    connection.close()
    assert duckdb.execute("select * from read_parquet(?) order by task_id", [str(folder / "user_tasks.parquet")]).fetchall() == expected


def test_nested_columns_of_a_csv_are_json_text(warehouse: Path, tmp_path: Path) -> None:
    folder = export(warehouse, tmp_path / "out", "csv", ["user_tasks", "runs"]).folder
    with (folder / "user_tasks.csv").open(newline="") as file:
        row = next(csv.DictReader(file))
    assert json.loads(row["valid_applications"]) == ["excel"] and json.loads(row["arguments"]) == []
    assert "| `valid_applications` | JSON of `VARCHAR[]` |" in (folder / "README.md").read_text()


def test_the_dictionary_describes_every_column(warehouse: Path, tmp_path: Path) -> None:
    text = (export(warehouse, tmp_path / "out", "parquet").folder / "README.md").read_text()
    connection = connect(warehouse)
    rows = rows_of(connection, "select table_name, column_name, comment from duckdb_columns() where not internal")
    connection.close()
    for row in rows:
        section = text.partition(f"\n## {row['table_name']}\n")[2].partition("\n## ")[0]
        assert f"| `{row['column_name']}` |" in section and row["comment"].replace("|", "\\|") in section, row


def test_an_earlier_export_is_replaced_whole(warehouse: Path, tmp_path: Path) -> None:
    export(warehouse, tmp_path / "out", "csv", ["runs"])
    export(warehouse, tmp_path / "out", "parquet", ["accuracy"])
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"accuracy.parquet", "README.md", "export.json"}
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize(
    ("there", "message"),
    [("file", "is a file"), ("folder", "no export made it"), ("mixed", "holds files that the export did not write, such as notes.txt")],
)
def test_what_no_export_made_is_never_replaced(warehouse: Path, tmp_path: Path, there: str, message: str) -> None:
    target = tmp_path / "out"
    if there == "file":
        target.write_text("mine")
    if there == "mixed":
        export(warehouse, target, "csv", ["runs"])
    if there != "file":
        target.mkdir(exist_ok=True)
        (target / "notes.txt").write_text("mine")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(WarehouseError, match=message):
        export(warehouse, target, "csv")
    assert sorted(tmp_path.rglob("*")) == before


def test_bad_input_is_said_and_leaves_nothing(warehouse: Path, tmp_path: Path) -> None:
    with pytest.raises(WarehouseError, match="no table or view 'run' in the warehouse; it has: accuracy"):
        export(warehouse, tmp_path / "out", "csv", ["run"])
    with pytest.raises(WarehouseError, match="there is no warehouse"):
        export(tmp_path / "none.duckdb", tmp_path / "out", "csv")
    assert list(tmp_path.iterdir()) == []


def test_an_export_that_fails_leaves_the_earlier_one(warehouse: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    export(warehouse, tmp_path / "out", "csv", ["runs"])

    def fail(*_: object) -> str:
        raise OSError("no room")

    monkeypatch.setattr("warehouse.export._dictionary", fail)
    with pytest.raises(OSError, match="no room"):
        export(warehouse, tmp_path / "out", "parquet")
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"runs.csv", "README.md", "export.json"}
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
