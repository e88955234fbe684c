"""Protects workers from files that hold up or end who reads them, and this host from files that name others of its files or the network."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pyogrio
import pytest

from eval_flows.episodes.checkers import apart, checks, getters
from eval_flows.episodes.checkers.apart import NotRead, read_apart
from eval_flows.episodes.environment.side_effects import compare
from machines.errors import LeftUnreadable, MachineError
from tests.conftest import REPOSITORY
from tests.eval_flows.episodes.desktops import desktop
from tests.eval_flows.episodes.environment.homes import told
from tests.eval_flows.episodes.tasks.examples import got, made

ENDLESS = "AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT"


def changed(database: bytes, folder: Path, *script: str) -> bytes:
    """A database on which that was carried out."""
    path = folder / "changed.db"
    path.write_bytes(database)
    connection = sqlite3.connect(path, isolation_level=None)
    for one in script:
        connection.execute(one)
    connection.close()
    return path.read_bytes()


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A GeoPackage of one point."""
    import numpy as np
    import shapely
    from pyogrio import raw

    path = tmp_path_factory.mktemp("maps") / "stops.gpkg"
    point = np.array([shapely.to_wkb(shapely.Point(1, 2))], dtype=object)
    names = [np.array(["Market"], dtype=object)]
    raw.write(path, point, names, ["name"], geometry_type="Point", crs="EPSG:25832", driver="GPKG", layer="stops")
    return path.read_bytes()


@pytest.fixture
def asked_of_network() -> Iterator[tuple[str, list[str]]]:
    """The address of a server, and what it was asked for."""
    asked: list[str] = []

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(404)
            self.end_headers()

        do_HEAD = do_GET  # noqa: N815 - the names are those of the server

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", asked
        server.shutdown()


def test_what_is_read_apart_comes_back_and_what_it_raises_is_told() -> None:
    assert read_apart(10, sorted, [3, 1, 2]) == [1, 2, 3]
    with pytest.raises(NotRead, match=r"ValueError: .*'x'"):
        read_apart(10, int, "x")
    reader = apart._kept[0].process.pid
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda number: read_apart(10, abs, -number), range(20))) == list(range(20))
    assert apart._kept[0].process.pid == reader != os.getpid(), "it is kept"


@pytest.mark.parametrize(
    ("read", "given", "why"),
    [(os.abort, (), "SIGABRT"), (os._exit, (3,), "ended with 3"), (bytes, (2**32,), "too much memory"), (bytes, (2**27,), "ended")],
)
def test_what_ends_its_reader_is_told_and_ends_nothing_else(read: object, given: tuple[int, ...], why: str) -> None:
    with pytest.raises(LeftUnreadable, match=why):
        read_apart(10, read, *given)  # type: ignore[arg-type]
    assert read_apart(10, abs, -1) == 1


def test_what_takes_too_long_is_ended_in_native_code_and_while_it_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    read_apart(10, abs, -1)
    with pytest.raises(LeftUnreadable, match="takes too long"):
        read_apart(0.3, pow, 7, 10**8)
    monkeypatch.setattr(apart, "_LONGEST", 0.3)
    with pytest.raises(LeftUnreadable, match="not read within"):
        read_apart(10, time.sleep, 60)
    monkeypatch.undo()
    assert read_apart(10, abs, -1) == 1


def test_a_reader_that_somebody_else_ends_is_replaced() -> None:
    read_apart(10, abs, -1)
    os.kill(apart._kept[0].process.pid, signal.SIGKILL)
    assert read_apart(10, abs, -1) == 1


def test_a_reader_that_does_not_start_is_a_fault_and_no_failed_check(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "_kept", [])
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(MachineError, match="does not start") as raised:
        got("coded", made("interviews"), what="tags")
    assert not isinstance(raised.value, LeftUnreadable)


def test_a_reader_never_outlives_its_owner() -> None:
    script = (
        "import os; from eval_flows.episodes.checkers import apart\n"
        "print(apart.read_apart(10, os.getpid), flush=True); os.kill(os.getpid(), 9)"
    )  # fmt: skip
    owner = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=REPOSITORY, check=False)
    reader, until = int(owner.stdout), time.monotonic() + 30
    while psutil.pid_exists(reader) and time.monotonic() < until:
        time.sleep(0.05)
    assert not psutil.pid_exists(reader)


