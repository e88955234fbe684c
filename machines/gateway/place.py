"""A place for one machine: its ports stay the same, while its machine is started, reset and stopped."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from machines.errors import MachineError
from machines.gateway.commands import Commands, install
from machines.gateway.recording import Recording
from machines.machine import Client, Machine, Offers


class NotStarted(MachineError):
    """There is no machine at a place."""


@dataclass(frozen=True)
class Ports:
    """Ports of this host: of the server, and those that lead to the debugging port of Chrome and the web interface of VLC on the machine."""

    server: int
    chromium: int
    vlc: int


class Place:
    """A place. `used` is when the machine was last asked for anything, by `time.monotonic`; pictures for a recording are not asked for by anybody."""

    def __init__(self, name: str, machine: Machine, ports: Ports) -> None:
        """Take a machine that is not started."""
        self.name = name
        self.ports = ports
        self.used = time.monotonic()
        self._machine = machine
        self._is_started = False
        self._recording: Recording | None = None
        self._turn = threading.RLock()

    @property
    def offers(self) -> Offers:
        """Return what the machine offers."""
        return self._machine.offers

    @property
    def is_started(self) -> bool:
        """Tell whether there is a machine."""
        return self._is_started

    @property
    def client(self) -> Client:
        """Return the client of the machine; `NotStarted` if there is none."""
        self.used = time.monotonic()
        if not self._is_started:
            raise NotStarted(f"machine {self.name} is not started: ask for it with POST /machines")
        return self._machine.client

    @property
    def commands(self) -> Commands:
        """Return what runs commands on the machine."""
        return Commands(self.client, self.offers.home)

    def start(self) -> None:
        """Start the machine."""
        self._begin(self._machine.start)

    def reset(self) -> None:
        """Bring the machine back to its snapshot, or start it if it is not started. Its recording ends, and nobody gets the film."""
        self._begin(self._machine.reset if self._is_started else self._machine.start)

    def stop(self) -> None:
        """Stop the machine, and end its recording."""
        with self._turn:
            self._is_started = False
            self._machine.stop()
            self._end_recording()

    def record(self) -> bool:
        """Begin to record the screen; tell whether that was not done already."""
        with self._turn:
            if self._recording is not None:
                return False
            self._recording = Recording(lambda: _screenshot(self._machine.client))
            return True

    def recorded(self) -> bytes | None:
        """End the recording and return the film; None if nothing is recorded."""
        with self._turn:
            recording, self._recording = self._recording, None
        return None if recording is None else recording.end()

    @property
    def screenshot(self) -> bytes:
        """Return the screen as PNG."""
        return _screenshot(self.client)

    def _begin(self, begin: Callable[[], None]) -> None:
        with self._turn:
            self.used = time.monotonic()
            self._is_started = False
            self._end_recording()  # a film is of one machine: it never begins with what another user did
            try:
                begin()
                install(self._machine.client)
            except BaseException:
                self._machine.stop()
                raise
            self._is_started = True

    def _end_recording(self) -> None:
        if self._recording is not None:
            self._recording.abandon()
            self._recording = None


def _screenshot(client: Client) -> bytes:
    found = client.observe(["screenshot"]).screenshot
    if found is None:
        raise MachineError("the machine gave no picture of its screen")
    return found
