"""Addresses of data in an object store, and the names of its objects.

A file of the data folder is an object of the same name. A folder that is written completely or not at all is the objects
`<folder>/.<token>/<file>`, of a token that no other writer has, and the marker `<folder>/.whole`, which is written last and lists them: without
it they do not count. A label is an object `<label>.link`.
"""

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from warehouse.errors import WarehouseError

WHOLE = "/.whole"
LINK = ".link"
ANSWERS = "model_calls.sqlite"  # the local cache of answers and ledger of calls
SEGMENTS = "model_calls/"  # its rows in the store
LOCKS = "locks/"
# All else stays on the host.
_KEPT = ("store", "datasets", "runs", "sweeps", "quality", "judging", "pools", "proofs", "suites", "imported", "models.yaml")
# What is written once: the first writer wins. All else is replaced.
_ONCE = re.compile(r"store/.*|runs/[^/]+/(run\.json|suite_run\.json|trajectories/.*)")
_FOLDERS = re.compile(r"store/datasets|suites|imported|runs/[^/]+")  # that have folders which are written whole
_PART = re.compile(r"(?P<folder>.+?)/\.(?P<token>[0-9a-f]{32})/(?P<file>.+)")
_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_PREFIX = re.compile(r"[A-Za-z0-9!_.*'()/=-]*")


@dataclass(frozen=True)
class Address:
    """The place of data in an object store: a bucket, and a prefix that ends with a slash or is empty."""

    bucket: str
    prefix: str

    def __str__(self) -> str:
        return f"s3://{self.bucket}/{self.prefix}".rstrip("/")


def read_address(named: str) -> Address:
    """Return the address in the form s3://bucket/prefix; WarehouseError if it is none, which does not repeat it: it may hold a password."""
    scheme, _, rest = named.partition("://")
    bucket, _, prefix = rest.partition("/")
    prefix = prefix.strip("/")
    if scheme != "s3" or not _BUCKET.fullmatch(bucket) or not _PREFIX.fullmatch(prefix) or "//" in prefix or {".", ".."} & set(prefix.split("/")):
        raise WarehouseError(
            "DESKMILL_DATA names no place for data: give a folder, or s3://bucket/prefix with a bucket's name (3 to 63 of a-z 0-9 . -); "
            "the store's address and credentials are in AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
        )
    return Address(bucket, f"{prefix}/" if prefix else "")


def is_kept(path: PurePosixPath) -> bool:
    """Tell whether the store keeps the file or folder at a path of the data folder: no temporary one, and none that is made again from others."""
    return bool(path.parts) and path.parts[0] in _KEPT and not any(part.startswith(".") for part in path.parts)


def is_written_once(key: str) -> bool:
    """Tell whether the first content of a file or folder stays."""
    return _ONCE.fullmatch(key) is not None


def has_folders(key: str) -> bool:
    """Tell whether a folder has folders that are written whole, at any depth."""
    return _FOLDERS.fullmatch(key) is not None


def part_of(key: str) -> tuple[str, str] | None:
    """Return the folder and the token of an object that is a file of a folder that is written whole, or None."""
    found = _PART.fullmatch(key)
    return (found["folder"], found["token"]) if found else None


def local_path(key: str) -> str:
    """Return the path in the data folder of a file, a marker or a label."""
    return key.removesuffix(WHOLE) if key.endswith(WHOLE) else key.removesuffix(LINK)