def test_a_view_without_end_is_a_failed_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It held up its worker for ever: the signal that ends other reading waits for the query."""
    project = changed(made("interviews"), tmp_path, "DROP TABLE tags", f"CREATE VIEW tags {ENDLESS} i AS path FROM n WHERE i < 0")
    monkeypatch.setattr(getters, "_READING_SECONDS", 0.5)
    for expected in ["[]", None]:
        checked = checks.check(desktop({"f": project}), {"coded": {"path": "f", "what": "tags"}, "is": expected}, {})
        assert not checked.holds and checked.got == "the file cannot be read: it takes too long"


def test_a_map_with_a_view_without_end_is_a_failed_check(package: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    layer = "INSERT INTO gpkg_contents (table_name, data_type, identifier) VALUES ('v', 'attributes', 'v')"
    view = f"CREATE VIEW v {ENDLESS} i FROM n WHERE i < 0"
    endless = changed(package, tmp_path, "DELETE FROM gpkg_geometry_columns", "DELETE FROM gpkg_contents", view, layer)
    assert got("features", package, what="column.name") == ["Market"], "and the library is imported"
    monkeypatch.setattr(getters, "_READING_SECONDS", 0.5)
    assert not checks.check(desktop({"f": endless}), {"features": {"path": "f", "what": "count"}, "is": 0}, {}).holds


def test_a_map_reads_no_other_file_and_asks_no_network(package: bytes, tmp_path: Path, asked_of_network: tuple[str, list[str]]) -> None:
    """Such a file gave an agent the content of any file of this host as a map, and took its host to any address."""
    address, asked = asked_of_network
    secret = tmp_path / "secret.csv"
    secret.write_text("WKT,name\nPOINT (1 2),hidden\n")
    virtual = f"CREATE VIRTUAL TABLE v USING VirtualText(''{secret}'', ''UTF-8'', 1)"
    spatial = changed(
        package,
        tmp_path,
        "PRAGMA writable_schema = on",
        f"INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql) VALUES ('table', 'v', 'v', 0, '{virtual}')",
        "DELETE FROM gpkg_geometry_columns",
        "DELETE FROM gpkg_contents",
        "INSERT INTO gpkg_contents (table_name, data_type, identifier) VALUES ('v', 'attributes', 'v')",
    )
    named = ["<OGRVRTDataSource><OGRVRTLayer name='secret'><SrcDataSource>%s</SrcDataSource></OGRVRTLayer></OGRVRTDataSource>" % place  # noqa: UP031
             for place in (secret, f"/vsicurl/{address}/a.csv", f"{address}/b.json")]  # fmt: skip
    for content in (spatial, *map(str.encode, named)):
        assert got("features", content, what="columns") is None
    point = {"type": "Feature", "properties": {"a": 1}, "geometry": {"type": "Point", "coordinates": [1, 2]}}
    of_crs = {"type": "link", "properties": {"href": f"{address}/crs", "type": "ogcwkt"}}
    linked = json.dumps({"type": "FeatureCollection", "crs": of_crs, "features": [point]}).encode()
    assert got("features", linked, what="columns") == ["a"] and asked == []


def test_only_drivers_that_open_nothing_else_are_known_apart() -> None:
    """A newer GDAL has more drivers: name those in `GDAL_SKIP`, or allow them here."""
    assert set(read_apart(30, pyogrio.list_drivers)) == {"CSV", "FlatGeobuf", "GeoJSON", "GeoJSONSeq", "GPKG", "GPX", "KML"}


def test_a_database_that_ends_its_reader_is_damage(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(*_: object) -> None:
        raise LeftUnreadable("the file cannot be read: what reads it ended with SIGSEGV")

    monkeypatch.setattr(compare, "read_apart", read)
    assert told({"a.db": made("database")}, {"a.db": b"other"}) == ["a.db changed: the file cannot be read: what reads it ended with SIGSEGV"]
