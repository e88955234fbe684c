"""The disk of virtual machines and the snapshot that all of them begin with, made once from an image (`machines.qemu_build`).

A folder under `disks/` holds the disk (the image's root file system and the guest server, read-only), the memory and the devices of a machine whose
desktop is up and whose programs were loaded once, the kernel, and `made.json`. A link in `current/` points to the folder for the present
image and code. The memory is a file that every machine maps for itself: a page is copied when the machine writes to it.
"""

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from machines.bubblewrap import guest_command
from machines.errors import MachineNeeds
from machines.image import Image, declared
from machines.packages import hash_of

QEMU = "qemu-system-x86_64"
WAY = 1  # the number of the way in which disks are made; raise it when `machines.qemu_build` makes another disk from the same parts
_HERE = Path(__file__).parent
_USER = "20000"  # of the guest server and the agent, inside the virtual machine


class Made(BaseModel):
    """The content of `made.json`: what a disk was made from and with, the token of its guest server, and the bytes of each file."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    image: str
    key: str
    kernel: list[str]
    qemu: str
    accelerator: str
    memory_mb: int
    token: str
    built: str
    sizes: dict[str, int]

    @property
    def identity(self) -> str:
        """Return the identity of the disk: equal parts have the same one, at any time and with any token."""
        return hash_of([self.key, self.kernel, self.qemu, self.accelerator, self.memory_mb])

    @property
    def described(self) -> str:
        """Return how it runs, for people."""
        with_kvm = "with KVM" if self.accelerator == "kvm" else "without KVM"
        return f"QEMU {self.qemu} {with_kvm}, {self.memory_mb} MB of memory"


@dataclass(frozen=True)
class Disk:
    """The disk and the snapshot of an image; `folder` is where they are, or None if they were not made yet."""

    image: Image
    folder: Path | None

    @property
    def current(self) -> Path:
        """Return the link to the folder that is used for the present image and code."""
        return self.image.machines / "current" / f"{self.image.name}.qemu.{self.key}"

    @cached_property
    def key(self) -> str:
        """Return a hash of what we decide on: the image, the code inside the machine, and its configuration."""
        code = [[str(path.relative_to(_HERE)), blake2b(path.read_bytes(), digest_size=8).hexdigest()] for path in code_files()]
        return hash_of([WAY, self.image.root.name, self.image.home.name, code, guest_start(self.image, ""), declared().virtual_machine.memory_mb])

    @cached_property
    def made(self) -> Made:
        """Return what it was made from; `MachineNeeds` if it was not made, or is not complete."""
        again = f"deskmill machine build --kind qemu {self.image.name}"
        if self.folder is None:
            raise MachineNeeds(f"the virtual machine of the image '{self.image.name}' is not built for this version of Deskmill: {again}")
        try:
            made = Made.model_validate_json((self.folder / "made.json").read_text())
        except (OSError, ValidationError) as error:
            raise MachineNeeds(f"{self.folder / 'made.json'} cannot be read ({type(error).__name__}): {again} --again") from None
        for name, size in made.sizes.items():
            path = self.folder / name
            held = path.stat().st_size if path.is_file() else 0
            if held != size:
                raise MachineNeeds(f"{path} is cut off: it has {held} bytes instead of {size}; {again} --again")
        return made


def find_disk(image: Image) -> Disk:
    """Return the disk of an image for the present code; `MachineNeeds` if the image itself is not built."""
    image.check_built()
    disk = Disk(image, None)
    return Disk(image, disk.current.resolve()) if disk.current.is_dir() else disk


def disks(machines: Path) -> Iterator[tuple[str, Made]]:
    """Yield the identity of each disk under the folder of machines with its description, newest first."""
    found = [Made.model_validate_json(path.read_text()) for path in machines.glob("disks/[!.]*/made.json")]
    yield from ((made.identity, made) for made in sorted(found, key=lambda made: made.built, reverse=True))


def code_files() -> list[Path]:
    """Return the files of ours that run inside a virtual machine."""
    return sorted(path for room in ("guest", "vm") for path in (_HERE / room).rglob("*") if path.suffix in {".py", ".js", ".sh"})


def guest_start(image: Image, token: str) -> dict[str, Any]:
    """Return what starts the guest server in its sandbox inside a virtual machine, for `machines.vm.start`."""
    size = declared().virtual_machine
    limits = size.limits
    sandbox = guest_command(limits["disk_mb"], "/", "/opt/deskmill/machines/guest", "/opt/deskmill/home", image.user)
    to_user = ["setpriv", f"--reuid={_USER}", f"--regid={_USER}", "--clear-groups", "env", "PATH=/opt/deskmill/bin:/usr/bin:/bin"]
    return {
        "command": [*to_user, *sandbox],
        "configuration": image.guest_configuration(token, limits["processes"], limits["memory_mb"], size.slowness),
    }


@cache
def qemu_version() -> str:
    """Return the version of the host's QEMU: a snapshot is for one version."""
    said = subprocess.run([QEMU, "--version"], capture_output=True, text=True, check=False).stdout
    return said.partition("version ")[2].split()[0] if "version " in said else "unknown"
