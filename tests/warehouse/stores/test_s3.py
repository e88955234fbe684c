"""Protects the mirror of an object store: what one host writes others read, whole or not at all, and nothing is doubled, half, or lost."""

import json
import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.object_store import Bucket
from warehouse.errors import WarehouseError
from warehouse.layout import sweep
from warehouse.stores.objects import Entry
from warehouse.stores.s3 import S3Store

Hosts = tuple[S3Store, S3Store]


def written(store: S3Store, place: str, text: str) -> Path:
    """Write a file as `written_file` does."""
    path = store.root / place
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.7.tmp")
    temporary.write_text(text)
    if store.keep(temporary, path):
        temporary.replace(path)
    return path


def written_folder(store: S3Store, place: str, **files: str) -> Path:
    """Write a folder as `written_folder` does."""
    path = store.root / place
    temporary = path.with_name(f".{path.name}.x.tmp")
    for name, text in files.items():
        (temporary / "inner").mkdir(parents=True, exist_ok=True)
        (temporary / "inner" / name).write_text(text)
    if store.keep(temporary, path):
        if path.exists():
            path.rename(temporary.with_suffix(".old"))
        temporary.rename(path)
    return path


def texts(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(folder.rglob("*")) if path.is_file() and not path.name.startswith(".")}


def test_another_host_reads_a_file_a_folder_and_a_label(hosts: Hosts) -> None:
    one, other = hosts
    written(one, "store/shards/a.parquet", "rows")
    written_folder(one, "store/datasets/1", data="rows", card="words")
    one.keep_label(one.root / "datasets" / "tiny", "../store/datasets/1")
    other.fetch(other.root / "store" / "shards" / "a.parquet", other.root / "datasets", other.root / "store" / "datasets" / "1")
    assert texts(other.root / "store") == {"a.parquet": "rows", "data": "rows", "card": "words"}
    assert texts((other.root / "datasets" / "tiny").resolve()) == {"data": "rows", "card": "words"}


def test_only_what_is_asked_for_is_brought(hosts: Hosts) -> None:
    one, other = hosts
    for name in ("a", "ab", "b"):
        written(one, f"store/shards/{name}.parquet", name)
    written(one, "runs/1/run.json", "{}")
    written_folder(one, "runs/1/trajectories/e_1", picture="-")
    other.fetch(other.root / "store" / "shards" / "a.parquet")
    other.fetch(other.root / "runs", without=("trajectories",))
    assert texts(other.root) == {"a.parquet": "a", "run.json": "{}"}
    other.fetch(other.root / "runs")
    assert "picture" in texts(other.root)


