"""Process 1 of a virtual machine: starts the same sandbox that a host starts, with the guest server in it, when the host says so.

The host writes lines of JSON to a serial port. `{"start": {"command": [...], "configuration": {...}}}` replaces the sandbox by a new one, whose
guest server listens on the network; `{"time": seconds}` sets the clock. This process is root; no agent is, and none reaches it.
"""

import json
import os
import select
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

_PORTS = Path("/sys/class/virtio-ports")
_PORT = 8000
_IN_MEMORY = ("/tmp", "/run", "/dev/shm")
_LOOK_EVERY = 1.0  # seconds between two looks at whether the sandbox still runs
Sandbox = subprocess.Popen[bytes]


def main() -> None:
    """Follow the host. The kernel stops the machine when this process ends, as it does when the sandbox ends."""
    for folder in _IN_MEMORY:
        Path(folder).mkdir(exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=0755,size=16m", "tmpfs", folder], check=True)
    os.environ["PATH"] = "/usr/sbin:/usr/bin:/sbin:/bin"
    listening = socket.create_server(("0.0.0.0", _PORT), backlog=64)
    port = os.open(_device(), os.O_RDWR)
    running: Sandbox | None = None
    heard = b""
    while running is None or running.poll() is None:
        if select.select([port], [], [], _LOOK_EVERY)[0]:
            heard += os.read(port, 65536)
        while b"\n" in heard:
            line, heard = heard.split(b"\n", 1)
            running = _do(json.loads(line), running, listening)
    raise SystemExit(f"the sandbox in the virtual machine ended with {running.returncode}")


def _device() -> str:
    """Return the device of the serial port."""
    port = next(name.parent.name for name in _PORTS.glob("*/name") if name.read_text().strip() == "deskmill")
    return f"/dev/{port}"


def _do(asked: dict[str, Any], running: Sandbox | None, listening: socket.socket) -> Sandbox | None:
    """Do what a line asks for, and return the sandbox that runs now."""
    if "time" in asked:
        time.clock_settime(time.CLOCK_REALTIME, asked["time"])
    if "start" not in asked:
        return running
    if running is not None:
        running.kill()
        running.wait()
    started = subprocess.Popen(asked["start"]["command"], stdin=subprocess.PIPE, pass_fds=(listening.fileno(),))
    assert started.stdin is not None
    started.stdin.write(json.dumps(asked["start"]["configuration"] | {"socket": listening.fileno()}).encode() + b"\n")
    started.stdin.flush()  # stays open: the guest server ends when it closes
    return started


if __name__ == "__main__":
    main()
