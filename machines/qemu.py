"""The kind `qemu`: a virtual machine that begins with a snapshot in which the desktop is up. Its guest server runs in the same sandbox as a host's.

A reset ends the process and maps the snapshot into a new one. Nothing that a machine writes is ever written to a file: its disk is read-only, and
its memory is its own copy.
"""

import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from machines import host
from machines.errors import MachineError, MachineNeeds
from machines.image import Image, declared, find_image
from machines.machine import Machine, MachineChoice, Offers
from machines.patient_client import PatientClient
from machines.qemu_image import QEMU, find_disk, qemu_version
from machines.qemu_process import Hardware, Process

KVM = Path("/dev/kvm")
_READY_SECONDS = 60.0


@dataclass
class VirtualMachine(Machine):
    """A machine. As a context manager it is started, and always stopped at the end."""

    image: Image
    _process: Process | None = field(default=None, init=False)
    _client: PatientClient | None = field(default=None, init=False)

    @property
    def offers(self) -> Offers:
        """Return what it offers: what its image holds."""
        return self.image.offers

    @property
    def identity(self) -> dict[str, Any]:
        """Return its image's root file system and home folder, and its disk: that covers the kernel, QEMU, and the code inside."""
        return {"root": self.image.root.name, "home": self.image.home.name, "disk": find_disk(self.image).made.identity}

    @property
    def client(self) -> PatientClient:
        """Return the client of its guest server."""
        if self._client is None:
            raise MachineError("the machine is not running")
        return self._client

    def check(self) -> None:
        """Raise `MachineNeeds` if the host lacks something, or if the virtual machine is not built or cannot run here."""
        check_host()
        made = find_disk(self.image).made
        again = f"deskmill machine build --kind qemu {self.image.name} --again"
        if made.qemu != qemu_version():
            raise MachineNeeds(f"the virtual machine was built with QEMU {made.qemu}, and this host has {qemu_version()}: {again}")
        if made.accelerator == "kvm" and not os.access(KVM, os.R_OK | os.W_OK):
            raise MachineNeeds(f"the virtual machine was built with KVM, and {KVM} cannot be opened here: {again}")

    def start(self) -> None:
        """Map the snapshot and wait until the guest server answers; `MachineError` with QEMU's output if it does not."""
        disk = find_disk(self.image)
        made = disk.made
        assert disk.folder is not None
        self._process = process = Process(Hardware(disk.folder, made.accelerator, made.memory_mb))
        self._client = PatientClient(f"http://127.0.0.1:{process.port}", made.token, declared().virtual_machine.slowness)
        try:
            process.tell({"time": time.time()})
            self._client.wait_until_ready(_READY_SECONDS, lambda: process.is_alive)
        except MachineError as error:
            raise MachineError(f"{error}; the virtual machine said: {self._end().strip()[-2000:] or 'nothing'}") from None

    def reset(self) -> None:
        """Bring it back to its snapshot."""
        self.stop()
        self.start()

    def stop(self) -> None:
        """End it with everything that runs in it."""
        self._end()

    def _end(self) -> str:
        if self._client is not None:
            self._client.close()
            self._client = None
        process, self._process = self._process, None
        return process.end() if process is not None else ""


def qemu(choice: MachineChoice) -> VirtualMachine:
    """Return the virtual machine of a choice, not started; it has no options."""
    choice.numbers({})
    return VirtualMachine(find_image(choice.image, choice.folder))


def check_host() -> None:
    """Raise `MachineNeeds` with everything that this host lacks for virtual machines."""
    if missing := host.lacking([QEMU, "setpriv"]):
        raise MachineNeeds(f"a virtual machine needs {missing}")
