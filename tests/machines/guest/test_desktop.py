"""Protects the desktop of the guest where there is no room for another process: nothing stays open, and what could not start is asked for again."""

import sys
from pathlib import Path
from typing import Any, cast

import pytest
from jeepney import Message, new_error, new_method_return
from jeepney.io import blocking

from machines.guest.on_linux.desktop import Desktop, wake_accessibility
from machines.guest.on_linux.processes import Limits, Processes
from machines.guest.platform import Screen

OPEN = Path("/proc/self/fd")


class NoRoom:
    def start(self, *given: Any, **named: Any) -> None:
        raise BlockingIOError("no room for another process")


def test_a_part_that_cannot_start_leaves_no_pipe_open(tmp_path: Path) -> None:
    desktop = Desktop(cast("Processes", NoRoom()), Screen(800, 600), tmp_path)
    before = set(OPEN.iterdir())
    for says in ("stdout", "displayfd", None):
        with pytest.raises(BlockingIOError):
            desktop._begin(["part"], says)
    assert set(OPEN.iterdir()) == before


def test_a_part_reports_on_the_pipe_that_it_is_given(tmp_path: Path) -> None:
    desktop = Desktop(Processes(Limits(10_000, 8000)), Screen(800, 600), tmp_path)
    with desktop._begin([sys.executable, "-c", "print('here')"], "stdout") as report:
        assert report.readall() == b"here\n"
    desktop._parts[0].wait()


class SessionBus:
    """Has no room for the launcher of the accessibility bus the first two times."""

    def __init__(self) -> None:
        self.asked = 0

    def __enter__(self) -> "SessionBus":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def send_and_get_reply(self, message: Message, timeout: float) -> Message:
        self.asked += 1
        message.header.serial = self.asked
        if self.asked <= 2:
            return new_error(message, "org.freedesktop.DBus.Error.Spawn.ForkFailed", "s", ("Failed to fork: Resource temporarily unavailable",))
        return new_method_return(message, "s", ("unix:path=/run/a11y",))


def test_the_accessibility_bus_is_asked_for_until_there_is_room_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    bus = SessionBus()
    monkeypatch.setattr(blocking, "open_dbus_connection", lambda _: bus)
    assert wake_accessibility("unix:path=/run/session") == "unix:path=/run/a11y"
    assert bus.asked == 3
