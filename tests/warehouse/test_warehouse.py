"""Protects the warehouse: comments hold, loading twice doubles nothing, old files are upgraded and newer ones refused."""

import re
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.conftest import REPOSITORY, copy_of
from warehouse import parquet, upgrades
from warehouse.errors import WarehouseError
from warehouse.layout import DataFolder, point_label, written_file, written_folder
from warehouse.loader import load_warehouse
from warehouse.query import answer, connect, rows_of

CONTRACT = {
    "applications": "application, title, category",
    "atomic_tasks": "atomic_task_id, application, capability",
    "user_tasks": "task_id, dataset, text, target_application, valid_applications, category, split, shape, names_application, composition_id",
    "datasets": "dataset_id, dataset, built_at",
    "runs": "run_id, dataset_id, dataset, protocol, model, started_at",
    "predictions": "run_id, task_id, predicted_application, status, is_correct, latency_ms, cost_usd",
    "accuracy": "run_id, dataset, protocol, model, tasks, correct, accuracy, accuracy_low, accuracy_high",
    "accuracy_by_category": "run_id, category, tasks, accuracy",
    "accuracy_by_application": "run_id, application, tasks, accuracy",
    "category_confusion": "run_id, target_category, answered_category, share",
    "application_confusion": "run_id, target_application, answered_application, share",
    "error_decomposition": "run_id, pi_intra, pi_cross",
    "application_scores": "run_id, application, precision, recall, f1",
    "compositions": "composition_id, atomic_tasks",
}


@pytest.fixture(scope="module")
def data(tiny: DataFolder, tmp_path_factory: pytest.TempPathFactory) -> DataFolder:
    return copy_of(tiny, tmp_path_factory.mktemp("warehouse") / "data")


@pytest.mark.parametrize("name", sorted(CONTRACT))
def test_names_that_others_query_are_there(data: DataFolder, name: str) -> None:
    assert rows_of(connect(data.warehouse), f"select {CONTRACT[name]} from {name} limit 1")


def test_every_table_view_and_column_is_commented(data: DataFolder) -> None:
    connection = connect(data.warehouse)
    without = rows_of(
        connection,
        "select table_name from duckdb_tables() where comment is null union all select view_name from duckdb_views() where comment is null and not internal",
    )
    assert without == []
    columns = rows_of(
        connection,
        """select table_name, column_name from duckdb_columns() where comment is null and not internal
           and table_name in (select table_name from duckdb_tables() union all select view_name from duckdb_views() where not internal)""",
    )
    assert columns == []


def test_comments_in_the_sql_files_speak_of_columns_that_exist(data: DataFolder) -> None:
    columns = {
        (row["table_name"], row["column_name"]) for row in rows_of(connect(data.warehouse), "select table_name, column_name from duckdb_columns()")
    }
    for path in Path("warehouse/sql").rglob("*.sql"):
        for table, column in re.findall(r"comment on column (\w+)\.(\w+) is", path.read_text()):
            assert (table, column) in columns, (path, table, column)


def test_loading_twice_doubles_nothing(data: DataFolder) -> None:
    def counts() -> list[dict[str, int]]:
        return rows_of(
            connect(data.warehouse), "select (select count(*) from user_tasks) t, (select count(*) from predictions) p, (select count(*) from runs) r"
        )

    before = counts()
    load_warehouse(data)
    load_warehouse(data)
    assert counts() == before and before[0]["t"] == 600


def test_readers_see_the_old_or_the_new_and_never_half(data: DataFolder) -> None:
    seen, stop = [], threading.Event()

    def read() -> None:
        while not stop.is_set():
            connection = connect(data.warehouse)
            seen.append(rows_of(connection, "select count(*) as n from user_tasks")[0]["n"])
            connection.close()

    reader = threading.Thread(target=read)
    reader.start()
    for _ in range(3):
        load_warehouse(data)
    stop.set()
    reader.join()
    assert set(seen) == {600}


def test_queries_are_read_only_and_reach_no_file(data: DataFolder) -> None:
    for query in ("delete from runs", "create table x (a int)", "copy runs to '/tmp/deskmill_out.csv'", "select * from read_csv('/etc/passwd')"):
        with pytest.raises(WarehouseError, match="not answered"):
            answer(data.warehouse, query, "table")


def test_answers_come_in_three_shapes(data: DataFolder) -> None:
    query = "select protocol, tasks from accuracy order by protocol"
    assert answer(data.warehouse, query, "csv").splitlines()[0] == "protocol,tasks"
    assert '"protocol": "heuristic"' in answer(data.warehouse, query, "json")
    assert "(2 rows)" in answer(data.warehouse, query, "table")


def test_no_warehouse_is_said_with_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(WarehouseError, match="deskmill build demo"):
        answer(tmp_path / "none.duckdb", "select 1", "table")


@pytest.mark.parametrize("path", sorted((REPOSITORY / "tests/warehouse/kept").glob("*.parquet")), ids=lambda path: path.stem)
def test_kept_files_of_every_earlier_version_load_today(path: Path) -> None:
    table, _, version = path.stem.rpartition("_")
    assert parquet.checked_version(path, table) == int(version) < parquet.VERSIONS[table]
    relation = upgrades.current_relation(table, int(version), [path])
    rows = duckdb.connect().execute(f"select * from {relation}")
    assert {column[0] for column in rows.description} == set(parquet.SCHEMAS[table].names)
    assert len(rows.fetchall()) == 25


