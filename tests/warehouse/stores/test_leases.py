"""Protects that one host at a time holds a lock of the store, whatever its clock says, and that a holder that lost it writes nothing more."""

import contextlib
import threading
import time
from dataclasses import replace

import pytest

from warehouse.errors import WarehouseError
from warehouse.stores.leases import Leases
from warehouse.stores.objects import Found, Objects


def nothing() -> None:
    """What is done meanwhile."""


def test_hosts_take_turns_and_say_that_they_wait(objects: Objects, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr("warehouse.stores.leases._ASKED_EVERY", 0.02)
    inside: list[str] = []
    most: list[int] = []

    def work(owner: str) -> None:
        with Leases(objects, owner).held("build", nothing):
            inside.append(owner)
            most.append(len(inside))
            time.sleep(0.05)
            inside.remove(owner)

    threads = [threading.Thread(target=work, args=(str(number),)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1, 1, 1, 1] and "another host works on 'build': waiting" in caplog.text


def test_other_names_and_a_released_lock_are_free(objects: Objects) -> None:
    with Leases(objects, "a").held("build", nothing):
        with Leases(objects, "b").held_if_free("build") as is_free:
            assert not is_free
        with Leases(objects, "b").held_if_free("run-1") as is_free:
            assert is_free
    with Leases(objects, "b").held_if_free("build") as is_free:
        assert is_free


def killed(objects: Objects, owner: str) -> None:
    """Take the lock as a process that is killed in the next moment."""
    assert Leases(objects, owner)._taken("build") is not None


def test_the_lock_of_a_killed_process_is_its_own_hosts_at_once_and_others_after_a_time(objects: Objects) -> None:
    killed(objects, "a")
    with Leases(objects, "b", seconds=60).held_if_free("build") as is_free:
        assert not is_free
    with Leases(objects, "a", seconds=60).held_if_free("build") as is_free:
        assert is_free
    killed(objects, "a")
    with Leases(objects, "b", seconds=1).held("build", nothing):
        pass


def test_a_holder_that_goes_on_keeps_its_lock_and_works_meanwhile(objects: Objects) -> None:
    calls: list[int] = []

    def fails() -> None:
        calls.append(1)
        raise OSError("whatever it is")

    with Leases(objects, "a", seconds=3).held("build", fails):
        deadline = time.monotonic() + 30
        while len(calls) < 8 and time.monotonic() < deadline:  # 4 seconds, longer than a lock that no one writes
            time.sleep(0.05)
        with Leases(objects, "b", seconds=3).held_if_free("build") as is_free:
            assert not is_free
    assert len(calls) >= 8


def test_only_the_stores_clock_counts(objects: Objects, monkeypatch: pytest.MonkeyPatch) -> None:
    killed(objects, "a")
    get = objects.get

    def by_a_clock_a_day_behind(key: str) -> Found | None:
        found = get(key)
        return found and replace(found, modified=found.modified - 86400, now=found.now - 86400)

    monkeypatch.setattr(objects, "get", by_a_clock_a_day_behind)
    with Leases(objects, "b").held_if_free("build") as is_free:
        assert not is_free


def test_who_lost_a_lock_writes_nothing_more_until_the_end_of_its_work(objects: Objects) -> None:
    leases = Leases(objects, "a", seconds=0.6)
    with leases.held("build", nothing):
        leases.refuse_lost()
        objects.delete(["locks/build"])
        killed(objects, "b")  # another host took it
        deadline = time.monotonic() + 30
        while not leases._lost and time.monotonic() < deadline:
            time.sleep(0.02)
        with pytest.raises(WarehouseError, match="build was lost.*run the same command again"):
            leases.refuse_lost()
    leases.refuse_lost()
    found = objects.get("locks/build")
    assert found is not None and b'"owner": "b"' in found.body, "the lock of the other host was released"


@pytest.mark.parametrize("is_taken", [True, False])
def test_who_slept_too_long_asks_for_its_lock_before_it_writes(objects: Objects, is_taken: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process is stopped, and goes on with a write: its next beat is still to come."""
    now = time.monotonic()
    monkeypatch.setattr("warehouse.stores.leases._now", lambda: now)
    leases = Leases(objects, "a", seconds=60)
    with leases.held("build", nothing):
        if is_taken:
            objects.delete(["locks/build"])
            killed(objects, "b")
        now += 61
        with pytest.raises(WarehouseError, match="build was lost") if is_taken else contextlib.nullcontext():
            leases.refuse_lost()
        assert not is_taken or leases._lost, "and it stays lost"


def test_a_write_whose_answer_was_lost_counts(objects: Objects, monkeypatch: pytest.MonkeyPatch) -> None:
    put = objects.put

    def repeated(key: str, content: bytes, **condition: object) -> str | None:
        put(key, content, **condition)  # type: ignore[arg-type]
        return put(key, content, **condition)  # type: ignore[arg-type]

    monkeypatch.setattr(objects, "put", repeated)
    with Leases(objects, "a").held_if_free("build") as is_free:
        assert is_free


def test_a_store_that_ignores_conditions_is_refused(objects: Objects, monkeypatch: pytest.MonkeyPatch) -> None:
    put = objects.put
    monkeypatch.setattr(objects, "put", lambda key, content, **condition: put(key, content))
    with pytest.raises(WarehouseError, match="ignores conditional writes"), Leases(objects, "a").held("build", nothing):
        pass
