"""Process 1 of a machine with Linux: reads its configuration from standard input, starts the desktop, and serves.

The configuration is JSON: `token`, `socket` (the number of the listening socket), `screen`, `opengl` (whether programs can draw by it), `programs`,
`limits`, `user`, `home` (a folder to copy into that of the user), and `slowness`, how many times as slow as its host the machine is.
"""

import contextlib
import ctypes
import json
import os
import resource
import shutil
import signal
import socket
import sys
import threading
from pathlib import Path
from typing import Any

from machines.guest.on_linux.desktop import Desktop
from machines.guest.on_linux.processes import Limits, Processes
from machines.guest.platform import Screen

_PR_SET_DUMPABLE = 4
_SERVER_PROCESSES = 100  # more than the agent may have, so that a fork bomb leaves room for the server


def _leave_out_openssl() -> None:
    """Let Python's HTTP and hashes do without OpenSSL: nothing here is encrypted, and it takes 3 MB and a tenth of the imports' time."""
    sys.modules["ssl"] = sys.modules["_hashlib"] = None  # type: ignore[assignment]  # as Python does where it was built without


def _end_with_the_host(line: int) -> None:
    """End this process, and the machine with it, when the host closes its end of this pipe: bubblewrap misses a host that is killed early."""

    def wait() -> None:
        os.read(line, 1)
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def main() -> None:
    """Serve until the machine is stopped from outside."""
    _leave_out_openssl()
    asked = json.loads(sys.stdin.readline())
    _end_with_the_host(os.dup(sys.stdin.fileno()))
    sys.stdin.close()
    ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)  # hides its memory and environment from the agent, who has the same user
    signal.signal(signal.SIGTERM, lambda *_: None)  # not SIG_IGN, which every program of the desktop would inherit
    limits = Limits(**asked["limits"])
    with contextlib.suppress(ValueError):
        resource.setrlimit(resource.RLIMIT_NPROC, (limits.processes + _SERVER_PROCESSES,) * 2)
    home = Path("/home") / asked["user"]
    _make_home(home, Path(asked["home"]))
    processes = Processes(limits)
    processes.watch()
    desktop = Desktop(processes, Screen(**asked["screen"]), home, asked["opengl"])
    desktop.start()
    _serve(processes, desktop, asked)


def _make_home(home: Path, template: Path) -> None:
    """Make the home folder as it is at the start of every episode."""
    shutil.copytree(template, home, dirs_exist_ok=True, symlinks=True)
    for name in ("Desktop", "Documents", "Downloads", "Music", "Pictures", "Videos"):
        (home / name).mkdir(exist_ok=True)
    os.chdir(home)


def _serve(processes: Processes, desktop: Desktop, asked: dict[str, Any]) -> None:
    from machines.guest.live import add_live
    from machines.guest.on_linux.platform import Linux
    from machines.guest.protocol import add_protocol
    from machines.guest.server import Guest, create_app
    from machines.guest.web import serve

    platform = Linux(processes, desktop, asked["slowness"])
    guest = Guest(platform, asked["programs"], asked["slowness"])
    app = create_app(guest, asked["token"])
    add_protocol(app, guest)
    add_live(app, platform.show)
    desktop.watch()
    serve(app, socket.socket(fileno=asked["socket"]))


if __name__ == "__main__":
    main()