def test_an_earlier_takeover_gets_its_waiting_and_an_earlier_call_had_it() -> None:
    """Version 1 began takeovers when the person had the machine, two seconds after they wanted it."""
    kept = REPOSITORY / "tests/warehouse/kept/interventions_1.parquet"
    columns = "distinct initiated_by, began_at, ended_at, seconds, waited_seconds"
    found = duckdb.connect().execute(f"select {columns} from {upgrades.current_relation('interventions', 1, [kept])} order by 1").fetchall()
    times = ("2026-05-01T08:00:00.250+00:00", "2026-05-01T08:00:12.250+00:00", 12.0, 2.0)
    assert found == [("agent", *times), ("human", *times)]


def test_files_of_an_older_schema_are_upgraded_on_load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An upgrade is one SQL file; two steps are put around each other."""
    for version, text in ((1, "select a, a * 2 as b from {source}"), (2, "select a, b, a + b as c from {source}")):
        path = tmp_path / "thing" / f"{version}_to_{version + 1}.sql"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    monkeypatch.setattr(upgrades, "UPGRADES_ROOT", tmp_path)
    monkeypatch.setattr(upgrades, "VERSIONS", {"thing": 3})
    monkeypatch.setattr(parquet, "VERSIONS", {"thing": 3})
    old = tmp_path / "old.parquet"
    pq.write_table(pa.table({"a": [1, 2]}).replace_schema_metadata({parquet.VERSION_KEY: b"thing:1"}), old)
    assert parquet.checked_version(old, "thing") == 1
    relation = upgrades.current_relation("thing", 1, [old])
    assert duckdb.connect().execute(f"select * from {relation}").fetchall() == [(1, 2, 3), (2, 4, 6)]


def test_files_of_a_newer_schema_or_of_others_are_refused(tmp_path: Path) -> None:
    for stated, message in ((b"predictions:99", "this Deskmill knows 2: update Deskmill"), (b"user_tasks:1", "not a Parquet file of 'predictions'")):
        path = tmp_path / "file.parquet"
        pq.write_table(pa.table({"a": [1]}).replace_schema_metadata({parquet.VERSION_KEY: stated}), path)
        with pytest.raises(WarehouseError, match=message):
            parquet.checked_version(path, "predictions")


def test_a_newer_file_stops_the_load_and_the_old_warehouse_stays(data: DataFolder) -> None:
    run = next(data.runs.iterdir())
    stray = run / "predictions" / "99999.parquet"
    pq.write_table(pa.table({"a": [1]}).replace_schema_metadata({parquet.VERSION_KEY: b"predictions:99"}), stray)
    try:
        with pytest.raises(WarehouseError, match="update Deskmill"):
            load_warehouse(data)
        assert rows_of(connect(data.warehouse), "select count(*) as n from runs") == [{"n": 2}]
    finally:
        stray.unlink()


def test_a_copied_file_of_predictions_stops_the_load_and_the_old_warehouse_stays(data: DataFolder) -> None:
    run = next(data.runs.iterdir())
    whole = next((run / "predictions").glob("*.parquet"))
    copy = whole.with_name("99999.parquet")
    before = data.warehouse.read_bytes()
    copy.write_bytes(whole.read_bytes())
    try:
        with pytest.raises(WarehouseError, match=f"two rows of predictions have the same run_id, task_id: {run.name}, .*remove it"):
            load_warehouse(data)
    finally:
        copy.unlink()
    assert data.warehouse.read_bytes() == before


def test_a_failed_write_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.write_text("old")
    with pytest.raises(RuntimeError), written_file(path) as temporary:
        temporary.write_text("half")
        raise RuntimeError
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]
    with pytest.raises(RuntimeError), written_folder(tmp_path / "folder") as folder:
        (folder / "half").write_text("half")
        raise RuntimeError
    assert list(tmp_path.iterdir()) == [path]


def test_two_writers_of_the_same_number_on_two_hosts_do_not_meet(tmp_path: Path) -> None:
    """Two hosts that share a folder may each have a process of one number; here one process writes the same file twice at once."""
    path = tmp_path / "file.txt"
    with written_file(path) as one:
        one.write_text("one")
        with written_file(path) as other:
            assert other != one
            other.write_text("other")
        assert path.read_text() == "other"
    assert path.read_text() == "one" and list(tmp_path.iterdir()) == [path]
    label = tmp_path / "label"
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: point_label(label, path), range(200)))
    assert label.resolve() == path and sorted(tmp_path.iterdir()) == [path, label]


def test_the_dataset_loads_with_the_datasets_library(data: DataFolder, tmp_path: Path) -> None:
    from datasets import load_dataset

    folder = data.labels / "tiny"
    loaded = load_dataset("parquet", data_dir=str(folder / "data"), cache_dir=str(tmp_path))
    assert sum(split.num_rows for split in loaded.values()) == 600
    by_card = load_dataset(str(folder), cache_dir=str(tmp_path))
    assert set(by_card) == {"train", "dev", "test"}
    assert by_card["test"][0]["text"]
