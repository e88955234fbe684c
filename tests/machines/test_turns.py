"""Protects the turns of a host: no more have one at once than there are, whichever process they are in, and a killed one gives its turn back."""

import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

from machines.turns import turn
from tests.conftest import REPOSITORY


@pytest.fixture(autouse=True)
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two turns that no other test takes."""
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
    monkeypatch.setattr(os, "cpu_count", lambda: 1)


def test_no_more_have_a_turn_than_there_are_and_everybody_gets_one() -> None:
    at_once: set[int] = set()
    most: list[int] = []

    def take(number: int) -> None:
        with turn():
            at_once.add(number)
            most.append(len(at_once))
            time.sleep(0.05)
            at_once.discard(number)

    threads = [threading.Thread(target=take, args=(number,)) for number in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(60)
    assert len(most) == 8 and max(most) == 2


def test_a_turn_is_given_back_by_who_fails_and_by_who_is_killed(tmp_path: Path) -> None:
    for _ in range(3):
        with pytest.raises(ZeroDivisionError), turn():
            1 / 0  # noqa: B018
    script = "import sys, time; from machines.turns import turn\nwith turn(), turn(): print('both', flush=True); time.sleep(600)"
    environment = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": str(REPOSITORY)}
    other = subprocess.Popen([sys.executable, "-c", script], env=environment, stdout=subprocess.PIPE, cwd=REPOSITORY)
    assert other.stdout is not None and other.stdout.readline() == b"both\n"
    got = threading.Event()

    def take() -> None:
        with turn():
            got.set()

    waiting = threading.Thread(target=take)
    waiting.start()
    assert not got.wait(0.3)
    other.kill()
    other.wait()
    assert got.wait(60)
    waiting.join()
