"""Protects what the locks and first writers rest on, the conditional writes, and what is said when the store cannot be used."""

import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.object_store import SECRET, Bucket, asking_who
from warehouse.errors import WarehouseError
from warehouse.stores.keys import Address
from warehouse.stores.objects import Objects


def test_of_many_first_writers_one_wins_and_the_others_are_told(objects: Objects) -> None:
    with ThreadPoolExecutor(16) as pool:
        written = list(pool.map(lambda number: objects.put("one", str(number).encode(), is_new=True), range(32)))
    winners = [number for number, etag in enumerate(written) if etag is not None]
    found = objects.get("one")
    assert len(winners) == 1 and found is not None and found.body == str(winners[0]).encode() and found.etag == written[winners[0]]


def test_content_is_replaced_only_if_it_is_the_expected_one(objects: Objects) -> None:
    first = objects.put("one", b"1")
    assert objects.put("one", b"2", only_if='"another"') is None and objects.put("none", b"2", only_if=first) is None
    assert objects.put("one", b"2", only_if=first) is not None and objects.get("none") is None
    found = objects.get("one")
    assert found is not None and found.body == b"2"


def test_listings_have_all_below_a_prefix_save_the_folders_left_out(objects: Objects, bucket: Bucket) -> None:
    for key in ("runs/1/run.json", "runs/1/trajectories/e_1/a.png", "runs/1/predictions/0.parquet", "runs/2/run.json", "store/x"):
        objects.put(key, b"-")
    assert [entry.key for entry in objects.listed("runs/1/")] == ["runs/1/predictions/0.parquet", "runs/1/run.json", "runs/1/trajectories/e_1/a.png"]
    assert sorted(entry.key for entry in objects.listed("runs", without=("trajectories",))) == [
        "runs/1/predictions/0.parquet",
        "runs/1/run.json",
        "runs/2/run.json",
    ]
    assert bucket.listed("team/data/store") == ["team/data/store/x"]


def test_more_objects_than_one_page_or_one_deletion_has(objects: Objects, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("warehouse.stores.objects._DELETED_AT_ONCE", 2)
    for number in range(5):
        objects.put(f"many/{number}", b"-")
    objects.delete(entry.key for entry in objects.listed("many/"))
    assert list(objects.listed("")) == []


def test_a_file_is_downloaded_with_the_stores_time(objects: Objects, tmp_path: Path) -> None:
    etag = objects.put("file", b"content")
    (entry,) = objects.listed("file")
    assert objects.download("file", tmp_path / "file") == etag == entry.etag and objects.download("none", tmp_path / "none") is None
    assert (tmp_path / "file").read_bytes() == b"content" and (tmp_path / "file").stat().st_mtime == entry.modified


def test_a_bucket_that_does_not_exist_is_named(objects: Objects) -> None:
    for ask in (Objects(Address("nobodys-bucket", "")).check, lambda: Objects(Address("nobodys-bucket", "")).put("x", b"")):
        with pytest.raises(WarehouseError, match="no bucket 'nobodys-bucket'.*DESKMILL_DATA"):
            ask()


def test_unknown_credentials_and_what_they_may_not_do_are_told_and_never_shown(objects: Objects, endpoint: str) -> None:
    with asking_who(endpoint), pytest.raises(WarehouseError, match="does not accept the credentials.*AWS_ACCESS_KEY_ID") as raised:
        objects.check()
    assert SECRET not in str(raised.value)


def test_a_bucket_that_is_not_allowed_says_what_to_allow(objects: Objects, bucket: Bucket) -> None:
    bucket.deny("s3:PutObject")
    with pytest.raises(WarehouseError, match=r"does not allow us to write below 'team/data/'.*s3:PutObject"):
        objects.put("one", b"1")


def test_missing_credentials_are_told(objects: Objects, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    with pytest.raises(WarehouseError, match="no whole credentials.*AWS_SECRET_ACCESS_KEY"):
        Objects(objects.address).check()


def test_an_endpoint_that_refuses_or_never_answers_is_named_without_its_password(objects: Objects, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as silent, socket.socket() as closed:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        closed.bind(("127.0.0.1", 0))
        for listening in (silent, closed):
            port = listening.getsockname()[1]
            monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://me:{SECRET}@127.0.0.1:{port}")
            with pytest.raises(WarehouseError, match=f"http://127.0.0.1:{port} does not answer.*AWS_ENDPOINT_URL") as raised:
                Objects(objects.address).check()
            assert SECRET not in str(raised.value)


def test_an_endpoint_that_is_no_address_is_told(objects: Objects, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "127.0.0.1;9000")
    with pytest.raises(WarehouseError, match="AWS_ENDPOINT_URL is not the address"):
        Objects(objects.address).check()
