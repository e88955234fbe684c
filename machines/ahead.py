"""Machines that are started ahead of need: while one is at work, others come up, so that whoever wants a fresh one waits for no start."""

import socket
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from machines.machine import Client, Json, Machine, Offers


class Pool:
    """Keeps a number of machines started. Each is given away once: a machine that was used is ended, and never comes back."""

    def __init__(self, make: Callable[[], Machine], size: int) -> None:
        """Take what makes a machine that is not started, and how many to keep ready; none is started yet."""
        self._make = make
        self._size = size
        self._coming: deque[Future[Machine]] = deque()
        self._starter = ThreadPoolExecutor(1, thread_name_prefix="ahead")
        self._ender = ThreadPoolExecutor(1, thread_name_prefix="ending")
        self._lock = threading.Lock()

    def fill(self) -> None:
        """Begin to start the machines that are missing, one after another, and do not wait for them."""
        with self._lock:
            self._fill()

    def take(self) -> Machine:
        """Return a started machine, and begin to start another; `MachineError` if it did not start."""
        with self._lock:  # in one piece: another thread that takes one would leave none between the two
            self._fill()
            first = self._coming.popleft()
            self._fill()
        return first.result()

    def end(self, machine: Machine) -> None:
        """Begin to end a machine that was used, and do not wait for it."""
        self._ender.submit(machine.stop)

    def close(self) -> None:
        """End the machines that nobody took."""
        with self._lock:
            coming, self._coming = self._coming, deque()
        for one in coming:
            if not one.cancel() and one.exception() is None:
                one.result().stop()

    def _fill(self) -> None:
        while len(self._coming) < self._size:
            self._coming.append(self._starter.submit(self._started))

    def _started(self) -> Machine:
        machine = self._make()
        machine.start()
        return machine


class Ahead(Machine):
    """A machine whose start and reset take one that is ready in a pool."""

    def __init__(self, pool: Pool, like: Machine) -> None:
        """Take the pool, and a machine of the same choice, which is never started: it tells what machines of the pool offer."""
        self._pool = pool
        self._like = like
        self._now: Machine | None = None

    def check(self) -> None:
        """Raise `MachineNeeds` with everything that keeps such a machine from starting here."""
        self._like.check()

    def start(self) -> None:
        """Take a machine of the pool; `MachineError` if it did not start."""
        self._now = self._pool.take()

    def reset(self) -> None:
        """Replace the machine by a fresh one of the pool; the old one ends meanwhile."""
        used = self._now
        self.start()
        if used is not None:
            self._pool.end(used)

    def stop(self) -> None:
        """End the machine with everything that runs in it."""
        if self._now is not None:
            self._now.stop()
            self._now = None

    def live_screen(self) -> socket.socket:
        """Return a connection to its screen, as the machine that is at work does."""
        return (self._now or self._like).live_screen()

    @property
    def client(self) -> Client:
        """Return the client of its guest server; `MachineError` if it does not run."""
        return (self._now or self._like).client

    @property
    def offers(self) -> Offers:
        """Return what it offers."""
        return self._like.offers

    @property
    def identity(self) -> Json:
        """Return the identity of such a machine: that it was started ahead changes nothing of it."""
        return self._like.identity
