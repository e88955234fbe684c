"""Protects that a folder stays a folder, and what is said at once when an object store cannot be used."""

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import REPOSITORY
from tests.object_store import SECRET, Bucket, on_host
from warehouse.errors import WarehouseError
from warehouse.layout import DataFolder, written_file
from warehouse.stores.folder import FolderStore
from warehouse.stores.opening import store_of
from warehouse.stores.s3 import S3Store


def test_a_folder_is_its_own_store(data: DataFolder, tmp_path: Path) -> None:
    assert data.root == tmp_path / "data" and isinstance(store_of(data.shards), FolderStore)


def test_the_mirror_is_kept_by_the_store_and_all_else_is_a_folder(bucket: Bucket, tmp_path: Path) -> None:
    with on_host(bucket, tmp_path / "cache"):
        data = DataFolder.from_environment()
        assert data.root.parent == tmp_path / "cache" and isinstance(store_of(data.shards), S3Store)
        assert isinstance(store_of(tmp_path / "exported"), FolderStore)
        with written_file(data.shards / "a.parquet") as temporary:
            temporary.write_text("rows")
        with written_file(tmp_path / "exported") as temporary:
            temporary.write_text("rows")
    assert bucket.listed() == ["team/data/store/shards/a.parquet"]


def test_stores_do_not_share_a_mirror(bucket: Bucket, tmp_path: Path) -> None:
    with on_host(bucket, tmp_path), pytest.MonkeyPatch.context() as patch:
        root = DataFolder.from_environment().root
        patch.setenv("DESKMILL_DATA", f"s3://{bucket.name}/other")
        assert DataFolder.from_environment().root != root


def test_a_models_file_in_the_store_is_there_from_the_beginning(bucket: Bucket, tmp_path: Path) -> None:
    bucket.client.put_object(Bucket=bucket.name, Key="team/data/models.yaml", Body=b"models: []\n")
    with on_host(bucket, tmp_path):
        assert DataFolder.from_environment().models.read_text() == "models: []\n"


def deskmill(*words: str, changed: dict[str, str], before: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    command = [*before, sys.executable, str(REPOSITORY / "deskmill.py"), *words]
    return subprocess.run(command, env={**os.environ, **changed}, cwd=REPOSITORY, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"DESKMILL_DATA": "s3://nobodys-bucket/data"}, "there is no bucket 'nobodys-bucket'"),
        ({"DESKMILL_DATA": "gs://desk/data"}, "give a folder, or s3://bucket/prefix"),
        ({"AWS_ENDPOINT_URL": "http://127.0.0.1:9"}, "http://127.0.0.1:9 does not answer"),
    ],
)
def test_a_command_ends_at_its_beginning_and_nothing_is_made(bucket: Bucket, tmp_path: Path, changed: dict[str, str], words: str) -> None:
    done = deskmill("build", "tiny", changed={**bucket.environment(tmp_path / "cache"), **changed})
    assert done.returncode == 2 and words in done.stderr and "Traceback" not in done.stderr and done.stderr.count("\n") == 1
    assert bucket.listed() == [] and SECRET not in done.stdout + done.stderr and not list((tmp_path / "cache").rglob("*.parquet"))


def test_a_bucket_that_may_only_be_read_ends_the_command_before_it_works(bucket: Bucket, tmp_path: Path) -> None:
    bucket.deny("s3:PutObject")
    done = deskmill("build", "tiny", changed=bucket.environment(tmp_path / "cache"))
    assert done.returncode == 2 and "does not allow us to write" in done.stderr and "s3:PutObject" in done.stderr
    assert bucket.listed() == [] and SECRET not in done.stdout + done.stderr and not list((tmp_path / "cache").rglob("*.parquet"))


def test_a_missing_package_is_named(bucket: Bucket, tmp_path: Path) -> None:
    (tmp_path / "botocore").mkdir()
    (tmp_path / "botocore" / "__init__.py").write_text("raise ModuleNotFoundError(\"No module named 'botocore'\", name='botocore')\n")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    done = deskmill("load", changed={**bucket.environment(tmp_path / "cache"), "PYTHONPATH": path})
    assert done.returncode == 2 and "pip install 'deskmill[s3]'" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap, to have a small disk")
def test_a_full_disk_of_the_mirror_is_told_at_once(bucket: Bucket, tmp_path: Path) -> None:
    (tmp_path / "small").mkdir()
    small = ("bwrap", "--dev-bind", "/", "/", "--size", str(8 * 2**20), "--tmpfs", str(tmp_path / "small"))
    done = deskmill("build", "tiny", changed=bucket.environment(tmp_path / "small" / "cache"), before=small)
    assert done.returncode == 2 and "is full" in done.stderr and "DESKMILL_CACHE" in done.stderr and bucket.listed() == []


def test_a_disk_that_becomes_full_while_data_comes_is_told_and_leaves_no_half_file(
    hosts: tuple[S3Store, S3Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = hosts
    one._objects.put("store/shards/a.parquet", b"rows")

    def full(source: Any, target: Any, length: int = 0) -> None:
        target.write(b"ro")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(shutil, "copyfileobj", full)
    with pytest.raises(WarehouseError, match=r"is full.*DESKMILL_CACHE"):
        other.fetch(other.root / "store" / "shards" / "a.parquet")
    assert [path.name for path in other.root.rglob("*") if path.is_file() and not path.name.startswith(".objects.sqlite")] == []
