"""The objects of a bucket below a prefix: listing, reading, and writing under conditions. Errors say what to do.

botocore writes with `If-None-Match` and `If-Match`. fsspec's s3fs has only the first (on trial), and pyarrow's file system none.
"""

import contextlib
import functools
import os
import shutil
import time
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import botocore.session
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError, IncompleteReadError, NoCredentialsError, PartialCredentialsError
from botocore.exceptions import ConnectionError as NotConnected

from warehouse.errors import WarehouseError
from warehouse.stores.keys import Address

AT_ONCE = 16  # requests
_SOON = Config(connect_timeout=3, read_timeout=5, retries={"total_max_attempts": 1})  # seconds; the first question to the store
_PATIENT = Config(connect_timeout=5, read_timeout=60, retries={"mode": "standard", "total_max_attempts": 5}, max_pool_connections=2 * AT_ONCE)
_DELETED_AT_ONCE = 1000
_UNTIL_ASKED_AGAIN = 0.2  # seconds
_ABSENT = {"NoSuchKey", "404"}
_UNMET = {"PreconditionFailed", "412"}
_BUSY = {"ConditionalRequestConflict", "409"}
_STRANGERS = {"InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "InvalidToken", "InvalidClientTokenId", "UnrecognizedClientException"}
_ELSEWHERE = {"PermanentRedirect", "301", "AuthorizationHeaderMalformed", "IllegalLocationConstraintException"}


@dataclass(frozen=True)
class Entry:
    """An object as a listing has it: its key below the prefix, what identifies its content, its bytes, and when it was written (store's clock)."""

    key: str
    etag: str
    size: int
    modified: float


@dataclass(frozen=True)
class Found:
    """A small object that was read: its content, what identifies it, when it was written, and the time now, both by the store's clock."""

    body: bytes
    etag: str
    modified: float
    now: float


class Objects:
    """The objects below the prefix of an address. Keys are without the prefix; times are seconds since the epoch by the store's clock."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self.endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")

    @functools.cached_property
    def _client(self) -> Any:
        return self._made(_PATIENT)

    def _made(self, config: Any) -> Any:
        """Return a client. Servers of one's own seldom have a host name for each bucket, so there the bucket stands in the path."""
        style = Config(s3={"addressing_style": "path"}) if self.endpoint else Config()
        region = os.environ.get("AWS_REGION") or None  # botocore itself reads AWS_DEFAULT_REGION alone
        with self._told("to connect"):
            return botocore.session.get_session().create_client("s3", region_name=region, endpoint_url=self.endpoint, config=config.merge(style))

    def check(self) -> float:
        """Return the time of the store; WarehouseError within seconds if it does not answer, or has no such bucket for us."""
        with self._told("to list"):
            answer = self._made(_SOON).list_objects_v2(Bucket=self.address.bucket, Prefix=self.address.prefix, MaxKeys=1)
        return _now(answer)

    def now(self) -> float:
        """Return the time of the store."""
        with self._told("to list"):
            return _now(self._client.list_objects_v2(Bucket=self.address.bucket, Prefix=self.address.prefix, MaxKeys=1))

    def listed(self, prefix: str, without: Collection[str] = ()) -> Iterator[Entry]:
        """Yield the objects whose keys begin so, save in folders of the names `without`, which are not even listed."""
        whole = self.address.prefix + prefix
        delimiter = {"Delimiter": "/"} if without else {}
        with self._told("to list"):
            for page in self._client.get_paginator("list_objects_v2").paginate(Bucket=self.address.bucket, Prefix=whole, **delimiter):
                for one in page.get("Contents", ()):
                    yield Entry(one["Key"].removeprefix(self.address.prefix), one["ETag"], one["Size"], one["LastModified"].timestamp())
                for folder in page.get("CommonPrefixes", ()):
                    if folder["Prefix"].rstrip("/").rpartition("/")[2] not in without:
                        yield from self.listed(folder["Prefix"].removeprefix(self.address.prefix), without)

    def get(self, key: str) -> Found | None:
        """Return a small object, or None if it is not there."""
        answer = self._asked(key)
        if answer is None:
            return None
        with self._told("to read"):
            return Found(answer["Body"].read(), answer["ETag"], answer["LastModified"].timestamp(), _now(answer))

    def download(self, key: str, path: Path) -> str | None:
        """Write an object to a file, which gets the object's time, and return what identifies the content; None if it is not there."""
        answer = self._asked(key)
        if answer is None:
            return None
        with self._told("to read"), path.open("wb") as file:
            shutil.copyfileobj(answer["Body"], file, 2**20)
            file.flush()
            os.fsync(file.fileno())  # the index of the mirror is synced: it must not know more than the disk has
        modified = answer["LastModified"].timestamp()
        os.utime(path, (modified, modified))
        return str(answer["ETag"])

    def _asked(self, key: str) -> Any:
        with self._told("to read"):
            try:
                return self._client.get_object(Bucket=self.address.bucket, Key=self.address.prefix + key)
            except ClientError as error:
                if _code(error) in _ABSENT:
                    return None
                raise

    def put(self, key: str, content: bytes | Path, *, is_new: bool = False, only_if: str | None = None) -> str | None:
        """Write an object and return what identifies its content; None if a condition is unmet, and nothing is written.

        `is_new`: no object is there. `only_if`: the object there has this content.
        """
        condition = ({"IfNoneMatch": "*"} if is_new else {}) | ({"IfMatch": only_if} if only_if else {})
        while True:
            try:
                with self._told("to write"), contextlib.ExitStack() as files:
                    body = files.enter_context(content.open("rb")) if isinstance(content, Path) else content
                    answer = self._client.put_object(Bucket=self.address.bucket, Key=self.address.prefix + key, Body=body, **condition)
                    return str(answer["ETag"])
            except _Unmet as unmet:
                if not unmet.is_busy:
                    return None
                time.sleep(_UNTIL_ASKED_AGAIN)

    def delete(self, keys: Iterable[str]) -> None:
        """Delete objects, in their order."""
        waiting = iter(keys)
        while some := [{"Key": self.address.prefix + key} for key in islice(waiting, _DELETED_AT_ONCE)]:
            with self._told("to delete"):
                answer = self._client.delete_objects(Bucket=self.address.bucket, Delete={"Objects": some, "Quiet": True})
            if refused := answer.get("Errors"):
                raise WarehouseError(f"{self.address} does not let us delete {refused[0]['Key']} ({refused[0]['Code']}): allow s3:DeleteObject")

    @contextlib.contextmanager
    def _told(self, what: str) -> Iterator[None]:
        """Turn the errors of the package into ours, which name the place and the remedy; messages of the store can hold parts of a signature."""
        try:
            yield
        except ClientError as error:
            if what == "to write" and _code(error) in _UNMET | _BUSY | _ABSENT:
                raise _Unmet(is_busy=_code(error) in _BUSY) from None
            raise WarehouseError(self._remedy(_code(error), what)) from None
        except (NoCredentialsError, PartialCredentialsError):
            raise WarehouseError(
                f"there are no whole credentials for {self.address}: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE"
            ) from None
        except (HTTPClientError, IncompleteReadError, NotConnected) as error:
            raise WarehouseError(
                f"the object store at {self._where} does not answer ({type(error).__name__}): is it running, is AWS_ENDPOINT_URL right, "
                "and does the network let us through? What is written is kept: run the same command again afterwards"
            ) from None
        except ValueError:
            raise WarehouseError("AWS_ENDPOINT_URL is not the address of an object store: give one such as http://127.0.0.1:9000") from None
        except BotoCoreError as error:
            words = str(error).replace(self.endpoint or " ", self._where)
            raise WarehouseError(f"{self.address} cannot be opened with the AWS_... settings of this environment: {words}") from None

    def _remedy(self, code: str, what: str) -> str:
        bucket = self.address.bucket
        if code == "NoSuchBucket" or code in _ABSENT:
            return f"there is no bucket '{bucket}' at {self._where}: make it, or mend DESKMILL_DATA"
        if code in _STRANGERS:
            return f"{self._where} does not accept the credentials ({code}): mend AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN"
        if code in _ELSEWHERE:
            return f"bucket '{bucket}' is in another region ({code}): set AWS_REGION to it"
        if code == "RequestTimeTooSkewed":
            return f"{self._where} refuses requests, because the clock of this host is wrong: set it (for example by NTP)"
        if code in {"AccessDenied", "AllAccessDisabled", "403"}:
            needed = "s3:ListBucket, s3:GetObject, s3:PutObject and s3:DeleteObject"
            return f"bucket '{bucket}' does not allow us {what} below '{self.address.prefix}' ({code}): allow these credentials {needed} there"
        return f"{self._where} refused {what} below {self.address} ({code})"

    @property
    def _where(self) -> str:
        """The store's host, without any user and password that its address holds."""
        if self.endpoint is None:
            return "Amazon S3"
        parts = urlsplit(self.endpoint)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


class _Unmet(Exception):
    """The condition of a write is not met, or another write to the same key goes on: ask again."""

    def __init__(self, is_busy: bool) -> None:
        self.is_busy = is_busy


def _code(error: Any) -> str:
    return str(error.response.get("Error", {}).get("Code", ""))


def _now(answer: Any) -> float:
    return parsedate_to_datetime(answer["ResponseMetadata"]["HTTPHeaders"]["date"]).timestamp()
