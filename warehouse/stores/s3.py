"""The store that is an object store: the data folder is a mirror of it on this host.

What is written goes to the store first, and then takes its place in the mirror; what is read is fetched before. So all else reads files, as in a
folder. Nothing in the store is ever half: an object appears whole, and a folder counts from its marker on (see `keys`).
"""

import contextlib
import json
import os
import shutil
import socket
import time
import uuid
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PurePosixPath
from typing import TypeVar

from warehouse.errors import WarehouseError
from warehouse.stores.answers import Answers
from warehouse.stores.disk import full, roomy
from warehouse.stores.folder import FolderStore
from warehouse.stores.keys import ANSWERS, LINK, LOCKS, WHOLE, Address, has_folders, is_kept, is_written_once, local_path, part_of
from warehouse.stores.leases import Leases
from warehouse.stores.mirror import MirrorIndex
from warehouse.stores.objects import AT_ONCE, Entry, Objects

_CLOCKS_DIFFER = 60.0  # seconds; by the clocks, `newest` is told and what may be removed
_LEAST_FREE = 200 * 2**20  # bytes on the disk of the mirror
_LEFT = 24 * 3600.0  # seconds, after which files of a folder that never became whole are of a killed writer
_OF_THIS_HOST = {"warehouse", "report"}  # locks of what is made again on each host
_NOTED_AT_ONCE = 256  # objects
_TRIES = 3  # to read a folder that is replaced meanwhile
_RUN = "run-"
Item = TypeVar("Item")
Made = TypeVar("Made")


