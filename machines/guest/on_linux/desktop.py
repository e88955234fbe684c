"""The desktop of the guest: virtual screen, session bus, window manager and accessibility bus; restarted when one of them ends."""

import contextlib
import os
import select
import subprocess
import threading
import time
from collections.abc import Sequence
from io import FileIO
from pathlib import Path

from machines.guest.on_linux.processes import Processes, end_group
from machines.guest.platform import Screen

FRAME_BUFFER = Path("/run/screen")
_SCREEN = ["Xvfb", ":0", "-nolisten", "tcp", "-noreset", "-r"]  # -r: no key repeats; on a busy host its release comes late, and it would write more
_BUS = "unix:path=/run/user/1000/bus"  # where a session of Linux has it, so that scripts that write it out find it
_ASK_EVERY = 0.1
_LIMIT = 100.0  # seconds; each part has to be up within this time, also in a virtual machine without KVM


class DesktopError(RuntimeError):
    """A part of the desktop did not come up; the text names it and quotes its output."""


class Desktop:
    """Starts the parts in order and keeps the environment that applications need."""

    def __init__(self, processes: Processes, screen: Screen, home: Path, opengl: bool = True) -> None:
        """Take the screen, the home folder, and whether programs can draw by OpenGL: the X server takes 30 MB more for that."""
        self.screen = screen
        self._opengl = opengl
        self.starts = 0
        self.environment = {
            "HOME": str(home),
            "USER": home.name,
            "LOGNAME": home.name,
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
            "GDK_GL": "disable",  # no program here draws by the OpenGL of GDK, and loading it takes 30 MB of each
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
        self._has_started = False
        self._lock = threading.RLock()

    def start(self) -> None:
        """Start the desktop; end what is left of an earlier one first."""
        with self._lock:
            self._has_started = False
            self.stop()
            FRAME_BUFFER.mkdir(exist_ok=True)
            for left in (Path("/tmp/.X0-lock"), Path("/tmp/.X11-unix/X0")):
                left.unlink(missing_ok=True)
            size = f"{self.screen.width}x{self.screen.height}x24"
            opengl = "+extension" if self._opengl else "-extension"
            screen = [*_SCREEN, "-screen", "0", size, "-fbdir", str(FRAME_BUFFER), opengl, "GLX", "-displayfd"]
            bus = ["dbus-daemon", "--session", f"--address={_BUS}", "--nofork", "--nopidfile", "--print-address=1"]
            with self._begin(bus, "stdout") as of_bus, self._begin(screen, "displayfd") as of_screen:
                self.environment["DBUS_SESSION_BUS_ADDRESS"] = _first_line(of_bus, "dbus-daemon")
                _first_line(of_screen, "Xvfb")
            self._begin(["openbox", "--sm-disable"]).close()
            wake_accessibility(self.environment["DBUS_SESSION_BUS_ADDRESS"])
            _wait_for_window_manager()
            self.starts += 1
            self._has_started = True

    def stop(self) -> None:
        """End every part."""
        for part in self._parts:
            end_group(part)
        self._parts.clear()

    def watch(self) -> None:
        """Restart the desktop whenever a part of it ends: an agent may kill all its own processes and work on."""
        threading.Thread(target=self._watch, name="desktop", daemon=True).start()

    def wait_until_up(self, seconds: float) -> None:
        """Wait until every part runs, if one has just ended; at most so long."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            with self._lock:
                if self._is_up:
                    return
            time.sleep(_ASK_EVERY)

    @property
    def _is_up(self) -> bool:
        return self._has_started and all(part.poll() is None for part in self._parts)

    def _watch(self) -> None:
        while True:
            with self._lock, contextlib.suppress(Exception):  # a fork bomb leaves no room for it: then it is tried again
                if not self._is_up:
                    self.start()
            self._wait_for_an_end()

    def _wait_for_an_end(self) -> None:
        """Wait until a part has ended; a moment if one has already."""
        if not self._is_up:
            time.sleep(_ASK_EVERY)
            return
        waiting = select.poll()
        with contextlib.ExitStack() as held:
            try:
                for part in self._parts:
                    end = os.pidfd_open(part.pid)
                    held.callback(os.close, end)
                    waiting.register(end, select.POLLIN)
            except OSError:  # it has just ended, or there is no room for more
                time.sleep(_ASK_EVERY)
                return
            waiting.poll()

    def _begin(self, command: Sequence[str], says: str | None = None) -> FileIO:
        """Start a part, and return what the part reports of itself: on `stdout` or `displayfd`, as `says` tells, or nothing without it."""
        reader, writer = os.pipe()
        report = FileIO(reader)
        by_number = says == "displayfd"
        try:
            part = self._processes.start(
                [*command, str(writer)] if by_number else command,
                self.environment,
                niceness=0,
                stdout=writer if says == "stdout" else subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(writer,) if by_number else (),
                cwd=self.environment["HOME"],
            )
        except BaseException:  # it is tried again and again: nothing may stay open
            report.close()
            raise
        finally:
            os.close(writer)
        self._parts.append(part)
        return report


def wake_accessibility(session_bus: str) -> str:
    """Return the address of the accessibility bus. The session bus starts it on request; starting it by hand could make a second one."""
    from jeepney import DBusAddress, MessageType, new_method_call
    from jeepney.io.blocking import open_dbus_connection

    ask = new_method_call(DBusAddress("/org/a11y/bus", "org.a11y.Bus", "org.a11y.Bus"), "GetAddress")
    until = time.monotonic() + _LIMIT
    with open_dbus_connection(session_bus) as session:
        while True:
            answer = session.send_and_get_reply(ask, timeout=_LIMIT)
            said = str(answer.body[0]) if answer.body else ""
            if answer.header.message_type is MessageType.method_return:
                break
            if time.monotonic() > until:
                raise DesktopError(f"the accessibility bus did not start within {_LIMIT:.0f} s: {said}")
            time.sleep(_ASK_EVERY)  # a fork bomb leaves no room for its launcher: there will be room when the bomb is ended
    if not said:  # its launcher found no room for it
        raise DesktopError("the accessibility bus did not start")
    return said


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


def _first_line(report: FileIO, name: str) -> str:
    """Return the first line of a part's report; Xvfb writes the number and the newline separately, so read up to the newline."""
    said, until = b"", time.monotonic() + _LIMIT
    while not said.endswith(b"\n"):
        ready, _, _ = select.select([report], [], [], max(0.0, until - time.monotonic()))
        more = report.read(4096) if ready else b""
        if not more:
            raise DesktopError(f"{name} did not come up within {_LIMIT:.0f} s, or ended; its output was {said!r}")
        said += more
    return said.decode().strip()
