"""Locks in an object store: an object that its holder writes again and again. Only the store's clock counts, so hosts' clocks may differ.

A lock is taken by a conditional write: of a new object, or in the place of one that was released, or that no one wrote for `seconds`. A holder that
could not write its lock for so long has lost it, and writes nothing more; one that slept so long asks for it before it writes.
"""

import contextlib
import json
import logging
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from warehouse.errors import WarehouseError
from warehouse.stores.keys import LOCKS
from warehouse.stores.objects import Objects

SECONDS = 60.0  # after which a lock that is not written is free
_ASKED_EVERY = 1.0  # seconds, while another host holds the lock
_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)  # goes on while the host sleeps, where the system has such a clock
_LOG = logging.getLogger("deskmill")


@dataclass
class _Lease:
    """A lock that is held: its object and what that was last, and when its last write began, by this host's clock."""

    key: str
    token: str
    etag: str
    written: float
    beats: int = 0
    turn: threading.Lock = field(default_factory=threading.Lock)


class Leases:
    """The locks that this process holds in the store. `owner` is its mirror, in which one process at a time holds a lock."""

    def __init__(self, objects: Objects, owner: str, seconds: float = SECONDS) -> None:
        self._objects = objects
        self._owner = owner
        self._seconds = seconds
        self._held: dict[str, _Lease] = {}
        self._lost: set[str] = set()

    @contextlib.contextmanager
    def held(self, name: str, meanwhile: Callable[[], None]) -> Iterator[None]:
        """Hold a lock, which is waited for; `meanwhile` is called now and then, and may fail."""
        lease = self._taken(name)
        is_told = False
        while lease is None:
            if not is_told:
                _LOG.warning("another host works on '%s': waiting until it has ended", name)
                is_told = True
            time.sleep(_ASKED_EVERY)
            lease = self._taken(name)
        with self._beating(lease, meanwhile):
            yield

    @contextlib.contextmanager
    def held_if_free(self, name: str) -> Iterator[bool]:
        """Yield whether a lock is free; if so, hold it during the block."""
        lease = self._taken(name)
        if lease is None:
            yield False
            return
        with self._beating(lease, lambda: None):
            yield True

    def refuse_lost(self) -> None:
        """Raise WarehouseError if this process has lost a lock: another may have gone on with its work.

        A process that was stopped, or whose host slept, may be here before its next beat finds that out: so the lock is asked for now.
        """
        for lease in list(self._held.values()):
            if self._is_overdue(lease):
                try:
                    self._renew(lease)
                except WarehouseError:
                    self._lost.add(lease.key)
        if self._lost:
            raise WarehouseError(
                f"{' and '.join(sorted(self._lost))} was lost, because the object store could not be reached for {self._seconds:g} seconds; "
                "nothing more was written: run the same command again, and it goes on"
            )

    def _taken(self, name: str) -> _Lease | None:
        """Return the lock if it could be had at once."""
        key = f"{LOCKS}{name}"
        lease = _Lease(key, uuid.uuid4().hex, "", _now())
        found = self._objects.get(key)
        if found is None:
            etag = self._objects.put(key, self._body(lease), is_new=True)
        else:
            holder = json.loads(found.body)["owner"]
            is_free = holder in (None, self._owner) or found.now - found.modified > self._seconds
            etag = self._objects.put(key, self._body(lease), only_if=found.etag) if is_free else None
        if etag is None and (etag := self._written(lease)) is None:
            return None
        lease.etag = etag
        if self._objects.put(key, self._body(lease), is_new=True) is not None:
            raise WarehouseError(
                f"{self._objects.address} ignores conditional writes (If-None-Match), by which hosts take turns: use an object store that heeds them"
            )
        return lease

    def _written(self, lease: _Lease) -> str | None:
        """Return what identifies the lock's content if it is ours after all: a write whose answer was lost is repeated, and then refused."""
        found = self._objects.get(lease.key)
        return found.etag if found is not None and json.loads(found.body)["token"] == lease.token else None

    def _body(self, lease: _Lease, is_released: bool = False) -> bytes:
        return json.dumps({"owner": None if is_released else self._owner, "token": lease.token, "beat": lease.beats}).encode()

    @contextlib.contextmanager
    def _beating(self, lease: _Lease, meanwhile: Callable[[], None]) -> Iterator[None]:
        ended = threading.Event()
        self._held[lease.key] = lease
        beating = threading.Thread(target=self._beat, args=(lease, meanwhile, ended), name=lease.key, daemon=True)
        beating.start()
        try:
            yield
        finally:
            ended.set()
            beating.join()
            del self._held[lease.key]
            if lease.key not in self._lost:
                with contextlib.suppress(WarehouseError):  # it becomes free by itself
                    self._objects.put(lease.key, self._body(lease, is_released=True), only_if=lease.etag)
            self._lost.discard(lease.key)

    def _beat(self, lease: _Lease, meanwhile: Callable[[], None], ended: threading.Event) -> None:
        while not ended.wait(self._seconds / 6):
            try:
                self._renew(lease)
            except WarehouseError:  # the store may be back before the lock is lost
                if self._is_overdue(lease):
                    self._lost.add(lease.key)
                    return
                continue
            if lease.key in self._lost:
                return
            with contextlib.suppress(Exception):  # it is done again at the end of the block, and then an error counts
                meanwhile()

    def _renew(self, lease: _Lease) -> None:
        """Write a lock again, and note it if it was lost; WarehouseError if the store cannot be reached."""
        with lease.turn:
            began = _now()
            lease.beats += 1
            etag = self._objects.put(lease.key, self._body(lease), only_if=lease.etag) or self._written(lease)
            if etag is None:
                self._lost.add(lease.key)
            else:
                lease.etag, lease.written = etag, began

    def _is_overdue(self, lease: _Lease) -> bool:
        """Tell whether a lock was not written for so long that another host may have it."""
        return _now() - lease.written > self._seconds


def _now() -> float:
    return time.clock_gettime(_CLOCK)