class S3Store:
    """Keeps what lies in the mirror `root` in the bucket and prefix of an address."""

    def __init__(self, address: Address, root: Path) -> None:
        self.root = root
        with roomy(self.root):
            self._index = MirrorIndex(root / ".objects.sqlite")
        self._folder = FolderStore()
        self._objects = Objects(address)
        self._leases = Leases(self._objects, f"{socket.gethostname()} {self._index.id}")
        self._answers = Answers(self._objects, root / ANSWERS)

    def check(self) -> None:
        """Raise WarehouseError within seconds if the store cannot be used, the clocks differ, or the disk of the mirror is full."""
        ahead = time.time() - self._objects.check()
        if abs(ahead) > _CLOCKS_DIFFER:
            raise WarehouseError(
                f"the clock of this host is {abs(ahead):.0f} seconds {'ahead of' if ahead > 0 else 'behind'} that of the object store: set it "
                "(for example by NTP), since the newest run and what is old enough to be removed are told by it"
            )
        if shutil.disk_usage(self.root).free < _LEAST_FREE:
            raise full(self.root)
        self.fetch(self.root / "models.yaml")

    @contextlib.contextmanager
    def locked(self, lock: Path) -> Iterator[None]:
        """Hold a lock: on this host by the system, and among hosts by the store. What others wrote of a run is fetched before."""
        name = _name(lock)
        with self._folder.locked(lock):
            if name in _OF_THIS_HOST:
                yield
                return
            with self._leases.held(name, self._answers.send):
                self._answers.take()
                if name.startswith(_RUN):
                    self.fetch(self.root / "runs" / name.removeprefix(_RUN))
                try:
                    yield
                finally:
                    self._answers.send()

    @contextlib.contextmanager
    def free(self, lock: Path) -> Iterator[bool]:
        """Yield whether a lock is free on this host and in the store; if so, hold it during the block."""
        with self._folder.free(lock) as is_free:
            if not is_free:
                yield False
                return
            with self._leases.held_if_free(_name(lock)) as is_held:
                yield is_held

    def fetch(self, *places: Path, without: Collection[str] = ()) -> None:
        """Bring to the mirror what changed in the store at and below the places; what someone changed in the mirror alone stays."""
        folders: dict[str, set[str]] = defaultdict(set)
        for place in places:
            if place == self.root / ANSWERS:
                self._answers.exchange()
            elif key := self._key(place):
                folders[key.rpartition("/")[0] or key].add(key)
        for folder, keys in folders.items():
            self._fetch(folder if len(keys) > 1 else min(keys), keys, without)

    def keep(self, content: Path, path: Path) -> bool:
        """Send a file or a folder. What is written once is sent only if no other host was first; else that host's takes its place here."""
        key = self._key(path)
        if key is None:
            return True
        self._leases.refuse_lost()
        if content.is_dir():
            return self._keep_folder(content, key)
        etag = self._objects.put(key, content, is_new=is_written_once(key))
        if etag is None:
            self._bring([key])
            return False
        self._index.put({key: etag})
        return True

    def keep_label(self, label: Path, target: str) -> None:
        """Send where a label leads to."""
        self._leases.refuse_lost()
        key = f"{self._key(label)}{LINK}"
        etag = self._objects.put(key, target.encode())
        assert etag is not None, "a write without a condition"
        self._index.put({key: etag})

    def remove(self, path: Path, found_by: Collection[str]) -> None:
        """Remove the objects of a file or a folder; first those by which others find it."""
        key = self._key(path)
        if key is None:
            return
        first = [f"{key}{WHOLE}", *(f"{key}/{name}" for name in found_by)]
        rest = [entry.key for entry in self._objects.listed(key) if _is_at_or_below(entry.key, {key})]
        locks = [f"{LOCKS}{_RUN}{path.name}"] if path.parent == self.root / "runs" else []
        self._objects.delete([one for one in first if one in rest])
        self._objects.delete([*rest, *locks])
        self._index.drop(rest)

    def sweep(self, folder: Path) -> None:
        """Remove the files of folders in `folder` that never became whole, or were replaced, a day after they were written."""
        key = self._key(folder)
        if key is None or not has_folders(key):
            return
        written: dict[tuple[str, str], list[Entry]] = defaultdict(list)
        whole = set()
        for entry in self._objects.listed(f"{key}/"):
            if part := part_of(entry.key):
                written[part].append(entry)
            elif entry.key.endswith(WHOLE):
                whole.add(entry.key.removesuffix(WHOLE))
        several = [name for name, _ in written]
        doubtful = {part: entries for part, entries in written.items() if part[0] not in whole or several.count(part[0]) > 1}
        now = self._objects.now() if doubtful else 0.0
        for (name, token), entries in doubtful.items():
            if max(entry.modified for entry in entries) < now - _LEFT and token != self._token(name):
                self._objects.delete(entry.key for entry in entries)

    def _fetch(self, prefix: str, wanted: set[str], without: Collection[str]) -> None:
        known = self._index.below(prefix)  # before the listing: what a process of this host keeps meanwhile is not taken for removed
        listed = {entry.key: entry for entry in self._objects.listed(prefix, without)}
        there = {key: entry for key, entry in listed.items() if _is_at_or_below(key, wanted) and part_of(key) is None}
        changed = [key for key, entry in there.items() if known.get(key) != entry.etag or not os.path.lexists(self.root / local_path(key))]
        for first in range(0, len(changed), _NOTED_AT_ONCE):
            self._bring(changed[first : first + _NOTED_AT_ONCE])
        gone = [key for key in known if _is_at_or_below(key, wanted) and key not in there and not set(without) & set(key.split("/"))]
        for key in gone:
            _discard(self.root / local_path(key))
        self._index.drop(gone)

    def _bring(self, keys: Sequence[str]) -> None:
        """Bring files, folders and labels to the mirror, except those that were removed meanwhile."""
        etags = _at_once(self._get, keys)
        self._index.put({key: etag for key, etag in zip(keys, etags, strict=True) if etag is not None})

    def _get(self, key: str) -> str | None:
        path = self.root / local_path(key)
        with roomy(self.root), self._aside() as temporary:
            if key.endswith(WHOLE):
                etag = self._download_folder(key, temporary)
            elif key.endswith(LINK):
                found = self._objects.get(key)
                etag = None if found is None else found.etag
                if found is not None:
                    temporary.symlink_to(found.body.decode())
            else:
                etag = self._objects.download(key, temporary)
            if etag is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                self._put_in_place(temporary, path)
        return etag

    def _download_folder(self, marker: str, temporary: Path) -> str | None:
        """Write the files that a marker lists; None if it is gone. The folder may be replaced meanwhile: then its new files are."""
        for _ in range(_TRIES):
            found = self._objects.get(marker)
            if found is None:
                return None
            described = json.loads(found.body)
            temporary.mkdir()
            source = f"{marker.removesuffix(WHOLE)}/.{described['token']}"
            for name in described["files"]:
                (temporary / name).parent.mkdir(parents=True, exist_ok=True)
            pairs = [(f"{source}/{name}", temporary / name) for name in described["files"]]
            if None not in _at_once(lambda pair: self._objects.download(*pair), pairs):
                return found.etag
            _discard(temporary)
        raise WarehouseError(
            f"{self._objects.address}/{marker.removesuffix(WHOLE)} lacks files that it lists: remove it there, and make or publish it again"
        )

    def _keep_folder(self, content: Path, key: str) -> bool:
        token = uuid.uuid4().hex
        files = sorted(str(path.relative_to(content)) for path in content.rglob("*") if path.is_file())
        _at_once(lambda name: self._objects.put(f"{key}/.{token}/{name}", content / name), files)
        before = None if is_written_once(key) else self._token(key)
        marker = json.dumps({"token": token, "files": files}).encode()
        etag = self._objects.put(f"{key}{WHOLE}", marker, is_new=is_written_once(key))
        if etag is None and self._token(key) != token:  # a write whose answer was lost is repeated, and then refused
            self._objects.delete(f"{key}/.{token}/{name}" for name in files)
            self._bring([f"{key}{WHOLE}"])
            return False
        if before is not None:
            self._objects.delete(entry.key for entry in self._objects.listed(f"{key}/.{before}/"))
        self._index.put({f"{key}{WHOLE}": etag or "unknown"})
        return True

    def _token(self, folder: str) -> str | None:
        """Return the token under which the files of a folder are, if it is whole."""
        found = self._objects.get(f"{folder}{WHOLE}")
        return None if found is None else str(json.loads(found.body)["token"])

    def _key(self, path: Path) -> str | None:
        """Return the key of what the store keeps; None of what stays on this host."""
        if not path.is_relative_to(self.root):
            return None
        inside = PurePosixPath(path.relative_to(self.root))
        return str(inside) if is_kept(inside) else None

    @contextlib.contextmanager
    def _aside(self) -> Iterator[Path]:
        """Yield a temporary path, which is removed if it is still there. It is in no folder whose writers remove what they find of killed ones."""
        temporary = self.root / f".fetch.{uuid.uuid4().hex}.tmp"
        try:
            yield temporary
        finally:
            _discard(temporary)

    def _put_in_place(self, temporary: Path, path: Path) -> None:
        """Let a file, folder or label take the place of another."""
        if path.is_dir() and not path.is_symlink():
            with self._aside() as old:
                path.rename(old)
                temporary.rename(path)
        else:
            temporary.replace(path)


def _name(lock: Path) -> str:
    return lock.name.removeprefix(".").removesuffix(".lock")


def _at_once(work: Callable[[Item], Made], items: Iterable[Item]) -> list[Made]:
    """Return what comes of the items, in their order, of many requests at once."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(work, items))


def _is_at_or_below(key: str, places: Collection[str]) -> bool:
    path = PurePosixPath(local_path(key))
    return any(str(one) in places for one in (path, *path.parents))


def _discard(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
