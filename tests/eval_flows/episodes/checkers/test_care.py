"""Protects who reads files of an agent: reading ends in time, and nothing interrupts what comes after it or what others do."""

import contextlib
import sys
import threading
import time

import pytest

from eval_flows.episodes.checkers.care import within


def test_reading_that_never_ends_is_ended() -> None:
    ended: list[str] = []
    with pytest.raises(TimeoutError), within(0.1):
        while True:
            try:
                while True:
                    pass
            except TimeoutError:  # a library that swallows the first one
                if ended:
                    raise
                ended.append("swallowed")
    assert ended == ["swallowed"]


def test_what_ends_in_time_is_never_interrupted_later() -> None:
    read: list[int] = []
    for number in range(40):
        with contextlib.suppress(TimeoutError), within(0.001):  # about as long as the block takes: some are interrupted, some just not
            sum(range(number * 2000))
        time.sleep(0.002)  # here nothing may arrive
        read.append(number)
    assert len(read) == 40 and sys.exc_info() == (None, None, None)


def test_a_busy_host_takes_no_time_from_reading() -> None:
    """Sixteen sessions read at once, a file took 20 seconds for half a second of work, and counted as unreadable."""
    read: list[bool] = []
    with within(0.1):
        time.sleep(0.3)  # others have the processor
        read.append(True)
    assert read == [True]


def test_no_error_is_sent_to_another_thread() -> None:
    """An error that one thread sends to another can arrive late, and in a thread that came after it."""
    ended: list[bool] = []

    def read() -> None:
        with within(0.001):
            time.sleep(0.05)
        ended.append(True)

    thread = threading.Thread(target=read)
    thread.start()
    thread.join(60)
    assert ended == [True]
