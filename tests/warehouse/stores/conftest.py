"""Shared by the tests of stores: an object store and a bucket in it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.object_store import Bucket, new_bucket, on_host, served
from warehouse.stores.keys import Address
from warehouse.stores.objects import Objects
from warehouse.stores.s3 import S3Store


@pytest.fixture(scope="session")
def endpoint() -> Iterator[str]:
    with served() as address:
        yield address


@pytest.fixture
def bucket(endpoint: str) -> Bucket:
    return new_bucket(endpoint)


@pytest.fixture
def objects(bucket: Bucket, tmp_path: Path) -> Iterator[Objects]:
    with on_host(bucket, tmp_path / "cache"):
        yield Objects(Address(bucket.name, "team/data/"))


@pytest.fixture
def hosts(bucket: Bucket, tmp_path: Path) -> Iterator[tuple[S3Store, S3Store]]:
    """Two hosts that share the bucket."""
    with on_host(bucket, tmp_path):
        address = Address(bucket.name, "team/data/")
        yield S3Store(address, tmp_path / "a"), S3Store(address, tmp_path / "b")
