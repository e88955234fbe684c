"""Which store keeps a path: the folder itself, or the object store that DESKMILL_DATA names if the path is in its mirror."""

import functools
import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from warehouse.errors import WarehouseError
from warehouse.stores.folder import FolderStore
from warehouse.stores.keys import read_address
from warehouse.stores.store import Store

if TYPE_CHECKING:
    from warehouse.stores.s3 import S3Store

_FOLDER = FolderStore()


def data_root() -> Path:
    """Return the folder that DESKMILL_DATA names (default: `data`), or the mirror of the object store that it names.

    WarehouseError within seconds if that cannot be used.
    """
    named = os.environ.get("DESKMILL_DATA", "data")
    if "://" not in named:
        return Path(named).resolve()
    store = _opened_now(named)
    _checked(store)
    return store.root


def store_of(path: Path) -> Store:
    """Return the store that keeps a path of the data folder. Workers find it as commands do, by the same environment."""
    named = os.environ.get("DESKMILL_DATA", "data")
    if "://" not in named:
        return _FOLDER
    store = _opened_now(named)
    return store if path.is_relative_to(store.root) else _FOLDER


def _opened_now(named: str) -> "S3Store":
    endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL") or ""
    return _opened(named, endpoint, os.environ.get("DESKMILL_CACHE") or "~/.cache/deskmill", os.getpid())


@functools.cache
def _opened(named: str, endpoint: str, cache: str, process: int) -> "S3Store":
    """Return the store of an address, with a mirror of its own for each endpoint, bucket and prefix; a forked process opens its own connections."""
    address = read_address(named)
    try:
        from warehouse.stores.s3 import S3Store
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "botocore":
            raise
        raise WarehouseError("DESKMILL_DATA names an object store, which needs a package more: pip install 'deskmill[s3]'") from None
    identity = hashlib.blake2b(f"{endpoint}\n{address}".encode(), digest_size=4).hexdigest()
    return S3Store(address, Path(cache).expanduser().resolve() / f"{address.bucket}-{identity}")


@functools.cache
def _checked(store: "S3Store") -> None:
    store.check()
