"""The main thread of a process: only there do signals arrive, so what signals have to end runs there, whichever thread it is for."""

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, NoReturn, TypeVar

T = TypeVar("T")
_asked: "queue.SimpleQueue[tuple[Callable[[], Any], Future[Any]]]" = queue.SimpleQueue()
_serves = threading.Event()


def in_main_thread(work: Callable[[], T]) -> T:
    """Return what `work` gives, or raise what it raises. It waits for its turn in the main thread, if that serves; else it runs at once, here."""
    if threading.current_thread() is threading.main_thread() or not _serves.is_set():
        return work()
    done: Future[T] = Future()
    _asked.put((work, done))
    return done.result()


def serve(begin: Callable[[], object]) -> NoReturn:
    """Call `begin`, which starts other threads, and carry out what they ask for, one after another, until the process ends.

    It is called in the main thread. No thread may ask before: it would do its work itself, where no signal ends it.
    """
    _serves.set()
    begin()
    while True:
        work, done = _asked.get()
        try:
            done.set_result(work())
        except BaseException as error:  # it belongs to the thread that asked
            done.set_exception(error)
        del work, done  # what they hold is not kept until somebody asks again
