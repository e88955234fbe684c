"""An object store for tests: moto's server, which speaks S3 over HTTP, with a bucket of its own for each test."""

import contextlib
import functools
import json
import logging
import threading
import urllib.request
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import botocore.session
import pytest
from botocore.config import Config
from moto.s3.responses import S3Response
from moto.server import ThreadedMotoServer

SECRET = "a-secret-that-no-one-may-see"


@dataclass(frozen=True)
class Bucket:
    """A bucket of the server, as its owner sees it."""

    endpoint: str
    name: str

    @functools.cached_property
    def client(self) -> Any:
        keys = {"aws_access_key_id": "owner", "aws_secret_access_key": SECRET, "region_name": "us-east-1"}
        return botocore.session.get_session().create_client("s3", endpoint_url=self.endpoint, config=Config(s3={"addressing_style": "path"}), **keys)

    def listed(self, prefix: str = "") -> list[str]:
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=self.name, Prefix=prefix)
        return [one["Key"] for page in pages for one in page.get("Contents", ())]

    def content(self, key: str) -> bytes:
        found: bytes = self.client.get_object(Bucket=self.name, Key=key)["Body"].read()
        return found

    def deny(self, action: str) -> None:
        """Let no one do this in the bucket."""
        denied = {"Effect": "Deny", "Principal": "*", "Action": action, "Resource": f"arn:aws:s3:::{self.name}/*"}
        self.client.put_bucket_policy(Bucket=self.name, Policy=json.dumps({"Version": "2012-10-17", "Statement": [denied]}))

    def environment(self, cache: Path) -> dict[str, str]:
        """What a host of that cache folder has in its environment to keep its data in the bucket."""
        return {
            "DESKMILL_DATA": f"s3://{self.name}/team/data",
            "DESKMILL_CACHE": str(cache),
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_ACCESS_KEY_ID": "owner",
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_REGION": "us-east-1",
        }


@contextlib.contextmanager
def served() -> Iterator[str]:
    """Yield the endpoint of an object store. Its conditional writes are one step each, as S3's are; moto's are two."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    one_by_one, put = threading.Lock(), S3Response.put_object

    def put_alone(self: Any) -> Any:
        with one_by_one:
            return put(self)

    with mock.patch.object(S3Response, "put_object", put_alone):
        server.start()
        host, port = server.get_host_and_port()
        try:
            yield f"http://{host}:{port}"
        finally:
            server.stop()


def new_bucket(endpoint: str) -> Bucket:
    bucket = Bucket(endpoint, f"desk-{uuid.uuid4().hex[:12]}")
    bucket.client.create_bucket(Bucket=bucket.name)
    return bucket


@contextlib.contextmanager
def asking_who(endpoint: str) -> Iterator[None]:
    """Let the server look at credentials, of which it knows none."""

    def count(actions: str) -> None:
        plain = {"Content-Type": "text/plain"}
        urllib.request.urlopen(urllib.request.Request(f"{endpoint}/moto-api/reset-auth", actions.encode(), plain, method="POST")).read()

    count("0")
    try:
        yield
    finally:
        count("inf")


@contextlib.contextmanager
def on_host(bucket: Bucket, cache: Path) -> Iterator[None]:
    """Be a host that keeps its data in the bucket."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in bucket.environment(cache).items():
            patch.setenv(name, value)
        yield
