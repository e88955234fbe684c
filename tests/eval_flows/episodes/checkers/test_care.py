"""Protects who reads files of an agent: reading ends in time, and nothing interrupts what comes after it or what others do."""

import contextlib
import sys
import threading
import time
import zlib

import pytest

from eval_flows.episodes.checkers.care import within


def swallowing(ended: list[str]) -> None:
    """What never ends, in a library that swallows the first interruption."""
    while True:
        try:
            while True:
                pass
        except TimeoutError:
            if ended:
                raise
            ended.append("swallowed")


def slept(seconds: float) -> str:
    time.sleep(seconds)
    return "read"


def test_reading_that_never_ends_is_ended() -> None:
    ended: list[str] = []
    with pytest.raises(TimeoutError):
        within(0.1, lambda: swallowing(ended))
    assert ended == ["swallowed"]


def test_what_ends_in_time_is_never_interrupted_later() -> None:
    read: list[int] = []
    for number in range(40):
        with contextlib.suppress(TimeoutError):  # the limit is about as long as it takes: some are interrupted, some just not
            within(0.001, lambda number=number: sum(range(number * 2000)))  # type: ignore[misc]
        time.sleep(0.002)  # here nothing may arrive
        read.append(number)
    assert len(read) == 40 and sys.exc_info() == (None, None, None)


def test_a_busy_host_takes_no_time_from_reading() -> None:
    """Sixteen sessions read at once, a file took 20 seconds for half a second of work, and counted as unreadable."""
    assert within(0.1, lambda: slept(0.3)) == "read", "others have the processor"


def test_other_threads_take_no_time_from_reading() -> None:
    """Jobs of one process are threads: what all of them take together is more than what one of them takes."""
    is_over = threading.Event()

    def busy() -> None:
        while not is_over.is_set():
            zlib.compress(bytes(2**20))

    others = [threading.Thread(target=busy) for _ in range(2)]
    for one in others:
        one.start()
    try:
        assert within(0.2, lambda: slept(1.5)) == "read"
    finally:
        is_over.set()
        for one in others:
            one.join()


def test_no_error_is_sent_to_another_thread() -> None:
    """An error that one thread sends to another can arrive late, and in a thread that came after it."""
    ended: list[bool] = []

    def read() -> None:
        within(0.001, lambda: time.sleep(0.05))
        ended.append(True)

    thread = threading.Thread(target=read)
    thread.start()
    thread.join(60)
    assert ended == [True]
