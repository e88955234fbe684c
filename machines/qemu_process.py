"""A QEMU process: how it is started, talked to and ended, for a snapshot that is made and for machines that begin with it.

The process has no shell and may start no program (`-sandbox`). Its network has no route to the outside (`restrict=on`); a port of 127.0.0.1 leads
to the guest server. It ends with the thread that started it, so a killed worker leaves no machine behind.
"""

import contextlib
import fcntl
import json
import os
import re
import socket
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from machines import shares
from machines.errors import MachineError
from machines.qemu_image import QEMU
from machines.qmp import Qmp

_SHARED = [{"capability": "x-ignore-shared", "state": True}]  # memory stays in its file, and only the devices are saved and read
_FORWARDED = re.compile(r"HOST_FORWARD\]\s+\d+\s+127\.0\.0\.1\s+(\d+)")
_CPU = "qemu64,+ssse3,+sse4.1,+sse4.2,+popcnt"  # with what browsers and offices need; wider vectors would be slow without KVM
_DIES_WITH_US = ["setpriv", "--pdeathsig", "KILL", "--", "/bin/sh", "-c", '[ "$PPID" = "$0" ] && exec "$@"']
_SAID = 2000  # characters of output that a message repeats
_SECONDS = 60.0  # to read or save the devices
_spawner = ThreadPoolExecutor(
    1, thread_name_prefix="virtual machines"
)  # a process dies with the thread that started it: this one lives as long as we do


@dataclass(frozen=True)
class Hardware:
    """The files and the size of a machine. `makes` tells whether its memory file is written, for a snapshot."""

    folder: Path
    accelerator: str
    memory_mb: int
    makes: bool = False

    def options(self, qmp: int, serial: int) -> list[str]:
        """Return the options of QEMU; the numbers are open sockets for QMP and for the serial port."""
        memory = f"memory-backend-file,id=memory,size={self.memory_mb}M,mem-path={self.folder / 'memory'},share={'on' if self.makes else 'off'}"
        devices = [
            "-drive", f"file={self.folder / 'disk'},format=raw,if=none,id=disk,readonly=on", "-device", "virtio-blk-pci,drive=disk",
            "-netdev", "user,id=network,restrict=on,hostfwd=tcp:127.0.0.1:0-10.0.2.15:8000", "-device", "virtio-net-pci,netdev=network,romfile=",
            "-chardev", f"socket,id=serial,fd={serial}", "-device", "virtio-serial-pci", "-device", "virtserialport,chardev=serial,name=deskmill",
            "-chardev", f"socket,id=qmp,fd={qmp}", "-mon", "chardev=qmp,mode=control",
        ]  # fmt: skip
        return [*base_options(self.folder, self.accelerator, self.memory_mb, "memory-backend=memory"), "-object", memory, *devices]


def base_options(folder: Path, accelerator: str, memory_mb: int, machine: str, kernel_words: str = "") -> list[str]:
    """Return the options of any machine with the kernel in a folder; what it says goes to standard output."""
    tuned = "tcg,tb-size=256" if accelerator == "tcg" else accelerator
    return [
        QEMU, "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-machine", f"q35,hpet=off,{machine}", "-accel", tuned,
        "-cpu", _CPU, "-smp", "1", "-m", f"{memory_mb}M", "-kernel", str(folder / "kernel"), "-initrd", str(folder / "initrd"),
        "-append", f"console=ttyS0 quiet panic=-1 mitigations=off net.ifnames=0 {kernel_words}".strip(),
        "-chardev", "file,id=console,path=/dev/stdout,append=on", "-serial", "chardev:console",
        "-sandbox", "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny",
    ]  # fmt: skip


