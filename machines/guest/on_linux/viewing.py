"""The VNC server of the screen: one for each viewer, started when they come, and gone when they go.

It takes no commands, reads no file of settings, and leaves the clipboard and the setting for repeated keys as they are: who looks changes nothing.
"""

import subprocess

from machines.guest.on_linux.desktop import Desktop
from machines.guest.on_linux.processes import Processes

_SERVER = ["x11vnc", "-inetd", "-q", "-norc", "-nopw", "-noremote", "-nocmds", "-nosel", "-repeat", "-nodpms", "-nolookup", "-shared"]
_PICTURE = ["-nocursorshape", "-cursor", "most", "-wait", "20", "-defer", "10", "-nowf", "-nowcr", "-noxrecord"]
_BELOW = 5  # niceness: less than the desktop, more than applications


class Viewing:
    """Serves viewers. `processes` are the numbers of their servers."""

    def __init__(self, processes: Processes, desktop: Desktop) -> None:
        self.processes: set[int] = set()
        self._processes = processes
        self._desktop = desktop

    def show(self, connection: int) -> None:
        """Serve the screen on a connection, given by its file descriptor, until the viewer has gone."""
        nothing = subprocess.DEVNULL
        server = self._processes.start([*_SERVER, *_PICTURE], self._desktop.environment, _BELOW, stdin=connection, stdout=connection, stderr=nothing)
        self.processes.add(server.pid)
        try:
            server.wait()
        finally:
            self.processes.discard(server.pid)
