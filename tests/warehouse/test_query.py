"""Protects that `deskmill sql` only reads: no statement changes the warehouse, writes a file or reads one."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from deskmill import main
from tests.conftest import REPOSITORY
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


NO_QUERIES = (
    "checkpoint",
    "vacuum",
    "analyze",
    "begin",
    "use memory",
    "prepare p as select 1",
    "deallocate p",
    "select 1; checkpoint",
    "set threads = 1",
)
ENDLESS = {
    "in the query": "select count(*) from range(1000000) a, range(1000000) b, range(1000000) c where a.range + b.range + c.range = -1",
    "in its rows": "from range(1000000000000)",
    "in recursion": "with recursive t as (select 1 as a union all select a % 7 + 1 from t) select max(a) from t",
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
    "query",
    ["show tables", "describe runs", "pragma table_info('runs')", "explain select 1", "pivot runs on protocol using count(*)"]
    + ["summarize runs", "from runs", "values (1)", "with a as (select 1) from a", "pragma database_size", "select 1; select 2"],
)
def test_what_only_reads_is_answered(data: DataFolder, query: str) -> None:
    assert "row" in answer(data.warehouse, query, "table")


@pytest.mark.parametrize("statement", NO_QUERIES)
def test_a_statement_that_returns_no_rows_is_refused_in_one_line(data: DataFolder, monkeypatch: pytest.MonkeyPatch, statement: str) -> None:
    """`checkpoint` and `vacuum` ended with exit code 0 and printed nothing."""
    monkeypatch.setenv("DESKMILL_DATA", str(data.root))
    refused = CliRunner().invoke(main, ["sql", statement])
    assert refused.exit_code == 2 and refused.stdout == "" and len(refused.stderr.splitlines()) == 1
    assert f"`{statement.rpartition('; ')[2]}` is not a query; begin with select" in refused.stderr


@pytest.mark.parametrize("query", ENDLESS.values(), ids=ENDLESS)
def test_a_limit_ends_an_endless_query_in_one_line(data: DataFolder, monkeypatch: pytest.MonkeyPatch, query: str) -> None:
    monkeypatch.setenv("DESKMILL_DATA", str(data.root))
    ended = CliRunner().invoke(main, ["sql", query, "--seconds", "0.2"])
    assert ended.exit_code == 2 and ended.stdout == "" and len(ended.stderr.splitlines()) == 1
    assert "longer than the limit of 0.2 seconds" in ended.stderr


@pytest.mark.parametrize("limit", ["0", "-1", "soon"])
def test_a_limit_that_is_no_time_is_refused(limit: str) -> None:
    assert CliRunner().invoke(main, ["sql", "select 1", "--seconds", limit]).exit_code == 2


def test_a_limit_changes_no_answer(data: DataFolder) -> None:
    assert answer(data.warehouse, "from range(3)", "csv", seconds=60) == answer(data.warehouse, "from range(3)", "csv") == "range\n0\n1\n2"


def test_ctrl_c_stops_an_endless_query_without_a_traceback(data: DataFolder) -> None:
    command = [sys.executable, str(REPOSITORY / "deskmill.py"), "sql", ENDLESS["in the query"]]
    environment = {**os.environ, "DESKMILL_DATA": str(data.root)}
    with subprocess.Popen(
        ["env", "--default-signal=INT", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            _wait_until_it_asks(process, data.warehouse)
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=60)
        finally:
            process.kill()
    assert (process.returncode, output, errors) == (130, "", "stopped\n")


def _wait_until_it_asks(process: subprocess.Popen[str], warehouse: Path) -> None:
    """Wait until the process has the warehouse open."""
    for _ in range(600):
        assert process.poll() is None, process.communicate()
        if any(_target(held) == warehouse.resolve() for held in Path(f"/proc/{process.pid}/fd").iterdir()):
            return
        time.sleep(0.1)
    raise AssertionError("the query did not begin")


def _target(held: Path) -> Path | None:
    try:
        return held.readlink()
    except OSError:
        return None
