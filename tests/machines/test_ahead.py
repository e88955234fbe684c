"""Protects machines that are started ahead: each is used once, a fresh one is ready, and none is left over."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from machines.ahead import Ahead, Pool
from machines.errors import MachineError, MachineNeeds
from machines.image import Image
from machines.machine import Machine, MachineChoice
from tests.conftest import workers_and_machines
from tests.machines.remote.test_declaration import SOUND, declared


class Counted:
    """A machine that counts itself; it fails to start if its number is to."""

    made: list["Counted"]
    failing: frozenset[int] = frozenset()
    exists_once = False

    def __init__(self) -> None:
        self.made.append(self)
        self.number = len(self.made)
        self.life: list[str] = []

    def start(self) -> None:
        if self.number in self.failing:
            raise MachineError(f"machine {self.number} did not start")
        self.life.append("start")

    def stop(self) -> None:
        self.life.append("stop")

    @property
    def client(self) -> Any:
        return self.number


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> Iterator[Pool]:
    monkeypatch.setattr(Counted, "made", [], raising=False)
    made = Pool(lambda: cast("Machine", Counted()), 2)
    yield made
    made.close()


def ahead(pool: Pool) -> Ahead:
    return Ahead(pool, cast("Machine", Counted()))


def test_each_machine_is_used_once_and_the_pool_stays_full(pool: Pool) -> None:
    machine = ahead(pool)
    machine.start()
    used = [machine.client]
    for _ in range(3):
        machine.reset()
        used.append(machine.client)
    machine.stop()
    pool._starter.shutdown()  # waits for those that are coming
    assert len(set(used)) == 4, "a machine came back that was used before"
    assert len(Counted.made) == 1 + 4 + 2, "the one that only tells what is offered, those that were used, and those that are ready"


def test_every_machine_that_was_started_is_ended(pool: Pool) -> None:
    with ahead(pool) as machine:
        machine.reset()
    pool.close()
    pool._ender.shutdown()
    assert all(one.life in ([], ["start", "stop"]) for one in Counted.made), [one.life for one in Counted.made]
    assert sum(one.life != [] for one in Counted.made) >= 3


def test_a_machine_that_does_not_start_is_told_once_and_the_next_is_fine(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Counted, "failing", frozenset({2}))
    machine = ahead(pool)
    with pytest.raises(MachineError, match="machine 2 did not start"):
        machine.start()
    machine.start()
    assert cast("Any", machine.client) == 3


def test_two_machines_of_one_pool_are_different(pool: Pool) -> None:
    one, other = ahead(pool), ahead(pool)
    one.start()
    other.start()
    assert one.client != other.client


def test_a_real_machine_is_fresh_after_a_reset_and_its_identity_is_the_same(image: Image) -> None:
    before = workers_and_machines()
    usual = MachineChoice("sandbox", image.name, image.machines)
    choice = MachineChoice("sandbox", image.name, image.machines, {"ahead": "1"})
    assert choice.identity == usual.identity and choice.offers == usual.offers, "a run may be continued with machines that start ahead"
    machine = choice.make()
    assert isinstance(machine, Ahead)
    with machine:
        machine.client.upload("/home/agent/left.txt", b"left")
        machine.reset()
        assert machine.client.file("/home/agent/left.txt") is None
        assert len(workers_and_machines() - before) >= 1
    machine._pool.close()
    machine._pool._ender.shutdown()
    assert workers_and_machines() - before == set()


def test_a_machine_that_exists_once_cannot_be_started_ahead(tmp_path: Path) -> None:
    file = declared(tmp_path, SOUND)
    with pytest.raises(MachineNeeds, match="a machine of kind 'remote' exists once, so that none can be started ahead: leave the option 'ahead' out"):
        MachineChoice("remote", "", tmp_path, {"file": str(file), "ahead": "1"}).make()