def test_a_folder_counts_from_its_marker_on(hosts: Hosts, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = hosts
    put = one._objects.put

    def killed_before_the_marker(key: str, *content: object, **condition: object) -> str | None:
        if key.endswith("/.whole"):
            raise KeyboardInterrupt
        return put(key, *content, **condition)  # type: ignore[arg-type]

    monkeypatch.setattr(one._objects, "put", killed_before_the_marker)
    with pytest.raises(KeyboardInterrupt):
        written_folder(one, "store/datasets/1", data="rows")
    other.fetch(other.root / "store" / "datasets" / "1")
    assert texts(other.root) == {}
    monkeypatch.undo()
    written_folder(one, "store/datasets/1", data="again")
    other.fetch(other.root / "store" / "datasets" / "1")
    assert texts(other.root) == {"data": "again"}


def test_the_first_writer_wins_and_the_second_has_its_content(hosts: Hosts, bucket: Bucket) -> None:
    one, other = hosts
    written(one, "store/shards/a.parquet", "first")
    assert written(other, "store/shards/a.parquet", "second").read_text() == "first"
    written_folder(one, "store/datasets/1", manifest="first")
    assert texts(written_folder(other, "store/datasets/1", manifest="second")) == {"manifest": "first"}
    assert len(bucket.listed("team/data/store/datasets/")) == 2, "the files of the second writer are left"


def test_what_is_replaced_is_replaced_for_all(hosts: Hosts, bucket: Bucket) -> None:
    one, other = hosts
    for text in ("one", "another"):
        written(one, "runs/1/predictions/00000.parquet", text)
        written_folder(one, "suites/smoke", **{text: text})
        other.fetch(other.root / "runs" / "1", other.root / "suites")
        assert texts(other.root) == {"00000.parquet": text, text: text}
    assert len(bucket.listed("team/data/suites/")) == 2, "the files of the folder that was replaced are left"


def test_a_folder_that_is_replaced_while_it_is_read_is_read_again(hosts: Hosts, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = hosts
    written_folder(one, "suites/smoke", old="old")
    download = other._objects.download
    replaced: list[Path] = []

    def replaced_meanwhile(key: str, path: Path) -> str | None:
        if not replaced:
            replaced.append(written_folder(one, "suites/smoke", new="new"))
        return download(key, path)

    monkeypatch.setattr(other._objects, "download", replaced_meanwhile)
    other.fetch(other.root / "suites")
    assert texts(other.root) == {"new": "new"}


def test_a_folder_without_files_is_a_folder(hosts: Hosts) -> None:
    one, other = hosts
    (one.root / "suites" / ".empty.x.tmp").mkdir(parents=True)
    assert one.keep(one.root / "suites" / ".empty.x.tmp", one.root / "suites" / "empty")
    other.fetch(other.root / "suites")
    assert list((other.root / "suites" / "empty").iterdir()) == []


def test_a_writer_that_sweeps_does_not_disturb_who_fetches(hosts: Hosts, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = hosts
    written_folder(one, "store/datasets/1", data="rows", card="words")
    download = other._objects.download

    def swept_meanwhile(key: str, path: Path) -> str | None:
        sweep(other.root / "store" / "datasets")
        return download(key, path)

    monkeypatch.setattr(other._objects, "download", swept_meanwhile)
    other.fetch(other.root / "store" / "datasets" / "1")
    assert texts(other.root) == {"data": "rows", "card": "words"} and not list(other.root.glob(".fetch.*"))


def test_what_is_removed_is_gone_for_all_with_what_finds_it_first(hosts: Hosts, bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = hosts
    for place in ("runs/1/run.json", "runs/1/predictions/0.parquet", "runs/12/run.json", "locks/run-1"):
        written(one, place, "-") if not place.startswith("locks") else one._objects.put(place, b"{}")
    written_folder(one, "store/datasets/1", data="rows")
    other.fetch(other.root / "runs", other.root / "store" / "datasets" / "1")
    deleted: list[list[str]] = []
    delete = one._objects.delete

    def noted(keys: object) -> None:
        deleted.append(list(keys))  # type: ignore[call-overload]
        delete(deleted[-1])

    monkeypatch.setattr(one._objects, "delete", noted)
    one.remove(one.root / "runs" / "1", ("run.json",))
    one.remove(one.root / "store" / "datasets" / "1", ())
    assert deleted[::2] == [["runs/1/run.json"], ["store/datasets/1/.whole"]]
    other.fetch(other.root / "runs", other.root / "store" / "datasets" / "1")
    assert bucket.listed("team/data/") == ["team/data/runs/12/run.json"]
    assert [str(path.relative_to(other.root)) for path in other.root.rglob("*.json")] == ["runs/12/run.json"] and texts(other.root / "store") == {}


def test_what_a_person_changes_in_the_mirror_stays_until_the_store_changes(hosts: Hosts) -> None:
    one, other = hosts
    written(one, "quality/1/sheets/r.csv", "empty")
    other.fetch(other.root / "quality")
    (other.root / "quality/1/sheets/r.csv").write_text("filled in")
    other.fetch(other.root / "quality")
    assert texts(other.root) == {"r.csv": "filled in"}
    (other.root / "quality/1/sheets/r.csv").unlink()
    other.fetch(other.root / "quality")
    assert texts(other.root) == {"r.csv": "empty"}
    written(one, "quality/1/sheets/r.csv", "new")
    other.fetch(other.root / "quality")
    assert texts(other.root) == {"r.csv": "new"}


def test_what_this_host_makes_for_itself_is_not_sent(hosts: Hosts, bucket: Bucket) -> None:
    one, _ = hosts
    for place in ("warehouse.duckdb", "report/index.html", "store/datasets/.1.x.tmp/rejected.parquet"):
        written(one, place, "-")
    assert one.keep(one.root.parent / "elsewhere", one.root.parent / "elsewhere")
    assert bucket.listed() == []


def test_rests_of_killed_writers_are_swept_after_a_day_and_nothing_else(hosts: Hosts, bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> None:
    one, _ = hosts
    written_folder(one, "store/datasets/1", data="whole")
    for token in ("a" * 32, "b" * 32):
        one._objects.put(f"store/datasets/{token[0] * 2}/.{token}/data", b"half")
    one._objects.put(f"store/datasets/1/.{'c' * 32}/data", b"the second writer's")
    listed = one._objects.listed

    def all_but_one_old(prefix: str, without: tuple[str, ...] = ()) -> list[Entry]:
        return [replace(entry, modified=entry.modified - ("bbb" not in entry.key) * 2 * 86400) for entry in listed(prefix, without)]

    monkeypatch.setattr(one._objects, "listed", all_but_one_old)
    one.sweep(one.root / "store" / "datasets")
    left = bucket.listed("team/data/store/datasets/")
    assert [key for key in left if "aaa" in key or "ccc" in key] == [] and len(left) == 3
    assert any("bbb" in key for key in left), "it may still be written"


def test_locks_of_hosts_exclude_each_other_save_those_of_what_each_makes_for_itself(hosts: Hosts) -> None:
    one, other = hosts
    with one.locked(one.root / ".build.lock"), one.locked(one.root / ".warehouse.lock"):
        (other.root / ".build.lock").touch()
        with other.free(other.root / ".build.lock") as is_free:
            assert not is_free
        with other.locked(other.root / ".warehouse.lock"):
            pass
    with other.free(other.root / ".build.lock") as is_free:
        assert is_free
        with one.free(one.root / ".build.lock") as is_free_too:
            assert not is_free_too


def test_the_lock_of_a_run_brings_what_others_wrote_of_it(hosts: Hosts) -> None:
    one, other = hosts
    written(one, "runs/1/predictions/00000.parquet", "answers")
    with other.locked(other.root / ".run-1.lock"):
        assert texts(other.root / "runs") == {"00000.parquet": "answers"}


def test_a_host_that_lost_its_lock_keeps_nothing(hosts: Hosts, bucket: Bucket) -> None:
    one, _ = hosts
    one._leases._lost.add("locks/build")
    with pytest.raises(WarehouseError, match="was lost"):
        written(one, "store/shards/a.parquet", "rows")
    assert bucket.listed() == []


def test_clocks_that_differ_are_told(hosts: Hosts, monkeypatch: pytest.MonkeyPatch) -> None:
    one, _ = hosts
    one.check()
    now = one._objects.check()
    for seconds, words in ((120, "120 seconds ahead of"), (-3600, "3600 seconds behind")):
        monkeypatch.setattr(one._objects, "check", lambda seconds=seconds: time.time() - seconds)
        with pytest.raises(WarehouseError, match=f"clock of this host is {words}.*set it"):
            one.check()
    assert abs(now - time.time()) < 3600


def test_a_folder_whose_files_were_removed_by_hand_is_named(hosts: Hosts, bucket: Bucket) -> None:
    one, other = hosts
    written_folder(one, "store/datasets/1", data="rows")
    (lost,) = (key for key in bucket.listed() if key.endswith("data"))
    bucket.client.delete_object(Bucket=bucket.name, Key=lost)
    with pytest.raises(WarehouseError, match="store/datasets/1 lacks files"):
        other.fetch(other.root / "store" / "datasets" / "1")
    assert texts(other.root) == {} and json.loads(bucket.content("team/data/store/datasets/1/.whole"))["files"] == ["inner/data"]


def test_the_mirror_has_the_stores_times(hosts: Hosts) -> None:
    one, other = hosts
    path = written(one, "store/shards/a.parquet", "rows")
    os.utime(path, (1, 1))
    other.fetch(other.root / "store" / "shards" / "a.parquet")
    (entry,) = one._objects.listed("store/")
    assert (other.root / "store" / "shards" / "a.parquet").stat().st_mtime == entry.modified
