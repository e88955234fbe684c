"""The desktop of the guest: virtual screen, session bus, window manager and accessibility bus; restarted when one of them ends."""

import os
import select
import subprocess
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from machines.guest.on_linux.processes import Processes, end_group
from machines.guest.platform import Screen

FRAME_BUFFER = Path("/run/screen")
_LIMIT = 100.0  # seconds; each part has to be up within this time, also in a virtual machine without KVM


class DesktopError(RuntimeError):
    """A part of the desktop did not come up; the text names it and quotes its output."""


class Desktop:
    """Starts the parts in order and keeps the environment that applications need."""

    def __init__(self, processes: Processes, screen: Screen, home: Path) -> None:
        self.screen = screen
        self.starts = 0
        self.environment = {
            "HOME": str(home),
            "USER": "agent",
            "LOGNAME": "agent",
            "SHELL": "/bin/bash",
            "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/games",
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "DISPLAY": ":0",
            "XDG_RUNTIME_DIR": "/run/user/1000",
            "XDG_CURRENT_DESKTOP": "openbox",
            "GTK_MODULES": "gail:atk-bridge",
            "NO_AT_BRIDGE": "0",
            "GDK_BACKEND": "x11",
            "GSETTINGS_BACKEND": "keyfile",
            "GTK_OVERLAY_SCROLLING": "0",
            "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
            "QT_QPA_PLATFORM": "xcb",
            "SAL_USE_VCLPLUGIN": "gtk3",
            "LIBGL_ALWAYS_SOFTWARE": "1",
            "PYTHONDONTWRITEBYTECODE": "1",  # whoever tries a script leaves no __pycache__ beside it, which would count as damage
        }
        self._processes = processes
        self._parts: list[subprocess.Popen[bytes]] = []
        self._lock = threading.RLock()

    def start(self) -> None:
        """Start the desktop; end what is left of an earlier one first."""
        with self._lock:
            self.stop()
            FRAME_BUFFER.mkdir(exist_ok=True)
            for left in (Path("/tmp/.X0-lock"), Path("/tmp/.X11-unix/X0")):
                left.unlink(missing_ok=True)
            size = f"{self.screen.width}x{self.screen.height}x24"
            screen = ["Xvfb", ":0", "-screen", "0", size, "-fbdir", str(FRAME_BUFFER), "-nolisten", "tcp", "-noreset", "-displayfd"]
            bus = ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address=1"]
            said = self._begin(bus, "stdout"), self._begin(screen, "displayfd")
            self.environment["DBUS_SESSION_BUS_ADDRESS"] = _first_line(said[0], "dbus-daemon")
            _first_line(said[1], "Xvfb")
            self._begin(["openbox", "--sm-disable"])
            wake_accessibility(self.environment["DBUS_SESSION_BUS_ADDRESS"])
            _wait_for_window_manager()
            self.starts += 1

    def stop(self) -> None:
        """End every part."""
        for part in self._parts:
            end_group(part)
        self._parts.clear()

    def watch(self) -> None:
        """Restart the desktop whenever a part of it ends: an agent may kill all its own processes and work on."""
        threading.Thread(target=self._watch, name="desktop", daemon=True).start()

    def _watch(self) -> None:
        while True:
            with self._lock:
                gone = [part for part in self._parts if part.poll() is not None]
                if gone:
                    self.start()
            time.sleep(0.1)

    def _begin(self, command: Sequence[str], says: str | None = None) -> int:
        """Start a part; with `says`, return a file descriptor that gives the part's own report."""
        reader, writer = os.pipe()
        by_number = says == "displayfd"
        self._parts.append(
            self._processes.start(
                [*command, str(writer)] if by_number else command,
                self.environment,
                niceness=0,
                stdout=writer if says == "stdout" else subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(writer,) if by_number else (),
                cwd=self.environment["HOME"],
            )
        )
        os.close(writer)
        if says is None:
            os.close(reader)
        return reader


def wake_accessibility(session_bus: str) -> str:
    """Return the address of the accessibility bus. The session bus starts it on request; starting it by hand could make a second one."""
    from jeepney import DBusAddress, new_method_call
    from jeepney.io.blocking import open_dbus_connection

    with open_dbus_connection(session_bus) as session:
        ask = new_method_call(DBusAddress("/org/a11y/bus", "org.a11y.Bus", "org.a11y.Bus"), "GetAddress")
        return str(session.send_and_get_reply(ask, timeout=_LIMIT).body[0])


def _wait_for_window_manager() -> None:
    """Wait until openbox handles requests: its sign appears long before, and a window that opens in between may never be shown.

    It is asked repeatedly: a request that it missed while starting is handled together with the next one.
    """
    from Xlib import X, Xatom, display
    from Xlib.protocol.event import ClientMessage

    screen = display.Display(":0")
    root = screen.screen().root
    sign, desktops = screen.intern_atom("_NET_SUPPORTING_WM_CHECK"), screen.intern_atom("_NET_NUMBER_OF_DESKTOPS")
    one_desktop = ClientMessage(window=root, client_type=desktops, data=(32, [1, 0, 0, 0, 0]))
    until = time.monotonic() + _LIMIT
    while (found := root.get_full_property(desktops, Xatom.CARDINAL)) is None or found.value[0] != 1:
        if time.monotonic() > until:
            raise DesktopError(f"openbox did not come up within {_LIMIT:.0f} s")
        if root.get_full_property(sign, Xatom.WINDOW) is not None:
            root.send_event(one_desktop, event_mask=X.SubstructureRedirectMask | X.SubstructureNotifyMask)
        time.sleep(0.01)
    screen.close()


def _first_line(reader: int, name: str) -> str:
    """Return the first line of a part's report; Xvfb writes the number and the newline separately, so read up to the newline."""
    said, until = b"", time.monotonic() + _LIMIT
    with os.fdopen(reader, "rb", buffering=0) as stream:
        while not said.endswith(b"\n"):
            ready, _, _ = select.select([stream], [], [], max(0.0, until - time.monotonic()))
            more = stream.read(4096) if ready else b""
            if not more:
                raise DesktopError(f"{name} did not come up within {_LIMIT:.0f} s; its output was {said!r}")
            said += more
    return said.decode().strip()
