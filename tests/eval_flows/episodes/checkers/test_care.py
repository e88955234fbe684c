"""Protects who reads files of an agent: reading ends in time, in the main thread and in the threads of a server alike."""

import sys
import threading
import time
from collections.abc import Callable

import pytest

from eval_flows.episodes.checkers.care import within


def in_main_thread(read: Callable[[], None]) -> None:
    read()


def in_another_thread(read: Callable[[], None]) -> None:
    thread = threading.Thread(target=read)
    thread.start()
    thread.join(60)
    assert not thread.is_alive(), "the reading goes on"


@pytest.mark.parametrize("run", [in_main_thread, in_another_thread])
def test_reading_that_never_ends_is_ended(run: Callable[[Callable[[], None]], None]) -> None:
    ended: list[str] = []

    def read() -> None:
        with pytest.raises(TimeoutError), within(0.1):
            while True:
                try:
                    while True:
                        pass
                except TimeoutError:  # a library that swallows the first one
                    if ended:
                        raise
                    ended.append("swallowed")

    run(read)
    assert ended == ["swallowed"]


@pytest.mark.parametrize("run", [in_main_thread, in_another_thread])
def test_what_ends_in_time_is_never_interrupted_later(run: Callable[[Callable[[], None]], None]) -> None:
    read: list[int] = []

    def often() -> None:
        for number in range(40):
            try:
                with within(0.001):  # about as long as the block takes: some are interrupted, some just not
                    sum(range(number * 2000))
            except TimeoutError:
                pass
            time.sleep(0.002)  # here nothing may arrive
            read.append(number)

    run(often)
    assert len(read) == 40 and sys.exc_info() == (None, None, None)