class Process:
    """A running QEMU. Its methods raise `MachineError` with its output when it ends or refuses."""

    def __init__(self, hardware: Hardware) -> None:
        self._said = _output()
        self._group = shares.make()
        our_qmp, qmp = socket.socketpair()
        self._serial, serial = socket.socketpair()
        self._state, state = socket.socketpair()  # the devices go through here, out or in
        self._qmp = Qmp(our_qmp)
        self.qemu: subprocess.Popen[bytes] | None = None
        with qmp, serial, state:
            command = [*hardware.options(qmp.fileno(), serial.fileno()), *([] if hardware.makes else ["-incoming", "defer"])]
            self.qemu = _spawner.submit(
                subprocess.Popen, shares.joining(self._group, [*_DIES_WITH_US, str(os.getpid()), *command]), stdin=subprocess.DEVNULL,
                stdout=self._said, stderr=self._said, pass_fds=(qmp.fileno(), serial.fileno(), state.fileno()), start_new_session=True,
            ).result()  # fmt: skip
            qmp.close()  # so that we notice when QEMU ends
            self._its_state = state.dup()
            try:
                self._qmp.begin()
                self.call("migrate-set-capabilities", capabilities=_SHARED)
                if not hardware.makes:
                    self._read(hardware.folder / "devices", state.fileno())
                self.port = self._forwarded_port()
            except MachineError as error:
                raise MachineError(f"{error}; it said: {self.end()[-_SAID:].strip() or 'nothing'}") from None

    @property
    def is_alive(self) -> bool:
        """Tell whether QEMU runs."""
        return self.qemu is not None and self.qemu.poll() is None

    def call(self, command: str, /, descriptor: int | None = None, **arguments: Any) -> Any:
        """Send a QMP command and return its result."""
        return self._qmp.call(command, descriptor, **arguments)

    def tell(self, asked: dict[str, Any]) -> None:
        """Send a line to process 1 of the machine."""
        try:
            self._serial.sendall(json.dumps(asked).encode() + b"\n")
        except OSError as error:
            raise MachineError(f"the virtual machine does not listen: {error}") from error

    def save(self, path: Path) -> None:
        """Stop the machine, write the state of its devices to a file, and end it: with the memory file, that is the snapshot."""
        self.call("stop")
        self.call("getfd", self._its_state.fileno(), fdname="state")
        self._its_state.close()
        received: list[bytes] = []
        reading = threading.Thread(target=lambda: received.extend(iter(lambda: self._state.recv(2**20), b"")), daemon=True)
        reading.start()
        self.call("migrate", uri="fd:state")
        self._wait("query-migrate", {"completed"}, {"setup", "active", "device", "pre-switchover"})
        self.call("quit")
        if self.qemu is not None:
            self.qemu.wait(_SECONDS)
        reading.join(_SECONDS)
        path.write_bytes(b"".join(received))

    def _read(self, path: Path, descriptor: int) -> None:
        """Bring the machine to the snapshot and let it run."""
        content = path.read_bytes()

        def send() -> None:
            with contextlib.suppress(OSError):  # QEMU has ended, which `_wait` notices
                self._state.sendall(content)
                self._state.shutdown(socket.SHUT_WR)

        threading.Thread(target=send, daemon=True).start()
        self.call("migrate-incoming", uri=f"fd:{descriptor}")
        self._wait("query-status", {"paused", "running"}, {"inmigrate", "postmigrate"})
        self.call("cont")

    def _wait(self, query: str, done: set[str], going_on: set[str]) -> None:
        until = time.monotonic() + _SECONDS
        while (status := self.call(query).get("status", "setup")) not in done:
            if status not in going_on or time.monotonic() > until:
                raise MachineError(f"the snapshot failed: QEMU says '{status}'")
            time.sleep(0.005)

    def _forwarded_port(self) -> int:
        said = self.call("human-monitor-command", None, **{"command-line": "info usernet"})
        found = _FORWARDED.search(said)
        if found is None:
            raise MachineError(f"QEMU forwards no port to the guest server: {said}")
        return int(found[1])

    def end(self) -> str:
        """End it in any state, and return its output."""
        if self.qemu is not None:
            self.qemu.kill()
            self.qemu.wait()
            self.qemu = None
            shares.leave(self._group)
        for connection in (self._qmp, self._serial, self._state, self._its_state):
            connection.close()
        if self._said.closed:
            return ""
        self._said.seek(0)
        said = self._said.read().decode(errors="replace")
        self._said.close()
        return said


def _output() -> BinaryIO:
    """Return a file in memory for what a process says; several writers append to it."""
    descriptor = os.memfd_create("said")
    fcntl.fcntl(descriptor, fcntl.F_SETFL, os.O_APPEND)
    return os.fdopen(descriptor, "w+b")
