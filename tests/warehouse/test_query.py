"""Protects that `deskmill sql` only reads: no statement changes the warehouse, writes a file or reads one."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from deskmill import main
from warehouse.errors import WarehouseError
from warehouse.layout import DataFolder
from warehouse.loader import load_warehouse
from warehouse.query import answer

WRITES = {
    "attach": "attach '{folder}/other.duckdb' as other; create table other.t as select 1",
    "attach in memory": "attach ':memory:' as other; create table other.t as select 1",
    "copy to": "copy (select 1) to '{folder}/out.csv'",
    "export database": "export database '{folder}/exported'",
    "import database": "import database '{folder}'",
    "install": "install httpfs",
    "load": "load httpfs",
    "set": "set enable_external_access = true",
    "set a folder for spilling": "set temp_directory = '{folder}/spilled'",
    "pragma": "pragma enable_profiling = 'json'; pragma profile_output = '{folder}/profile.json'; select 1",
    "a profile": "pragma enable_profiling = 'json'; set profiling_output = '{folder}/profile.json'; select 1",
    "a log": "set log_query_path = '{folder}/queries.log'; select 1",
    "a log in a file": "call enable_logging(storage = 'file', storage_path = '{folder}/log.csv')",
    "a log in a file from a select": "select * from enable_logging('QueryLog', storage = 'file', storage_path = '{folder}/log.csv')",
    "a log for the screen": "call enable_logging(storage = 'stdout')",
    "a profile by a function": "call enable_profiling(format = 'json', save_location = '{folder}/profile.json')",
    "threads": "set threads = 1",
    "a secret": "set secret_directory = '{folder}/secrets'; create persistent secret s (type s3, key_id 'a', secret 'b')",
    "create": "create table t (a int)",
    "create a macro": "create macro f() as 1",
    "insert": "insert into published_accuracy select * from published_accuracy",
    "update": "update published_accuracy set accuracy = 1",
    "update in a transaction": "begin; update published_accuracy set accuracy = 1; commit",
    "delete": "delete from published_accuracy",
    "truncate": "truncate published_accuracy",
    "alter": "alter table runs add column z int",
    "drop": "drop view accuracy",
    "comment": "comment on table runs is 'mine'",
    "read_text": "select * from read_text('{folder}/secret.txt')",
    "read_csv": "select * from read_csv('{folder}/secret.txt')",
    "a file as a table": "select * from '{folder}/secret.csv'",
    "glob": "select * from glob('{folder}/*')",
    "a remote file": "select * from 'https://example.com/a.parquet'",
    "another database": "select * from sqlite_scan('{folder}/model_calls.sqlite', 'calls')",
}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> DataFolder:
    folder = DataFolder(tmp_path_factory.mktemp("query"))
    load_warehouse(folder)
    return folder


@pytest.mark.parametrize("query", WRITES.values(), ids=WRITES)
def test_what_would_write_or_read_a_file_is_not_answered(data: DataFolder, tmp_path: Path, query: str) -> None:
    before = data.warehouse.read_bytes()
    for name in ("secret.txt", "secret.csv"):
        (tmp_path / name).write_text("secret\n1\n")
    there = set(tmp_path.iterdir())
    with pytest.raises(WarehouseError, match="not answered"):
        answer(data.warehouse, query.format(folder=tmp_path), "table")
    assert set(tmp_path.iterdir()) == there and data.warehouse.read_bytes() == before


def test_an_empty_cell_is_a_dash_for_the_eye_and_null_in_json(data: DataFolder) -> None:
    assert answer(data.warehouse, "select null as a, 1 as b", "table").splitlines()[2].split() == ["—", "1"]
    assert json.loads(answer(data.warehouse, "select null as a, 1 as b", "json")) == [{"a": None, "b": 1}]


@pytest.mark.parametrize("query", ["", "  ;", "-- nothing"])
def test_an_empty_query_is_refused_in_words(data: DataFolder, query: str) -> None:
    with pytest.raises(WarehouseError, match="not answered: it is empty"):
        answer(data.warehouse, query, "table")


def test_a_refused_setting_is_bad_input_in_words(data: DataFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESKMILL_DATA", str(data.root))
    refused = CliRunner().invoke(main, ["sql", "call enable_logging(storage = 'file', storage_path = 'log.csv')"])
    assert refused.exit_code == 2 and "the warehouse is only read here" in refused.output


@pytest.mark.parametrize(
    "query", ["show tables", "describe runs", "pragma table_info('runs')", "explain select 1", "pivot runs on protocol using count(*)"]
)
def test_what_only_reads_is_answered(data: DataFolder, query: str) -> None:
    assert "row" in answer(data.warehouse, query, "table")
